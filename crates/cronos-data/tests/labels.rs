//! Classes and numbers from targets.

use cronos_data::labels::{Labels, encode, encode_as, group_positive, infer_task, numbers};
use cronos_data::{Target, Task};

fn text(values: &[&str]) -> Target {
    Target::Text(values.iter().map(|v| v.to_string()).collect())
}

fn number(values: &[f64]) -> Target {
    Target::Numbers {
        columns: 1,
        values: values.to_vec(),
    }
}

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|v| v.to_string()).collect()
}

#[test]
fn the_task_follows_from_the_target() {
    assert_eq!(infer_task(&text(&["a", "b"])), Task::Classification);
    assert_eq!(
        infer_task(&number(&[0.0, 1.0, 1.0, 0.0])),
        Task::Classification
    );
    assert_eq!(infer_task(&number(&[0.0, 1.0, 2.0, 0.0])), Task::Regression);
    assert_eq!(infer_task(&number(&[0.5, 1.0, 0.5, 1.0])), Task::Regression);
    assert_eq!(
        infer_task(&number(&[-0.0, 0.0, 1.0, 1.0])),
        Task::Classification
    );
    let cycle = |distinct: usize| -> Vec<f64> { (0..500).map(|i| (i % distinct) as f64).collect() };
    assert_eq!(infer_task(&number(&cycle(50))), Task::Classification);
    assert_eq!(infer_task(&number(&cycle(51))), Task::Regression);
    let two = Target::Numbers {
        columns: 2,
        values: vec![0.0; 8],
    };
    assert_eq!(infer_task(&two), Task::Regression);
}

#[test]
fn classes_are_sorted_as_numbers_or_as_text() {
    let labels = encode(&number(&[10.0, 9.0, -1.0, 2.5, 9.0])).unwrap();
    assert_eq!(labels.classes, ["-1", "2.5", "9", "10"]);
    assert_eq!(labels.indices, [3, 2, 0, 1, 2]);
    let labels = encode(&text(&["10", "9", "9"])).unwrap();
    assert_eq!(labels.classes, ["9", "10"]);
    let labels = encode(&text(&["10", "9", "b"])).unwrap();
    assert_eq!(labels.classes, ["10", "9", "b"]);
    assert_eq!(
        encode(&number(&[0.0, -0.0, 1.0])).unwrap().classes,
        ["0", "1"]
    );
}

#[test]
fn one_class_only_is_refused() {
    let message = encode(&text(&["a", "a"])).unwrap_err().to_string();
    assert!(message.contains("only one class, \"a\","), "{message}");
    assert!(
        encode(&text(&[]))
            .unwrap_err()
            .to_string()
            .contains("no rows")
    );
    let message = encode(&number(&[1.0, f64::NAN])).unwrap_err().to_string();
    assert!(message.contains("row 2 is NaN"), "{message}");
    let two = Target::Numbers {
        columns: 2,
        values: vec![0.0, 1.0],
    };
    assert!(encode(&two).unwrap_err().to_string().contains("2 columns"));
}

#[test]
fn known_classes_are_looked_up() {
    let classes = strings(&["1", "2", "x"]);
    assert_eq!(encode_as(&text(&["x", "1"]), &classes).unwrap(), [2, 0]);
    assert_eq!(encode_as(&number(&[2.0, 1.0]), &classes).unwrap(), [1, 0]);
    assert_eq!(encode_as(&text(&["02", "1.0"]), &classes).unwrap(), [1, 0]);
    let error = encode_as(&text(&["x", "q"]), &classes).unwrap_err();
    assert!(error.is_input());
    let message = error.to_string();
    assert!(message.contains("row 2 is \"q\""), "{message}");
    assert!(message.contains("\"1\", \"2\", \"x\""), "{message}");
}

#[test]
fn regression_needs_numbers() {
    assert_eq!(numbers(&number(&[1.5, 2.0])).unwrap(), (1, vec![1.5, 2.0]));
    assert_eq!(numbers(&text(&["1.5", "2"])).unwrap(), (1, vec![1.5, 2.0]));
    let two = Target::Numbers {
        columns: 2,
        values: vec![0.0, 1.0],
    };
    assert_eq!(two.len(), 1);
    assert_eq!(numbers(&two).unwrap(), (2, vec![0.0, 1.0]));
    let message = numbers(&text(&["1", "cat"])).unwrap_err().to_string();
    assert!(
        message.contains("row 2 is \"cat\", not a number"),
        "{message}"
    );
}

#[test]
fn classes_are_grouped_into_two() {
    let labels = encode(&text(&["a", "b", "c", "a"])).unwrap();
    let grouped = group_positive(&labels, &strings(&["c", "a"])).unwrap();
    let expected = Labels {
        classes: strings(&["b", "a|c"]),
        indices: vec![1, 0, 1, 1],
    };
    assert_eq!(grouped, expected);
    let long = "z".repeat(20);
    let labels = encode(&text(&["a", &long, &format!("{long}2")])).unwrap();
    let grouped = group_positive(&labels, &strings(&["a"])).unwrap();
    assert_eq!(grouped.classes, ["rest", "a"]);

    let message = group_positive(&labels, &strings(&["q"]))
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("no class \"q\"; the classes are \"a\""),
        "{message}"
    );
    assert!(group_positive(&labels, &[]).is_err());
    assert!(group_positive(&labels, &labels.classes).is_err());
}
