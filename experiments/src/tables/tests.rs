//! Tests of the parts together, on tables and records made by hand.

use super::collection::{Table, tables};
use super::learner::{Learner, Outcome};
use super::record::{Record, file, measured};
use super::split::{Split, prepare};
use super::{ReportOptions, report};
use crate::records;
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;

/// A table of 40 rows: `a` counts them, `b` lacks every second value, and the
/// target comes first, with 30 rows of class 0, nine of class 1 and one of class 7.
fn small_table(folder: &Path) -> Table {
    let mut text = String::from("target\ta\tb\n");
    for row in 0..40 {
        let class = match row {
            0 => 7,
            1..10 => 1,
            _ => 0,
        };
        match row % 2 {
            0 => text += &format!("{class}\t{row}\tNA\n"),
            _ => text += &format!("{class}\t{row}\t{}\n", row as f64 / 8.0),
        }
    }
    let packed = fs::File::create(folder.join("small.tsv.gz")).unwrap();
    let mut packed = GzEncoder::new(packed, Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap();
    fs::write(folder.join("index.json"), r#"[["small", 40, 2, 3]]"#).unwrap();
    tables(folder).unwrap().remove(0)
}

/// The numbers of a csv file, row after row, without its header.
fn rows(path: &Path) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text.lines().next(), Some("a,b,target"));
    text.lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect()
}

#[test]
fn a_split_is_written_once_and_imputed_from_its_training_rows() {
    let folder = tempfile::tempdir().unwrap();
    let table = small_table(folder.path());
    let split = prepare(&table, 3, folder.path()).unwrap();
    assert_eq!((split.train_rows, split.test_rows), (28, 12));
    assert_eq!((split.features, split.classes), (2, 3));
    let (train, test) = (rows(&split.train()), rows(&split.test()));
    assert_eq!((train.len(), test.len()), (28, 12));
    let mut seen: Vec<f64> = train.iter().chain(&test).map(|row| row[0]).collect();
    seen.sort_by(f64::total_cmp);
    assert!(seen.iter().enumerate().all(|(row, &a)| a == row as f64));
    assert!(
        train.contains(&vec![0.0, train[0][1], 7.0]),
        "the only row of class 7 trains"
    );
    let mut known: Vec<f64> = train
        .iter()
        .filter(|row| row[0] % 2.0 == 1.0)
        .map(|row| row[1])
        .collect();
    known.sort_by(f64::total_cmp);
    let half = known.len() / 2;
    let median = (known[(known.len() - 1) / 2] + known[half]) / 2.0;
    for row in train.iter().chain(&test) {
        let expected = if row[0] % 2.0 == 1.0 {
            row[0] / 8.0
        } else {
            median
        };
        assert_eq!(row[1], expected);
    }
    // the second time it is read, not made
    fs::remove_file(&table.path).unwrap();
    assert_eq!(prepare(&table, 3, folder.path()), Ok(split));
    assert!(prepare(&table, 4, folder.path()).is_err());
}

#[test]
fn a_split_that_was_cut_off_is_made_again_with_the_same_content() {
    let folder = tempfile::tempdir().unwrap();
    let table = small_table(folder.path());
    let split = prepare(&table, 0, folder.path()).unwrap();
    let before = fs::read(split.train()).unwrap();
    fs::remove_file(split.folder.join("split.json")).unwrap();
    fs::write(split.train(), "a,b").unwrap();
    assert_eq!(prepare(&table, 0, folder.path()), Ok(split.clone()));
    assert_eq!(fs::read(split.train()).unwrap(), before);
}

#[test]
fn a_table_that_the_index_describes_wrongly_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    small_table(folder.path());
    fs::write(folder.path().join("index.json"), r#"[["small", 41, 2, 3]]"#).unwrap();
    let table = tables(folder.path()).unwrap().remove(0);
    let error = prepare(&table, 0, folder.path()).unwrap_err();
    assert!(error.contains("index says 41"), "{error}");
}

/// Adds a record; `accuracy` is an error if it is `None`.
fn add(results: &Path, learner: Learner, table: &str, seed: u64, accuracy: Option<f64>) {
    let outcome = accuracy
        .ok_or("it broke".to_owned())
        .map(|accuracy| Outcome {
            accuracy,
            seconds: 1.0 + seed as f64,
            details: json!({ "status": "solved" }),
            versions: serde_json::Map::new(),
        });
    let split = Split {
        train_rows: 7,
        test_rows: 3,
        features: 2,
        classes: 2,
        fingerprint: format!("{table}{seed}"),
        folder: results.into(),
    };
    let record = Record::new(table, seed, learner, Some(split), outcome, "abc");
    records::append(&file(results, learner), &record).unwrap();
}

#[test]
fn a_run_goes_on_with_what_failed_or_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path();
    let path = file(results, Learner::Svc);
    add(results, Learner::Svc, "a", 0, Some(0.5));
    add(results, Learner::Svc, "b", 0, None);
    add(results, Learner::Svc, "c", 0, None);
    add(results, Learner::Svc, "c", 0, Some(1.0));
    add(results, Learner::Svc, "d", 0, Some(1.0));
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 9]).unwrap(); // d was cut off
    let done = measured(&records::read(&path).unwrap());
    let index = r#"[["a", 9, 1, 2], ["b", 9, 1, 2], ["c", 9, 1, 2], ["d", 9, 1, 2]]"#;
    fs::write(results.join("index.json"), index).unwrap();
    let tables = tables(results).unwrap();
    let jobs: Vec<String> = super::run::missing(&tables, 2, &done)
        .map(|(table, seed)| format!("{}{seed}", table.name))
        .collect();
    assert_eq!(jobs, ["b0", "d0", "a1", "b1", "c1", "d1"]);
}

#[test]
fn the_report_covers_what_all_learners_have() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path();
    let options = |learner: &[Learner]| ReportOptions {
        learner: learner.to_vec(),
        results: Some(results.into()),
    };
    assert!(report(&options(&[])).unwrap_err().contains("no records"));
    use Learner::{Cronos, Mlp, Svc};
    for (learner, accuracies) in [
        (Cronos, [Some(0.9), Some(0.7), Some(0.6), Some(1.0)]),
        (Svc, [Some(0.9), Some(0.8), Some(0.5), Some(0.1)]),
        (Mlp, [Some(0.3), Some(0.9), Some(0.6), None]),
    ] {
        let splits = [("x", 0), ("x", 1), ("y", 0), ("z", 0)];
        for ((table, seed), accuracy) in splits.into_iter().zip(accuracies) {
            add(results, learner, table, seed, accuracy);
        }
    }
    let text = report(&options(&[])).unwrap();
    assert!(text.contains("3 splits of 2 tables"), "{text}");
    assert!(text.contains("; 1 more were left out"), "{text}");
    assert!(text.contains("- mlp on z, seed 0: it broke"), "{text}");
    assert!(text.contains("Ends of cronos: solved 3."), "{text}");
    assert_eq!(fs::read_to_string(results.join("report.md")).unwrap(), text);
    // x: means 0.8, 0.85, 0.6 and ranks (1.5, 1.5, 3) and (3, 2, 1); y: ranks 1.5, 3, 1.5
    assert!(
        text.contains("| cronos | 70.00 % | 1.875 | 1 | 1.000 |"),
        "{text}"
    );
    assert!(
        text.contains("| svc | 67.50 % | 2.375 | 1 | 1.000 |"),
        "{text}"
    );
    assert!(
        text.contains("| mlp | 60.00 % | 1.750 | 1 | 1.000 |"),
        "{text}"
    );
    assert!(
        text.contains("| x | 2 | 80.00 | **85.00** | 60.00 |"),
        "{text}"
    );
    assert!(
        text.contains("| y | 1 | **60.00** | 50.00 | **60.00** |"),
        "{text}"
    );
    let json: Value =
        serde_json::from_slice(&fs::read(results.join("report.json")).unwrap()).unwrap();
    assert_eq!(json["learners"][0]["rank"], 1.875);
    assert_eq!(json["failures"][0]["table"], "z");
    // without the learner that failed there are four splits
    let text = report(&options(&[Svc, Cronos])).unwrap();
    assert!(text.contains("4 splits of 3 tables"), "{text}");
    assert!(text.contains("| z | 1 | 10.00 | **100.00** |"), "{text}");
    let error = report(&options(&[Learner::Forest])).unwrap_err();
    assert!(error.contains("run tables --learner forest"), "{error}");
}

#[test]
fn a_report_on_different_rows_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path();
    add(results, Learner::Svc, "a", 0, Some(0.5));
    let text = fs::read_to_string(file(results, Learner::Svc)).unwrap();
    let other = text.replace("\"a0\"", "\"a9\"").replace("svc", "mlp");
    fs::write(file(results, Learner::Mlp), other).unwrap();
    let options = ReportOptions {
        learner: Vec::new(),
        results: Some(results.into()),
    };
    let error = report(&options).unwrap_err();
    assert!(
        error.contains("mlp was trained on other rows of a"),
        "{error}"
    );
}
