//! Robustness: ρ over six decades against the learning rate of AdamW over as many.

use super::Experiment;
use super::bench::{Job, Setting};
use super::pieces::{of_key, over_seeds, percent, provenance};
use super::record::Record;
use cronos_page::html::{figure, paragraph, side_by_side, table};
use cronos_page::svg::{Axis, Chart, Dot, Key, Mark, Range, Unit};
use cronos_page::text::scientific;

pub const RHO: Experiment = Experiment {
    name: "rho",
    title: "Robustness to ρ",
    about: "accuracy and iterations for ρ over six decades, against the learning rate of AdamW",
    data: "none but what is built in",
    minutes: 10,
    jobs,
    section,
};

/// The convex program, and a network of the same size for AdamW.
const PROGRAM: &str =
    "fit digits --positive 5,6,7,8,9 --gates 50 --beta 1 --fixed-rho --tolerance 1e-2";
const NETWORK: &str = "compare digits --positive 5,6,7,8,9 --arch none --gates 50 --augment none --optimizers adamw --range 1e-6..1";

/// Iterations at most.
const MOST: usize = 5000;

fn jobs(setting: &Setting<'_>) -> Result<Vec<Job>, String> {
    let (step, iterations, rates, epochs) = match setting.quick {
        true => (4, 30, 2, 2),
        false => (1, MOST, 13, 50),
    };
    let mut jobs = Vec::new();
    for seed in 0..setting.seeds {
        // 10⁻⁴ to 10², by half decades
        for half in (-8..=4).step_by(step) {
            let rho = 10f64.powf(f64::from(half) / 2.0);
            let line = format!("{PROGRAM} --max-iterations {iterations} --rho {rho:e}");
            jobs.push(Job::cronos(&format!("rho {rho:.1e}"), seed, &line, &[]));
        }
        let line = format!("{PROGRAM} --max-iterations {iterations}").replace("--fixed-rho", "");
        jobs.push(Job::cronos("balanced", seed, &line, &[]));
        let line = format!("{NETWORK} --rates {rates} --epochs {epochs}");
        jobs.push(Job::cronos("adamw", seed, &line, &[]));
    }
    Ok(jobs)
}

/// A run: ρ or rate, test accuracy, and iterations until the gap is proved, if it was.
struct Point {
    at: f64,
    test: f64,
    iterations: Option<f64>,
}

impl Point {
    fn of(record: &Record, at: f64) -> Result<Self, String> {
        let iterations = record.number("/iterations")?;
        Ok(Self {
            at,
            test: record.number("/test/accuracy")?,
            iterations: (record.outcome["status"] == "solved").then_some(iterations),
        })
    }
}

/// A line of the table: the runs of all seeds.
fn row(name: String, points: &[&Point]) -> Vec<String> {
    let iterations = points.iter().map(|point| match point.iterations {
        Some(iterations) => format!("{iterations:.0}"),
        None => "not reached".into(),
    });
    let tests: Vec<f64> = points.iter().map(|point| point.test).collect();
    let iterations: Vec<String> = iterations.collect();
    vec![name, over_seeds(&tests), iterations.join(", ")]
}

fn section(records: &[&Record]) -> Result<String, String> {
    let mut fixed = Vec::new();
    let mut rates = Vec::new();
    for record in records {
        if let Some(rho) = record.key.strip_prefix("rho ") {
            let rho = rho.parse().map_err(|_| format!("{rho} is no ρ"))?;
            fixed.push(Point::of(record, rho)?);
        } else if record.key == "adamw" {
            let all = record.outcome["optimizers"]
                .as_array()
                .into_iter()
                .flatten();
            let own = all.filter(|one| one["name"] == "adamw");
            for run in own.flat_map(|one| one["runs"].as_array().into_iter().flatten()) {
                rates.push(Point {
                    at: run["rate"].as_f64().unwrap_or(f64::NAN),
                    test: run["test"]["accuracy"].as_f64().unwrap_or(f64::NAN),
                    iterations: None,
                });
            }
        }
    }
    fixed.sort_by(|a, b| a.at.total_cmp(&b.at));
    let spread = |points: &[Point]| {
        let tests = points.iter().map(|point| point.test);
        Range::of(tests).map_or((f64::NAN, f64::NAN), |range| (range.low, range.high))
    };
    let (ours, theirs) = (spread(&fixed), spread(&rates));
    let mut html = paragraph(
        "The convex program of digits (0 to 4 against 5 to 9, 50 gates, β = 1) with ρ fixed from \
         10⁻⁴ to 10² until the gap is proved to be 1 %, for 5,000 iterations at most, and AdamW on a network of as many units with rates drawn \
         from 10⁻⁶ to 1 for 50 epochs. Nothing is chosen; every run is shown.",
    );
    html += &paragraph(&format!(
        "Test accuracy over six decades of ρ: {} to {}. Over six decades of the learning rate: {} \
         to {}.",
        percent(ours.0),
        percent(ours.1),
        percent(theirs.0),
        percent(theirs.1)
    ));
    let accuracy = |id: &'static str,
                    title: &'static str,
                    name: &str,
                    points: &[Point],
                    style: &'static str| {
        let x = Range::of_positive(points.iter().map(|point| point.at))?;
        // the same heights in both charts
        let y = Range::of([ours.0, ours.1, theirs.0, theirs.1])?;
        let dot = |point: &Point| Dot {
            x: point.at,
            y: point.test,
            radius: 3.0,
            text: format!("{}: {}", scientific(point.at, 1), percent(point.test)),
        };
        Some(Chart {
            id,
            title,
            description: format!("Test accuracy against {name}."),
            x: Axis::log(&format!("{name}, logarithmic"), x, Unit::Plain),
            y: Axis::linear("test accuracy", y, Unit::Percent),
            marks: vec![Mark::Dots {
                style,
                dots: points.iter().map(dot).collect(),
            }],
        })
    };
    let charts = [
        accuracy("rho-accuracy", "cronos, ρ fixed", "ρ", &fixed, "dot a"),
        accuracy("rho-rates", "AdamW", "learning rate", &rates, "dot b"),
    ];
    let drawn = |chart: Chart<'_>| {
        let style = if chart.id == "rho-rates" {
            "dot b"
        } else {
            "dot a"
        };
        figure(&chart, &[Key::Dot(style, "a run".into())])
    };
    html += &side_by_side(&charts.into_iter().flatten().map(drawn).collect::<Vec<_>>());
    let mut rows: Vec<Vec<String>> = (fixed.chunk_by(|a, b| a.at == b.at))
        .map(|same| row(scientific(same[0].at, 1), &same.iter().collect::<Vec<_>>()))
        .collect();
    let balanced: Vec<Point> = (of_key(records, "balanced").into_iter())
        .map(|record| Point::of(record, f64::NAN))
        .collect::<Result<_, _>>()?;
    if !balanced.is_empty() {
        let all: Vec<&Point> = balanced.iter().collect();
        rows.push(row("balanced while it runs".into(), &all));
    }
    let head = [
        "ρ",
        "test accuracy",
        "iterations to a proved gap of 1 %, by seed",
    ];
    html += &table("Accuracy and iterations by ρ", &head, &rows);
    Ok(html + &provenance(records, RHO.name))
}
