//! Classes and numbers from targets.

mod sample;

use cronos_data::labels::{Labels, chosen, encode, encode_as, group_positive, infer_task, numbers};
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
    assert!(
        message.contains("row 2 of the target: NaN is not a class"),
        "{message}"
    );
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
    assert!(
        message.contains("row 2 of the target: \"q\" is not among"),
        "{message}"
    );
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
        message.contains("row 2 of the target: \"cat\" is not a number"),
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

#[test]
fn classes_are_chosen_whole_or_from_a_list() {
    let classes = strings(&["1", "2", "a,b", "say \"hi\", Joe"]);
    let named = |lists: &[&str]| chosen(&strings(lists), &classes);
    assert_eq!(named(&["1,2"]).unwrap(), ["1", "2"]);
    assert_eq!(named(&["2.0", " 1 "]).unwrap(), ["2", "1"]);
    assert_eq!(named(&["a,b", "2"]).unwrap(), ["a,b", "2"]);
    assert_eq!(named(&["\"a,b\",2"]).unwrap(), ["a,b", "2"]);
    let joe = ["\"say \"\"hi\"\", Joe\""];
    assert_eq!(named(&joe).unwrap(), ["say \"hi\", Joe"]);
    assert_eq!(named(&["say \"hi\", Joe"]).unwrap(), ["say \"hi\", Joe"]);
    let message = named(&["a"]).unwrap_err().to_string();
    assert!(message.starts_with("there is no class \"a\"; the classes are \"1\""));
    assert!(named(&[","]).is_err());
    assert!(named(&["\"a,b"]).is_err());
}

#[test]
fn a_data_set_says_where_its_target_is_wrong() {
    let folder = sample::Folder::new();
    let plain = cronos_data::ReadOptions::default();
    let read = |path: &str, options: &cronos_data::ReadOptions| sample::loaded(path, options);
    let path = folder.put("t.csv", "a,kind\n1,x\n\n2,\"p\nq\"\n3,y\n");
    let data = read(&path, &plain);
    let known = strings(&["x", "p\nq"]);
    let said = |error: cronos_data::DataError| error.to_string();
    let start = format!("{path}: line 6, column \"kind\": \"y\" is not among the known classes");
    assert!(said(data.labels_as(&known).unwrap_err()).starts_with(&start));
    // The place stays with the row.
    let last = data.select(&[2, 0]);
    assert!(said(last.labels_as(&known).unwrap_err()).starts_with(&start));
    let start = format!("{path}: line 2, column \"kind\": \"x\" is not a number");
    assert!(said(data.numbers().unwrap_err()).starts_with(&start));
    let start = format!("{path}: column \"kind\", the target, has only one class, \"x\"");
    assert!(said(data.select(&[0, 0]).labels().unwrap_err()).starts_with(&start));

    let y = folder.put("y.npy", sample::npy("|u1", false, "(3,)", &[1, 1, 2]));
    let alone = folder.put("x.csv", "a,b\n1,2\n3,4\n5,6\n");
    let data = read(&alone, &sample::target(&y));
    let start = format!("{y}: row 3: \"2\" is not among the known classes \"1\"");
    let known = strings(&["1"]);
    assert!(said(data.labels_as(&known).unwrap_err()).starts_with(&start));
    let start = format!("{y}: the target has only one class, \"1\"");
    assert!(said(data.select(&[0, 1]).labels().unwrap_err()).starts_with(&start));

    let x = sample::npy("|u1", false, "(2, 2)", &[1, 3, 1, 3]);
    let path = folder.put("a.npy", x.clone());
    let start = format!("{path}: column 1 (counting from 0), the target, has only one class");
    assert!(said(read(&path, &plain).labels().unwrap_err()).starts_with(&start));
    let y = sample::npy("|u1", false, "(2,)", &[1, 2]);
    let path = folder.put("a.npz", sample::npz(&[("X", x), ("y", y)]));
    let start = format!("{path}, array \"y\": row 2: \"2\" is not among");
    let data = read(&path, &plain);
    assert!(said(data.labels_as(&known).unwrap_err()).starts_with(&start));
    let data = read(&path, &sample::absent());
    assert!(said(data.labels().unwrap_err()).contains("has no target"));
}
