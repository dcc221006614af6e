//! Convex and non-convex value: how far networks are from the bound of their gates.

use super::Experiment;
use super::bench::{Job, Setting};
use super::pieces::{mean, numbers, of_key, provenance};
use super::record::Record;
use cronos_page::html::{figure, paragraph, side_by_side, table};
use cronos_page::svg::{Axis, Chart, Key, Mark, Range, Unit};
use cronos_page::text::{number as written, percent};

pub const OPTIMUM: Experiment = Experiment {
    name: "optimum",
    title: "Convex and non-convex optimum",
    about: "network objective and lower bound as gates grow, random and learned",
    data: "none but what is built in",
    minutes: 30,
    jobs,
    section,
};

const PROBLEM: &str = "fit digits --positive 5,6,7,8,9 --holdout 0 --loss squared --beta 0.5";
const GATES: [usize; 6] = [10, 20, 40, 80, 160, 320];
const KINDS: [(&str, &str); 2] = [("random", "--tolerance 1e-3"), ("learned", "--learn-gates")];

fn jobs(setting: &Setting<'_>) -> Result<Vec<Job>, String> {
    let gates: &[usize] = if setting.quick { &GATES[..2] } else { &GATES };
    let mut jobs = Vec::new();
    for seed in 0..setting.seeds {
        for &gates in gates {
            for (kind, flags) in KINDS {
                let line = format!("{PROBLEM} --gates {gates} {flags}");
                jobs.push(Job::cronos(&format!("{kind} {gates}"), seed, &line, &[]));
            }
        }
    }
    Ok(jobs)
}

/// Means over the seeds.
struct Point {
    gates: f64,
    objective: f64,
    bound: f64,
}

fn points(records: &[&Record], kind: &str) -> Result<Vec<Point>, String> {
    let mut found = Vec::new();
    for gates in GATES {
        let key = format!("{kind} {gates}");
        let own = of_key(records, &key);
        if !own.is_empty() {
            found.push(Point {
                gates: gates as f64,
                objective: mean(&numbers(&own, "/network_objective")?),
                bound: mean(&numbers(&own, "/lower_bound")?),
            });
        }
    }
    Ok(found)
}

fn section(records: &[&Record]) -> Result<String, String> {
    let (random, learned) = (points(records, "random")?, points(records, "learned")?);
    let mut html = paragraph(
        "Digits 0 to 4 against 5 to 9 as −1 and 1, squared loss, β = 0.5. For each set of gates the \
         convex program gives a lower bound, which no network whose units have these gates can \
         beat; the network read off its solution has an objective of its own. Means over the seeds.",
    );
    let mut rows = Vec::new();
    for (kind, points) in [("random", &random), ("learned", &learned)] {
        for point in points.iter() {
            rows.push(vec![
                format!("{:.0} {kind} gates", point.gates),
                written(point.objective),
                written(point.bound),
                percent((point.objective - point.bound) / point.objective),
            ]);
        }
    }
    let head = [
        "",
        "objective of the network",
        "lower bound for its gates",
        "apart",
    ];
    html += &table("Objective and bound", &head, &rows);
    let all = || random.iter().chain(&learned);
    let x = Range::of_positive(all().map(|point| point.gates));
    let y = Range::of_positive(all().flat_map(|point| [point.objective, point.bound]));
    if let (Some(x), Some(y)) = (x, y) {
        let line = |points: &[Point], value: fn(&Point) -> f64| -> Vec<(f64, f64)> {
            points
                .iter()
                .map(|point| (point.gates, value(point)))
                .collect()
        };
        let chart = Chart {
            id: "optimum-chart",
            title: "Objective and bound",
            description: "Objective of the network and lower bound against the number of gates."
                .into(),
            x: Axis::log("gates, logarithmic", x, Unit::Plain),
            y: Axis::log_wide("objective, logarithmic", y, Unit::Plain),
            marks: vec![
                Mark::Line {
                    style: "line b dashed",
                    points: line(&random, |p| p.bound),
                },
                Mark::Line {
                    style: "line b",
                    points: line(&random, |p| p.objective),
                },
                Mark::Line {
                    style: "line a dashed",
                    points: line(&learned, |p| p.bound),
                },
                Mark::Line {
                    style: "line a",
                    points: line(&learned, |p| p.objective),
                },
            ],
        };
        let keys = [
            Key::Line("line a", "learned gates".into()),
            Key::Line("line b", "random gates".into()),
            Key::Line("line a dashed", "bound, learned".into()),
            Key::Line("line b dashed", "bound, random".into()),
        ];
        html += &side_by_side(&[figure(&chart, &keys)]);
    }
    Ok(html + &provenance(records, OPTIMUM.name))
}
