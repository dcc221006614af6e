//! Optimizers against each other on a small table.

mod shell;

use serde_json::{Value, json};
use shell::tables::{corners, surface};
use shell::{Folder, number};

const SMALL: &str = "--arch mlp:8 --gates 4 --epochs 2";

fn with_table() -> Folder {
    let folder = Folder::new();
    folder.put("d.csv", corners(120, 3).csv());
    folder
}

fn list<'a>(report: &'a Value, key: &str) -> &'a [Value] {
    report[key].as_array().unwrap()
}

/// A number of every entry.
fn numbers(list: &[Value], path: &str) -> Vec<f64> {
    list.iter().map(|entry| number(entry, path)).collect()
}

fn highest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn every_run_is_reported() {
    let folder = with_table();
    let report = folder.json(&format!(
        "compare d.csv {SMALL} --rates 2 --range 1e-2.5..1e-1 --optimizers shampoo,sgd,dadam \
         --json --csv c.csv --plot p.svg"
    ));
    assert_eq!(report["status"], "done");
    assert_eq!(report["score"], "accuracy");
    assert_eq!(report["epochs"], 2);
    let names: Vec<&Value> = list(&report, "optimizers")
        .iter()
        .map(|o| &o["name"])
        .collect();
    assert_eq!(names, ["cronos-am", "sgd", "shampoo", "dadam"]);
    let rates = list(&report, "rates");
    let drawn: Vec<f64> = rates.iter().map(|rate| rate.as_f64().unwrap()).collect();
    assert!(drawn[0] < drawn[1]);
    assert!(
        drawn
            .iter()
            .all(|rate| (10f64.powf(-2.5)..0.1).contains(rate))
    );
    let mut lines = 1;
    for optimizer in list(&report, "optimizers") {
        let runs = list(optimizer, "runs");
        let used: Vec<&Value> = runs.iter().map(|run| &run["rate"]).collect();
        match optimizer["name"].as_str() {
            Some("sgd" | "shampoo") => assert_eq!(used, rates.iter().collect::<Vec<_>>()),
            _ => assert_eq!(used, [&Value::Null]),
        }
        let peaks = numbers(runs, "/peak");
        for run in runs {
            let history = list(run, "history");
            assert_eq!(history.len(), 3);
            assert_eq!(
                number(run, "/peak"),
                highest(&numbers(history, "/validation"))
            );
            assert_eq!(number(run, "/seconds"), number(&history[2], "/seconds"));
            lines += history.len();
        }
        assert_eq!(number(optimizer, "/highest_peak"), highest(&peaks));
        let best = runs
            .iter()
            .find(|run| run["rate"] == optimizer["best_rate"])
            .unwrap();
        assert_eq!(best["peak"], optimizer["highest_peak"]);
        assert_eq!(best["test"], optimizer["test"]);
        assert_eq!(optimizer["test"]["rows"], 36);
        let seconds: f64 = numbers(runs, "/seconds").iter().sum();
        assert!((number(optimizer, "/seconds") - seconds).abs() < 1e-9);
    }
    let csv = folder.text("c.csv");
    assert_eq!(csv.lines().count(), lines);
    assert!(csv.starts_with("optimizer,rate,epoch,seconds,train,validation,validation_loss\n"));
    let plot = folder.text("p.svg");
    assert!(plot.ends_with("</svg>\n"));
    assert!(
        ["cronos-am", "sgd", "shampoo", "dadam"]
            .iter()
            .all(|name| plot.contains(name))
    );
    // two runs of sgd and of shampoo have a band each
    assert_eq!(plot.matches("<path class=\"band").count(), 2);
}

/// What stands beside the optimizers is what `deep` does.
#[test]
fn the_alternation_is_that_of_deep() {
    let folder = with_table();
    let one = "--optimizers adam --rates 1";
    let compared = folder.json(&format!("compare d.csv {SMALL} {one} --json"));
    let deep = folder.json(&format!("deep d.csv {SMALL} --json"));
    let first = &compared["optimizers"][0];
    assert_eq!(first["test"], deep["test"]);
    assert_eq!(first["runs"][0]["best_epoch"], deep["best_epoch"]);
    let (ours, own) = (list(&first["runs"][0], "history"), list(&deep, "history"));
    for key in ["/train", "/validation", "/validation_loss"] {
        assert_eq!(numbers(ours, key), numbers(own, key));
    }
    let rates = |seed: usize| {
        let line = format!("compare d.csv {SMALL} {one} --seed {seed} --json");
        folder.json(&line)["rates"].clone()
    };
    assert_eq!(rates(0), compared["rates"]);
    assert_ne!(rates(1), compared["rates"]);
}

#[test]
fn rates_that_are_too_large_are_named() {
    let folder = Folder::new();
    folder.put("d.csv", surface(120));
    let line = format!("compare d.csv {SMALL} --rates 1 --range 1e8..1e9 --optimizers sgd");
    let text = folder.print(&line);
    assert!(text.contains("  diverged    sgd at "), "{text}");
    let table: Vec<Vec<&str>> = text
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert!(
        table.iter().any(|line| line.first() == Some(&"cronos-am")),
        "{text}"
    );
    let report = folder.json(&format!("{line} --json"));
    let run = &report["optimizers"][1]["runs"][0];
    assert_eq!(run["diverged"], json!(true));
    assert!(
        run["test"]["r2"].is_number(),
        "the best epoch is kept: {run}"
    );
}

#[test]
fn refusals_say_what_to_do() {
    let folder = with_table();
    for (options, sentence) in [
        (
            "--range 1e-1..1e-3",
            "the first rate must be below the second",
        ),
        ("--range 1e-3", "two dots between them"),
        ("--range 0..1", "a rate must be above 0"),
        (
            "--optimizers sgd,lion",
            "\"lion\" is no optimizer; give all, or some of sgd,adam",
        ),
    ] {
        let ended = folder.run(&format!("compare d.csv {options}"));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(sentence), "{}", ended.stderr);
    }
    let none = folder.refused(2, "compare d.csv --rates 0");
    assert_eq!(none, "rates is 0; it must be at least 1");
    let images = folder.refused(3, "compare d.csv --arch residual");
    assert!(images.contains("needs images"), "{images}");
    let late = folder.refused(1, &format!("compare d.csv {SMALL} --time-limit 1e-9"));
    assert!(late.contains("raise --time-limit"), "{late}");
    folder.put("p.svg", "mine");
    let exists = folder.refused(2, "compare d.csv --plot p.svg");
    assert_eq!(exists, "p.svg exists; pass --force to overwrite it");
    assert_eq!(folder.text("p.svg"), "mine");
}
