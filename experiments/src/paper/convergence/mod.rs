//! The theorem: averaged iterates of ADMM approach optimum and feasibility as 1/K.

use super::Experiment;
use admm::admm;
mod admm;

use super::bench::{Job, Setting, Work};
use super::pieces::{points, provenance};
use super::problem::Small;
use super::record::Record;
use cronos::{Settings, Status};
use cronos_page::html::{figure, paragraph, side_by_side, table};
use cronos_page::svg::{Axis, Chart, Key, Mark, Range, Unit};
use cronos_page::text::{number as written, scientific};
use serde_json::{Value, json};
use std::ops::ControlFlow;

pub const CONVERGENCE: Experiment = Experiment {
    name: "convergence",
    title: "Convergence: O(1/K)",
    about: "gaps of the averaged iterates of ADMM as the theorem has it, and their slope",
    data: "none but what is built in",
    minutes: 3,
    jobs,
    section,
};

/// Rows, gates and penalty.
const ROWS: usize = 300;
const GATES: usize = 5;
const BETA: f64 = 1.0;
/// The penalty parameter of ADMM.
const RHO: f64 = 0.1;
/// The slope is fitted from here on, where the start is forgotten.
const SETTLED: usize = 50;

fn jobs(setting: &Setting<'_>) -> Result<Vec<Job>, String> {
    let iterations = if setting.quick { 200 } else { 5000 };
    let job = |seed| Job {
        key: "averages".into(),
        seed,
        work: Work::Inside(Box::new(move || measure(iterations, seed))),
    };
    Ok((0..setting.seeds).map(job).collect())
}

/// Runs ADMM on the dense program and keeps, at iterations spread evenly over the logarithm, how
/// far its averages are from the optimum that the solver proves.
fn measure(iterations: usize, seed: u64) -> Result<Value, String> {
    let small = Small::new(ROWS, GATES, BETA, seed)?;
    let settings = Settings {
        gap_relative: 1e-8,
        violation: Some(1e-9),
        max_iterations: 100_000,
        ..Settings::default()
    };
    let solution = (small.program)
        .solve(&settings, &mut |_| ControlFlow::Continue(()))
        .map_err(|error| error.to_string())?;
    if solution.status != Status::Solved {
        return Err(format!("the optimum was not found: {:?}", solution.status));
    }
    let optimum = solution.certificate.objective;
    let mut points = Vec::new();
    let mut next = 1.0;
    admm(&small, iterations, |k, at| {
        if k as f64 >= next || k == iterations {
            next = (next * 1.1).max(k as f64 + 1.0);
            points.push(json!([k, (at.objective - optimum).abs(), at.feasibility]));
        }
    })?;
    Ok(json!({
        "optimum": optimum,
        "gap": solution.certificate.gap,
        "rows": ROWS,
        "weights": small.groups() * small.x.ncols(),
        "points": points,
    }))
}

/// The slope of a line through the logarithms, by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = (points.iter())
        .filter(|(x, y)| *x >= SETTLED as f64 && *y > 0.0)
        .map(|(x, y)| (x.ln(), y.ln()))
        .collect();
    let n = logs.len() as f64;
    let (x, y) = logs
        .iter()
        .fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let top: f64 = logs.iter().map(|(a, b)| (a - x) * (b - y)).sum();
    let bottom: f64 = logs.iter().map(|(a, _)| (a - x) * (a - x)).sum();
    top / bottom
}

fn section(records: &[&Record]) -> Result<String, String> {
    let mut rows = Vec::new();
    for record in records {
        let (objective, feasibility) = (points(record, 1), points(record, 2));
        let last = |points: &[(f64, f64)]| points.last().map_or(f64::NAN, |point| point.1);
        rows.push(vec![
            format!("seed {}", record.seed),
            written(record.number("/optimum")?),
            format!(
                "{} after {} iterations",
                scientific(last(&objective), 1),
                objective.last().map_or(0.0, |p| p.0)
            ),
            format!("{:.2}", slope(&objective)),
            scientific(last(&feasibility), 1),
            format!("{:.2}", slope(&feasibility)),
        ]);
    }
    let head = [
        "",
        "optimum",
        "gap of the objective",
        "slope",
        "gap of feasibility",
        "slope",
    ];
    let mut html = paragraph(&format!(
        "The theorem says that averages of the iterates approach the optimum and the constraints at \
         least as fast as 1/K. ADMM by the book on {ROWS} digits and {GATES} gates (ρ = {RHO}, \
         β = {BETA}), against an optimum that the solver proves to 1e-8. Slopes are those of lines \
         through the logarithms from iteration {SETTLED} on; −1 is 1/K, less is faster."
    ));
    html += &table("Slopes of the gaps", &head, &rows);
    if let Some(first) = records.first() {
        let (objective, feasibility) = (points(first, 1), points(first, 2));
        let all = || objective.iter().chain(&feasibility);
        let x = Range::of_positive(all().map(|p| p.0));
        let y = Range::of_positive(all().map(|p| p.1));
        if let (Some(x), Some(y), Some(&(_, start))) = (x, y, objective.first()) {
            let rule = [(x.low, start), (x.high, start * x.low / x.high)];
            let chart = Chart {
                id: "convergence-chart",
                title: "Gaps of the averages",
                description:
                    "Gap of the objective and of feasibility against iterations, both logarithmic."
                        .into(),
                x: Axis::log("iterations K, logarithmic", x, Unit::Plain),
                y: Axis::log_wide("gap, logarithmic", y, Unit::Plain),
                marks: vec![
                    Mark::Line {
                        style: "rule",
                        points: rule.to_vec(),
                    },
                    Mark::Line {
                        style: "line a",
                        points: objective,
                    },
                    Mark::Line {
                        style: "line b dashed",
                        points: feasibility,
                    },
                ],
            };
            let keys = [
                Key::Line("line a", "objective".into()),
                Key::Line("line b dashed", "feasibility".into()),
                Key::Line("rule", "1/K".into()),
            ];
            html += &side_by_side(&[figure(&chart, &keys)]);
        }
    }
    Ok(html + &provenance(records, CONVERGENCE.name))
}

#[cfg(test)]
mod tests {
    use super::slope;
    use serde_json::Value;

    #[test]
    fn the_slope_of_a_power_is_its_exponent() {
        let points: Vec<(f64, f64)> = (1..500).map(|k| (k as f64, 3.0 / (k * k) as f64)).collect();
        assert!((slope(&points) + 2.0).abs() < 1e-12);
    }

    /// K times the gap settles.
    #[test]
    fn averages_approach_the_optimum_as_the_theorem_says() {
        let value = super::measure(2000, 0).unwrap();
        let points = value["points"].as_array().unwrap();
        let of = |point: &Value, which: usize| point[which].as_f64().unwrap();
        let middle = points.iter().find(|point| of(point, 0) >= 1000.0).unwrap();
        let last = points.last().unwrap();
        for which in [1, 2] {
            let (before, after) = (
                of(middle, 0) * of(middle, which),
                of(last, 0) * of(last, which),
            );
            assert!(after < 1.05 * before, "{before} to {after}");
        }
    }
}
