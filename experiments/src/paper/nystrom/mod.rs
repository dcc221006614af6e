//! The fast u-update: iterations of conjugate gradients against the rank of the preconditioner.

use super::Experiment;
use measure::measure;
mod measure;

use super::bench::{Job, Setting, Work};
use super::pieces::{of_key, points, provenance};
use super::record::Record;
use cronos_page::html::{figure, paragraph, side_by_side, table};
use cronos_page::svg::{Axis, Chart, Key, Mark, Range, Unit};
use cronos_page::text::number as written;

pub const NYSTROM: Experiment = Experiment {
    name: "nystrom",
    title: "Nyström preconditioning",
    about: "iterations of conjugate gradients against rank, for weights and for rows, with the bound",
    data: "none but what is built in",
    minutes: 3,
    jobs,
    section,
};

const ROWS: usize = 400;
const GATES: usize = 10;
const RHO: f64 = 0.1;
/// Relative residual to reach.
const TOLERANCE: f64 = 1e-8;
const RANKS: [usize; 8] = [0, 5, 10, 20, 40, 80, 160, 320];

fn jobs(setting: &Setting<'_>) -> Result<Vec<Job>, String> {
    let ranks: &[usize] = if setting.quick { &RANKS[..4] } else { &RANKS };
    let mut jobs = Vec::new();
    for seed in 0..setting.seeds {
        for key in ["weights", "rows"] {
            jobs.push(Job {
                key: key.into(),
                seed,
                work: Work::Inside(Box::new(move || measure(key, ranks, seed))),
            });
        }
    }
    Ok(jobs)
}

fn section(records: &[&Record]) -> Result<String, String> {
    let mut html = paragraph(&format!(
        "One system of ADMM on {ROWS} digits and {GATES} gates (ρ = {RHO}), solved to a relative \
         residual of 1e-8. Over all weights, as in the paper, it has {} unknowns; over all rows, as \
         the solver has it here, {ROWS}. The bound of the condition number is λ_r + 1 + ‖H − UΛUᵀ‖, \
         and of iterations what conjugate gradients need for that condition at most.",
        2 * GATES * 65
    ));
    let mut charts = Vec::new();
    for (key, name, id) in [
        ("weights", "Over all weights", "nystrom-weights"),
        ("rows", "Over all rows", "nystrom-rows"),
    ] {
        let own = of_key(records, key);
        let Some(first) = own.first() else { continue };
        let (counts, most) = (points(first, 1), points(first, 3));
        let mut rows = Vec::new();
        for (at, &(rank, _)) in counts.iter().enumerate() {
            let of = |which: usize| -> Vec<String> {
                let one = |record: &&Record| points(record, which).get(at).map(|p| written(p.1));
                own.iter().filter_map(one).collect()
            };
            let (bounds, limits) = (of(2), of(3));
            rows.push(vec![
                match rank {
                    0.0 => "no preconditioner".into(),
                    rank => format!("{rank:.0}"),
                },
                of(1).join(", "),
                limits.first().cloned().unwrap_or_default(),
                bounds.first().cloned().unwrap_or_default(),
            ]);
        }
        html += &format!("<h3>{name}</h3>\n");
        let head = [
            "rank",
            "iterations, by seed",
            "bound of iterations",
            "bound of the condition",
        ];
        html += &table(name, &head, &rows);
        let all = || counts.iter().chain(&most).filter(|p| p.0 > 0.0);
        let (x, y) = (
            Range::of_positive(all().map(|p| p.0)),
            Range::of_positive(all().map(|p| p.1)),
        );
        if let (Some(x), Some(y)) = (x, y) {
            let positive =
                |points: &[(f64, f64)]| points.iter().filter(|p| p.0 > 0.0).copied().collect();
            let chart = Chart {
                id,
                title: name,
                description:
                    "Iterations of conjugate gradients against the rank of the preconditioner."
                        .into(),
                x: Axis::log("rank, logarithmic", x, Unit::Plain),
                y: Axis::log_wide("iterations, logarithmic", y, Unit::Plain),
                marks: vec![
                    Mark::Line {
                        style: "line b dashed",
                        points: positive(&most),
                    },
                    Mark::Line {
                        style: "line a",
                        points: positive(&counts),
                    },
                ],
            };
            let keys = [
                Key::Line("line a", "iterations".into()),
                Key::Line("line b dashed", "bound".into()),
            ];
            charts.push(figure(&chart, &keys));
        }
    }
    Ok(html + &side_by_side(&charts) + &provenance(records, NYSTROM.name))
}
