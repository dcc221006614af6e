//! Writes pages of made-up reports, for the check of the page in a browser:
//! `report_demo DIR` writes DIR/full.html, DIR/hostile.html and DIR/bare.html.

#[allow(dead_code, unused_imports)] // the command uses more of it
#[path = "../src/report/mod.rs"]
mod report;

use report::{
    Choice, Confusion, ConvergencePoint, Figure, FileNote, Importance, Measure, Mistake, PathPoint,
    Permutation, Report, Residuals, RoundPoint,
};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name a folder")?;
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder)?;
    for (name, report) in [("full", full()?), ("hostile", hostile()), ("bare", bare())] {
        std::fs::write(folder.join(format!("{name}.html")), report.page())?;
    }
    Ok(())
}

/// Numbers from 0 to 1, the same on every machine.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    }
}

/// A report with every section.
fn full() -> Result<Report, Box<dyn std::error::Error>> {
    let mut report = Report {
        title: "digits".into(),
        task: "Classification of class into 10 classes".into(),
        outcome: "Solved to the tolerance. The objective is 69.26; the optimum for these gates is \
                  proved to be at least 68.58."
            .into(),
        headline: headline(),
        summary: vec![
            ("data".into(), "digits: 1258 rows, 64 features".into()),
            ("network".into(), "412 relu neurons, β = 0.6698".into()),
            ("test".into(), "accuracy 98.14 % of 539 rows".into()),
        ],
        chosen: chosen(),
        tolerance: Some(0.01),
        convergence: convergence(6000),
        measure: Measure {
            name: "accuracy".into(),
            percent: true,
        },
        path: path(),
        rounds: rounds(),
        confusion: Some(confusion((0..10).map(|c| c.to_string()).collect())),
        residuals: vec![residuals(20_000, 1.0)],
        importance: importance(),
        command: Some("cronos fit digits --report out --seed 3".into()),
        ..Report::default()
    };
    report.files = vec![
        file("report.json", "the numbers, for programs", true),
        file("history.csv", "a line for every iteration", true),
        file("../models/digits.safetensors", "the trained network", false),
    ];
    report.mistakes = mistakes()?;
    Ok(report)
}

fn headline() -> Vec<Figure> {
    [
        ("Test accuracy", "98.14 %", "539 rows"),
        ("Train accuracy", "100.00 %", "1258 rows"),
        ("Certified gap", "0.994 %", "cone violation 0.050 %"),
        ("Neurons", "412", "from 100 gates"),
        ("Time", "24.2 s", "1260 iterations"),
    ]
    .map(|(label, value, note)| Figure {
        label: label.into(),
        value: value.into(),
        note: note.into(),
    })
    .to_vec()
}

fn chosen() -> Vec<Choice> {
    [
        (
            "task",
            "classification",
            "the target is a few whole numbers",
        ),
        (
            "penalty β",
            "0.6698",
            "best validation accuracy of 24 penalties, 5 folds",
        ),
        (
            "loss",
            "squared",
            "faster than the logistic loss and as accurate here",
        ),
        (
            "gates",
            "100, learned",
            "5 rounds; the neurons of a round are the gates of the next",
        ),
        ("encoding", "64 numbers", "no column holds text"),
        ("ensemble", "1 network", "more networks did not pay"),
        (
            "solver",
            "direct",
            "factoring S (1258 x 1258) once costs less than solving with it by iteration",
        ),
    ]
    .map(|(what, value, why)| Choice {
        what: what.into(),
        value: value.into(),
        why: why.into(),
    })
    .to_vec()
}

fn convergence(iterations: usize) -> Vec<ConvergencePoint> {
    let mut next = noise(1);
    let (mut bound, mut points) = (0.0, Vec::new());
    for iteration in 1..=iterations {
        let time = iteration as f64 / iterations as f64;
        let objective = 69.0 - 30.0 * (-9.0 * time).exp() + 0.1 * (next() - 0.5);
        if iteration % 10 == 0 {
            bound = 68.5 * (1.0 - (-11.0 * time).exp());
        }
        points.push(ConvergencePoint {
            iteration,
            objective,
            lower_bound: bound,
            gap: (objective - bound).abs() / objective,
            violation: 0.1 * (-6.0 * time).exp() * (1.0 + 0.2 * (40.0 * time).sin()),
        });
    }
    points
}

fn path() -> Vec<PathPoint> {
    let mut next = noise(2);
    (0..24)
        .map(|i| {
            let place = f64::from(i) / 23.0;
            PathPoint {
                beta: 300.0 * 10f64.powf(-4.0 * place),
                objective: 20.0 + 600.0 * (1.0 - place).powi(3),
                neurons: (1 + i * i * 4) as usize,
                train_score: 1.0 - 0.6 * (-7.0 * place).exp(),
                validation_score: 0.985 - 0.6 * (-6.0 * place).exp() - 0.03 * place.powi(6)
                    + 0.003 * next(),
                spread: 0.006 + 0.02 * (1.0 - place).powi(2),
                chosen: i == 16,
            }
        })
        .collect()
}

fn rounds() -> Vec<RoundPoint> {
    [
        (83.1, 792),
        (74.9, 655),
        (71.2, 530),
        (69.9, 447),
        (69.3, 412),
    ]
    .into_iter()
    .enumerate()
    .map(|(i, (network_objective, neurons))| RoundPoint {
        round: i + 1,
        network_objective,
        neurons,
    })
    .collect()
}

fn confusion(classes: Vec<String>) -> Confusion {
    let mut next = noise(3);
    let n = classes.len();
    let counts = (0..n)
        .map(|i| {
            (0..n)
                .map(|j| match i == j {
                    true => 40 + (20.0 * next()) as usize,
                    false => (6.0 * next().powi(12)) as usize,
                })
                .collect()
        })
        .collect();
    Confusion {
        of: "539 test rows".into(),
        classes,
        counts,
    }
}

fn residuals(rows: usize, scale: f64) -> Residuals {
    let mut next = noise(4);
    let (mut predicted, mut actual) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let value = scale * (250.0 * next() + 90.0 * next());
        let error = scale * (next() + next() + next() - 1.5) * 40.0;
        predicted.push(value);
        actual.push(value + error);
    }
    Residuals {
        output: "price".into(),
        of: format!("{} test rows", report::whole(rows)),
        predicted,
        actual,
    }
}

fn importance() -> Vec<Importance> {
    let mut next = noise(5);
    (0..64)
        .map(|i| Importance {
            feature: format!("pixel_{}_{}", i / 8, i % 8),
            group_norm: 2.0 * next(),
            permutation: Some(Permutation {
                mean: 0.12 * next().powi(3) - 0.004,
                spread: 0.002 + 0.01 * next(),
            }),
        })
        .collect()
}

/// Real digits with made-up mistakes.
fn mistakes() -> Result<Vec<Mistake>, Box<dyn std::error::Error>> {
    let digits = cronos_data::read("digits", &cronos_data::ReadOptions::default())?.train;
    let mistake = |i: usize| Mistake {
        pixels: digits.features.row(i * 7).to_vec(),
        width: 8,
        height: 8,
        channels: 1,
        truth: (i % 10).to_string(),
        predicted: ((i + 1 + i / 10) % 10).to_string(),
    };
    Ok((0..60).map(mistake).collect())
}

fn file(name: &str, about: &str, beside: bool) -> FileNote {
    FileNote {
        name: name.into(),
        about: about.into(),
        beside,
    }
}

/// Names that would break a page that does not escape them, numbers that are
/// none, and too much of everything.
fn hostile() -> Report {
    let evil = "<script>alert('x')</script>\"&amp; </svg></style>";
    let long = "a_column_name_without_any_place_to_break_it_that_goes_on_and_on";
    let name = |i: usize| match i % 4 {
        0 => format!("{evil} {i}"),
        1 => format!("{long}_{i}"),
        2 => format!("شمال 北 {i}"),
        _ => i.to_string(),
    };
    let mut convergence = convergence(20_000);
    convergence[0].objective = 1e12;
    convergence[5].lower_bound = f64::NEG_INFINITY;
    convergence[700].objective = f64::NAN;
    convergence[701].gap = f64::INFINITY;
    convergence[702].gap = 0.0;
    let mut path = path();
    path[3].validation_score = f64::NAN;
    path[4].beta = 0.0;
    path[5].spread = f64::INFINITY;
    let mut importance = importance();
    for (i, feature) in importance.iter_mut().enumerate() {
        feature.feature = name(i);
    }
    importance[2].group_norm = f64::NAN;
    importance[3].permutation = None;
    let image = |i: usize| Mistake {
        pixels: (0..200 * 150 * 3)
            .map(|p| ((p * (i + 3)) % 251) as f64)
            .collect(),
        width: 200,
        height: 150,
        channels: 3,
        truth: name(i),
        predicted: name(i + 1),
    };
    Report {
        title: format!("{evil} {long}"),
        task: evil.into(),
        outcome: format!("{evil} {long}"),
        headline: vec![Figure {
            label: evil.into(),
            value: "1,234,567,890,123".into(),
            note: long.into(),
        }],
        summary: vec![(evil.into(), long.into())],
        chosen: vec![Choice {
            what: long.into(),
            value: evil.into(),
            why: evil.into(),
        }],
        tolerance: Some(1e-9),
        convergence,
        path,
        rounds: vec![RoundPoint {
            round: 1,
            network_objective: -1.5e-7,
            neurons: 0,
        }],
        confusion: Some(confusion((0..45).map(name).collect())),
        residuals: vec![residuals(100_000, 1e9), residuals(1, 1e-9)],
        importance,
        mistakes: (0..60).map(image).collect(),
        command: Some(format!("cronos fit '{evil}' {long}{long}")),
        files: vec![file(evil, evil, true), file(long, long, false)],
        ..Report::default()
    }
}

/// Nearly nothing, and classes with long names.
fn bare() -> Report {
    let names = [
        "Iris-setosa",
        "Iris-versicolor",
        "a name of many words that is long",
    ];
    Report {
        title: "bare".into(),
        task: "Classification".into(),
        confusion: Some(confusion(names.map(str::to_owned).to_vec())),
        ..Report::default()
    }
}
