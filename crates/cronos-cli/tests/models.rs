//! Models that were saved: predict, eval, inspect and export.

mod shell;

use serde_json::{Value, json};
use shell::tables::{Data, corners, surface};
use shell::{Folder, number};

const FIT: &str = "--gates 8 --tolerance 0.05 --max-iterations 300 --out m.safetensors";

/// 150 rows, the last 50 of them for the test, and a model of the others.
fn with_model() -> (Folder, Data, Value) {
    let folder = Folder::new();
    let data = corners(150, 3);
    folder.put("d.csv", data.part(0..100).csv());
    folder.put("t.csv", data.part(100..150).csv());
    let report = folder.json(&format!("fit d.csv --test t.csv --json {FIT}"));
    (folder, data, report)
}

fn rows(text: &str) -> Vec<&str> {
    text.lines().skip(1).collect()
}

#[test]
fn predictions_name_the_classes() {
    let (folder, data, report) = with_model();
    assert_eq!(report["model"], "m.safetensors");
    let text = folder.print("predict m.safetensors t.csv");
    assert_eq!(text.lines().next(), Some("prediction,decision"));
    let lines = rows(&text);
    assert_eq!(lines.len(), 50);
    let mut right = 0;
    for (line, &class) in lines.iter().zip(&data.classes[100..]) {
        let (label, decision) = line.split_once(',').unwrap();
        let decision: f64 = decision.parse().unwrap();
        assert_eq!(label, if decision >= 0.0 { "yes" } else { "no" });
        right += usize::from(label == ["no", "yes"][class]);
    }
    assert_eq!(right as f64 / 50.0, number(&report, "/test/accuracy"));
    assert_eq!(folder.print("predict m.safetensors t.csv --out p.csv"), "");
    assert_eq!(folder.text("p.csv"), text);
    folder.refused(2, "predict m.safetensors t.csv --out p.csv");
    folder.print("predict m.safetensors d.csv --out p.csv --force");
    assert_eq!(folder.text("p.csv").lines().count(), 101);
    let json = folder.json("predict m.safetensors t.csv --json");
    for (i, line) in lines.iter().enumerate() {
        let label = json["labels"][i].as_str().unwrap();
        let decision = json["decisions"][i][0].as_f64().unwrap();
        assert_eq!(*line, format!("{label},{decision}"));
    }
}

#[test]
fn several_classes_have_a_decision_each() {
    let folder = Folder::new();
    folder.print("fit digits --gates 8 --max-iterations 5 --out m.safetensors");
    let text = folder.print("predict m.safetensors digits");
    let names: Vec<String> = (0..10).map(|class| format!("decision_{class}")).collect();
    let header = format!("prediction,{}", names.join(","));
    assert_eq!(text.lines().next(), Some(header.as_str()));
    assert_eq!(text.lines().count(), 1798);
    for line in rows(&text) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let best = cells[1..].iter().cloned().fold(f64::MIN, f64::max);
        assert_eq!(cells[1 + cells[0] as usize], best);
    }
}

#[test]
fn a_prediction_does_not_depend_on_its_batch() {
    let (folder, data, _) = with_model();
    folder.put("all.csv", data.csv());
    let all = folder.print("predict m.safetensors all.csv");
    let all = rows(&all);
    for (size, places) in [(1, vec![0, 1, 63, 64, 149]), (7, vec![0, 60, 128, 143])] {
        for start in places {
            folder.put("part.csv", data.part(start..start + size).csv());
            let part = folder.print("predict m.safetensors part.csv");
            assert_eq!(rows(&part), all[start..start + size], "rows from {start}");
        }
    }
}

#[test]
fn columns_are_found_by_name() {
    let (folder, data, _) = with_model();
    let expected = folder.print("predict m.safetensors t.csv");
    let (mut shuffled, mut unnamed, mut gaps) = (
        String::from("a2,note,a0,a1\n"),
        String::new(),
        String::from("a0,a1,a2,class\n"),
    );
    for row in &data.rows[100..] {
        shuffled.push_str(&format!("{},some text,{},{}\n", row[2], row[0], row[1]));
        unnamed.push_str(&format!("{},{},{}\n", row[0], row[1], row[2]));
        gaps.push_str(&format!("{},{},{},\n", row[0], row[1], row[2]));
    }
    // without a name, and with the class still to be found out
    for (name, content) in [("s.csv", shuffled), ("u.csv", unnamed), ("g.csv", gaps)] {
        folder.put(name, content);
        let line = format!("predict m.safetensors {name}");
        assert_eq!(folder.print(&line), expected, "{name}");
    }
    folder.put("last.npy", data.part(100..150).npy_with_class());
    folder.put("plain.npy", data.part(100..150).npy());
    assert_eq!(folder.print("predict m.safetensors last.npy"), expected);
    assert_eq!(folder.print("predict m.safetensors plain.npy"), expected);
}

#[test]
fn eval_counts_like_fit() {
    let (folder, _, report) = with_model();
    let eval = folder.json("eval m.safetensors t.csv --json");
    assert_eq!(eval["accuracy"], report["test"]["accuracy"]);
    assert_eq!(
        (&eval["rows"], &eval["classes"]),
        (&json!(50), &json!(["no", "yes"]))
    );
    let count = |i: usize, j: usize| eval["confusion"][i][j].as_u64().unwrap();
    assert_eq!(count(0, 0) + count(0, 1) + count(1, 0) + count(1, 1), 50);
    let right = (count(0, 0) + count(1, 1)) as f64 / 50.0;
    assert_eq!(right, number(&eval, "/accuracy"));
    let text = folder.print("eval m.safetensors t.csv");
    let accuracy = format!("accuracy {:.2} % of 50 rows", 100.0 * right);
    assert_eq!(text.lines().next(), Some(accuracy.as_str()));
    assert_eq!(text.lines().count(), 5, "{text}");
}

#[test]
fn regression_predicts_numbers() {
    let folder = Folder::new();
    folder.put("d.csv", surface(80));
    let report = folder.json(&format!("fit d.csv --holdout 0 --json {FIT}"));
    let text = folder.print("predict m.safetensors d.csv");
    assert_eq!(text.lines().next(), Some("prediction"));
    assert_eq!(rows(&text).len(), 80);
    for line in rows(&text) {
        let value: f64 = line.parse().unwrap();
        assert!((7.0..17.0).contains(&value), "{value}");
    }
    let eval = folder.json("eval m.safetensors d.csv --json");
    assert_eq!(eval, report["train"]);
    let json = folder.json("predict m.safetensors d.csv --json");
    assert_eq!(json["labels"], Value::Null);
}

#[test]
fn models_and_data_are_described() {
    let (folder, _, report) = with_model();
    let model = folder.json("inspect m.safetensors --json");
    assert_eq!(
        (&model["kind"], &model["features"]),
        (&json!("model"), &json!(3))
    );
    assert_eq!(model["classes"], json!(["no", "yes"]));
    assert_eq!(model["test_score"], report["test"]["accuracy"]);
    for key in [
        "objective",
        "gap",
        "beta",
        "iterations",
        "neurons",
        "gates",
        "status",
        "seed",
    ] {
        assert_eq!(model[key], report[key], "{key}");
    }
    let text = folder.print("inspect m.safetensors");
    assert!(text.contains("\nfeatures            3\n"), "{text}");
    assert!(text.contains("\nclasses             no, yes\n"), "{text}");
    folder.put("m.bin", folder.bytes("m.safetensors"));
    assert_eq!(folder.json("inspect m.bin --json"), model);
    folder.put("small.csv", "a,b,class\n1,5,no\n,5,yes\n3,5,no\n4,5,no\n");
    let data = folder.json("inspect small.csv --json");
    for (key, value) in [
        ("kind", json!("data")),
        ("rows", json!(4)),
        ("features", json!(2)),
        ("target", json!("class")),
        ("task", json!("classification")),
        ("rows_per_class", json!({"no": 3, "yes": 1})),
        ("missing_values", json!(1)),
        ("constant_features", json!(1)),
    ] {
        assert_eq!(data[key], value, "{key}");
    }
    let text = folder.print("inspect small.csv");
    assert!(
        text.contains("\nrows per class      no: 3, yes: 1\n"),
        "{text}"
    );
    folder.put("one.csv", "a,class\n1,no\n2,no\n");
    let one = folder.json("inspect one.csv --json");
    assert_eq!(one["rows_per_class"], json!({"no": 2}));
}

#[test]
fn onnx_is_written_once() {
    let (folder, ..) = with_model();
    let line = "export m.safetensors --onnx m.onnx";
    let ended = folder.run(line);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""));
    assert!(
        ended.stderr.starts_with("wrote m.onnx: 3 raw features in"),
        "{}",
        ended.stderr
    );
    let bytes = folder.bytes("m.onnx");
    assert!(bytes.len() > 100);
    assert_eq!(
        folder.refused(2, line),
        "m.onnx exists; pass --force to overwrite it"
    );
    folder.put("m.onnx", "old");
    assert_eq!(folder.run(&format!("{line} --force")).code, Some(0));
    assert_eq!(folder.bytes("m.onnx"), bytes);
}

#[test]
fn grouped_classes_are_scored_by_the_labels_of_the_data() {
    let folder = Folder::new();
    let fit = "fit digits --positive 1,3 --holdout 0 --gates 8 --max-iterations 30 --json";
    let report = folder.json(&format!("{fit} --out m.safetensors"));
    let score = folder.json("eval m.safetensors digits --json");
    assert_eq!(score["accuracy"], report["train"]["accuracy"]);
    assert_eq!(score["classes"], json!(["0|2|4|5|6|7|8|9", "1|3"]));
}

#[test]
fn formats_with_labels_of_their_own_are_scored() {
    let folder = Folder::new();
    let data = corners(60, 3);
    folder.put("d.svm", data.svm());
    let report = folder.json(&format!("fit d.svm --holdout 0 --json {FIT}"));
    let score = folder.json("eval m.safetensors d.svm --json");
    assert_eq!(score["accuracy"], report["train"]["accuracy"]);
    // the last rows have no value for the last feature
    let short = data.svm() + "1 1:0.5\n0\n";
    folder.put("short.svm", short);
    let text = folder.print("predict m.safetensors short.svm");
    assert_eq!(rows(&text).len(), 62);
    let all = folder.print("predict m.safetensors d.svm");
    assert_eq!(rows(&text)[..60], rows(&all));
    folder.put("wide.svm", "1 4:0.5\n");
    let sentence = folder.refused(3, "predict m.safetensors wide.svm");
    assert!(
        sentence.starts_with("wide.svm: line 1: index 4 is beyond"),
        "{sentence}"
    );

    let images: Vec<u8> = data
        .rows
        .iter()
        .flatten()
        .map(|value| (value * 100.0 + 100.0) as u8)
        .collect();
    let labels: Vec<u8> = data.classes.iter().map(|&class| class as u8).collect();
    let file = |head: &[u8], bytes: &[u8]| [head, bytes].concat();
    folder.put(
        "train-images-idx3-ubyte",
        file(&[0, 0, 8, 3, 0, 0, 0, 60, 0, 0, 0, 1, 0, 0, 0, 3], &images),
    );
    folder.put(
        "train-labels-idx1-ubyte",
        file(&[0, 0, 8, 1, 0, 0, 0, 60], &labels),
    );
    let line = format!("fit train-images-idx3-ubyte --holdout 0 --json --force {FIT}");
    let report = folder.json(&line);
    let score = folder.json("eval m.safetensors train-images-idx3-ubyte --json");
    assert_eq!(score["accuracy"], report["train"]["accuracy"]);

    let batch: Vec<u8> = (0..20u8)
        .flat_map(|row| [vec![row % 2], vec![100 * (row % 2) + row; 3072]].concat())
        .collect();
    folder.put("data_batch_1.bin", batch);
    let line = format!("fit data_batch_1.bin --holdout 0 --json --force {FIT}");
    assert_eq!(folder.json(&line)["data"]["features"], 3072);
    let score = folder.json("eval m.safetensors data_batch_1.bin --json");
    assert_eq!(
        score,
        json!({"accuracy": 1.0, "rows": 20, "confusion": [[10, 0], [0, 10]], "classes": ["0", "1"]})
    );
}
