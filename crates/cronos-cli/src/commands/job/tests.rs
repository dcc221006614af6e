//! The weights that a job comes with.

use super::Job;
use crate::arguments::{Arguments, Command};
use crate::failure::Failure;
use clap::Parser;

/// Reads the job of `fit t.csv` with the given options, on a table of the given content.
fn job(content: &str, options: &str) -> Result<Job, Failure> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    std::fs::write(&file, content).unwrap();
    let mut arguments = vec!["cronos", "fit", file.to_str().unwrap()];
    arguments.extend(options.split_whitespace());
    match Arguments::parse_from(arguments).command {
        Command::Fit(kept) => Job::read(&kept.fit.source),
        _ => unreachable!(),
    }
}

fn weights(content: &str, options: &str) -> Option<Vec<f64>> {
    job(content, options).unwrap().weights
}

const TABLE: &str = "a,w,y\n5,1,no\n3,2,no\n4,3,no\n7,4,yes\n";

#[test]
fn weights_are_there_when_they_are_asked_for() {
    assert_eq!(weights(TABLE, "--holdout 0"), None);
    let own = weights(TABLE, "--holdout 0 --weight-column w");
    assert_eq!(own, Some(vec![1.0, 2.0, 3.0, 4.0]));
    // four rows, two classes: 4 / (2 · 3) and 4 / (2 · 1)
    let balanced = weights(TABLE, "--holdout 0 --class-weight balanced");
    let third = 2.0 / 3.0;
    assert_eq!(balanced, Some(vec![third, third, third, 2.0]));
    let given = weights(TABLE, "--holdout 0 --class-weight yes=5,no=0.5");
    assert_eq!(given, Some(vec![0.5, 0.5, 0.5, 5.0]));
    let one = weights(TABLE, "--holdout 0 --class-weight yes=5");
    assert_eq!(one, Some(vec![1.0, 1.0, 1.0, 5.0]));
}

#[test]
fn rows_of_some_classes() {
    let text = "a,w,y\n5,1,p\n3,2,q\n4,3,r\n7,4,p\n8,5,q\n";
    let some = job(text, "--holdout 0 --weight-column w --classes q,p").unwrap();
    assert_eq!(some.classes(), ["p", "q"]);
    assert_eq!(some.weights, Some(vec![1.0, 2.0, 4.0, 5.0]));
    assert_eq!(some.train.to_matrix().values(), [5.0, 3.0, 7.0, 8.0]);
    let refused = |options: &str| match job(text, options) {
        Err(Failure::Input(text) | Failure::Usage(text)) => text,
        _ => panic!("{options} is taken"),
    };
    assert!(refused("--classes p,s").contains("\"s\""));
    assert!(refused("--classes p").contains("only one class"));
    assert!(refused("--target a --drop y --task regression --classes 5,3").contains("--classes"));
}

#[test]
fn the_weights_of_rows_and_classes_are_multiplied() {
    let given = weights(TABLE, "--holdout 0 --weight-column w --class-weight no=10");
    assert_eq!(given, Some(vec![10.0, 20.0, 30.0, 4.0]));
    // the total is 10: 10 / (2 · 6) and 10 / (2 · 4)
    let balanced = weights(
        TABLE,
        "--holdout 0 --weight-column w --class-weight balanced",
    );
    let balanced = balanced.unwrap();
    let totals = (balanced[..3].iter().sum::<f64>(), balanced[3]);
    assert!((totals.0 - 5.0).abs() < 1e-12 && (totals.1 - 5.0).abs() < 1e-12);
    assert!((balanced[1] - 2.0 * 10.0 / 12.0).abs() < 1e-12);
}

#[test]
fn weights_follow_their_rows_into_the_training_part() {
    let mut text = String::from("a,w,y\n");
    for row in 0..40 {
        text.push_str(&format!(
            "{},{row},{}\n",
            7 * row % 41,
            ["no", "yes"][row % 2]
        ));
    }
    let kept = job(&text, "--weight-column w").unwrap();
    let weights = kept.weights.unwrap();
    assert_eq!((weights.len(), kept.train.columns()), (28, 1));
    for (row, weight) in weights.iter().enumerate() {
        assert_eq!(kept.train.to_matrix().at(row, 0), 7.0 * weight % 41.0);
    }
    // balanced by the training rows alone
    let balanced = job(&text, "--class-weight balanced").unwrap();
    assert_eq!(balanced.weights, Some(vec![1.0; 28]));
}

#[test]
fn grouped_classes_are_weighted_as_groups() {
    let text = "a,y\n1,p\n2,q\n5,q\n3,r\n";
    let given = weights(text, "--holdout 0 --positive p,q --class-weight p|q=3");
    assert_eq!(given, Some(vec![3.0, 3.0, 3.0, 1.0]));
    let balanced = weights(text, "--holdout 0 --positive p,q --class-weight balanced");
    let third = 2.0 / 3.0;
    assert_eq!(balanced, Some(vec![third, third, third, 2.0]));
}

#[test]
fn training_rows_without_weight_are_refused() {
    // the only row that counts is held out by some seed
    let mut text = String::from("a,w,y\n");
    for row in 0..10 {
        text.push_str(&format!(
            "{},{},{}.5\n",
            row * row,
            usize::from(row == 0),
            row
        ));
    }
    let refused: Vec<String> = (0..20)
        .filter_map(|seed| job(&text, &format!("--weight-column w --seed {seed}")).err())
        .map(|failure| failure.to_string())
        .collect();
    assert!(!refused.is_empty() && refused.len() < 20);
    assert!(
        refused
            .iter()
            .all(|text| text.starts_with("every training row has weight 0"))
    );
}
