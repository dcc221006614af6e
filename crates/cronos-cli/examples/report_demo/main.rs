//! Writes pages of made-up reports, for the check of the page in a browser:
//! `report_demo DIR` writes DIR/full.html, DIR/hostile.html and DIR/bare.html.

#[allow(dead_code, unused_imports)] // the command uses more of it
#[path = "../../src/report/mod.rs"]
mod report;

mod parts;

use parts::*;
use report::{Choice, Figure, Measure, Mistake, PixelMap, Report, RoundPoint};
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
    report.shuffled_on = "539 test rows, 5 times".into();
    report.pixels = Some(PixelMap {
        shares: report.importance.iter().map(|f| f.group_norm).collect(),
        width: 8,
        height: 8,
    });
    Ok(report)
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
