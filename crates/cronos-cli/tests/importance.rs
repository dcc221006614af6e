//! How much features matter: `inspect` and `fit --report`.

mod shell;

use serde_json::{Value, json};
use shell::{Folder, number};

/// 300 rows: a number and a code that decide, noise, and a column that never changes.
fn table() -> String {
    let effect = [2.0, -1.7, 1.3, -2.1];
    let mut text = String::from("id,noise,code,size,same,class\n");
    for i in 0..300usize {
        let wave = |step: f64| (i as f64 * step).fract() * 2.0 - 1.0;
        let (noise, size) = (wave(0.618_034), 3000.0 * wave(0.414_214));
        let code = (i * 7 + i / 5) % 4;
        let class = size / 1000.0 + effect[code] > 0.0;
        text.push_str(&format!("{i},{noise},{code},{size},5,{class}\n"));
    }
    text
}

fn with_model() -> (Folder, Value) {
    let folder = Folder::new();
    folder.put("d.csv", table());
    let line = "fit d.csv --drop id --fast --json --report out --out m.safetensors";
    let report = folder.json(line);
    (folder, report)
}

/// The names of the features, the largest number at `path` first.
fn ranked(report: &Value, path: &str) -> Vec<String> {
    let mut features = report["importance"].as_array().unwrap().clone();
    features.sort_by(|a, b| number(b, path).total_cmp(&number(a, path)));
    let name = |feature: &Value| feature["feature"].as_str().unwrap().to_owned();
    features.iter().map(name).collect()
}

fn of<'a>(report: &'a Value, name: &str) -> &'a Value {
    let mut features = report["importance"].as_array().unwrap().iter();
    features.find(|f| f["feature"] == name).unwrap()
}

#[test]
fn what_decides_comes_before_noise() {
    let (folder, report) = with_model();
    assert!(number(&report, "/test/accuracy") > 0.9);
    assert_eq!(report["shuffled"]["of"], "test rows");
    assert_eq!(report["shuffled"]["rows"], report["test"]["rows"]);
    assert_eq!(report["shuffled"]["score"], report["test"]["accuracy"]);
    let shares = report["importance"].as_array().unwrap().iter();
    let total: f64 = shares.map(|feature| number(feature, "/group_norm")).sum();
    assert!((total - 1.0).abs() < 1e-9, "{total}");
    for path in ["/permutation/mean", "/group_norm"] {
        let mut best = ranked(&report, path);
        best[..2].sort();
        assert_eq!(best[..3], ["code", "size", "noise"], "{path}");
    }
    assert!(number(of(&report, "size"), "/permutation/mean") > 0.1);
    assert!(number(of(&report, "code"), "/permutation/mean") > 0.1);
    assert!(number(of(&report, "noise"), "/permutation/mean").abs() < 0.05);
    assert_eq!(
        of(&report, "same"),
        &json!({"feature": "same", "group_norm": 0.0, "permutation": {"mean": 0.0, "spread": 0.0}})
    );
    let saved: Value = serde_json::from_str(&folder.text("out/report.json")).unwrap();
    assert_eq!(saved["importance"], report["importance"]);
    let page = folder.text("out/index.html");
    let (_, section) = page.split_once("<section id=\"importance\"").unwrap();
    let place = |name: &str| section.find(&format!(">{name}</th>")).unwrap();
    assert!(place("size").max(place("code")) < place("noise"));
    assert!(section.contains("90 test rows, 5 times"));
}

#[test]
fn a_model_tells_what_it_reads() {
    let (folder, report) = with_model();
    let model = folder.json("inspect m.safetensors --json");
    assert_eq!(model["shuffled"], Value::Null);
    assert_eq!(model["unused_features"], json!(["same"]));
    assert_eq!(model["left_out"], json!(["id"]));
    for (feature, other) in (model["importance"].as_array().unwrap().iter())
        .zip(report["importance"].as_array().unwrap())
    {
        assert_eq!(feature["group_norm"], other["group_norm"]);
        assert_eq!(feature["permutation"], Value::Null);
    }
    let text = folder.print("inspect m.safetensors");
    assert!(text.contains("\nunused features     1: same\n"), "{text}");
    let (_, table) = text.split_once("\nimportance of features\n").unwrap();
    assert_eq!(table.lines().count(), 6, "{text}");
    assert!(!table.contains("shuffled"), "{text}");

    let measured = folder.json("inspect m.safetensors --data d.csv --json");
    assert_eq!(measured["shuffled"]["of"], "rows of d");
    assert_eq!(measured["shuffled"]["rows"], 300);
    let eval = folder.json("eval m.safetensors d.csv --json");
    assert_eq!(measured["shuffled"]["score"], eval["accuracy"]);
    assert_eq!(ranked(&measured, "/permutation/mean")[2], "noise");
    assert_eq!(
        folder.json("inspect m.safetensors --data d.csv --json"),
        measured
    );
    let text = folder.print("inspect m.safetensors --data d.csv");
    let (_, table) = text.split_once("\nimportance of features\n").unwrap();
    let first = table.lines().nth(1).unwrap().split_whitespace().next();
    assert_eq!(
        first,
        Some(ranked(&measured, "/permutation/mean")[0].as_str())
    );
    assert!(table.contains("5 times on 300 rows of d"), "{text}");
}

#[test]
fn fixed_gates_tell_how_many_neurons_there_could_be() {
    let folder = Folder::new();
    folder.put("d.csv", table());
    for (activation, most) in [("relu", 16), ("gated", 8)] {
        let line = "fit d.csv --drop id --gates 8 --max-iterations 40 --force --out m.safetensors";
        folder.print(&format!("{line} --activation {activation}"));
        let model = folder.json("inspect m.safetensors --json");
        assert_eq!(
            (&model["gates"], &model["most_neurons"]),
            (&json!(8), &json!(most))
        );
        let neurons = number(&model, "/neurons");
        let text = folder.print("inspect m.safetensors");
        let line = format!("\nneurons             {neurons} of at most {most}\n");
        assert!(text.contains(&line), "{text}");
    }
}

#[test]
fn shuffling_needs_a_model_and_its_target() {
    let folder = Folder::new();
    folder.put("d.csv", table());
    folder.put("x.csv", "noise,code,size,same\n1,2,3,4\n");
    let fit = "fit d.csv --drop id --gates 4 --max-iterations 20 --out m.safetensors";
    folder.print(fit);
    assert_eq!(
        folder.refused(2, "inspect d.csv --data d.csv"),
        "--data is for a model, and d.csv is none"
    );
    let line = "inspect m.safetensors --data x.csv";
    assert_eq!(
        folder.refused(3, line),
        folder.refused(3, "eval m.safetensors x.csv")
    );
}
