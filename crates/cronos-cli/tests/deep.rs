//! Models with layers in front of their network.

mod shell;

use cronos::stack::{Layer, Shape};
use cronos::{Deep, Matrix, Model, Network, Stack};
use serde_json::{Value, json};
use shell::tables::corners;
use shell::{Folder, number};

/// A model of three features, and the same one behind layers that change nothing: they
/// double each feature, and the network halves its weights.
fn with_models() -> Folder {
    let folder = Folder::new();
    folder.put("d.csv", corners(100, 3).csv());
    let fit = "fit d.csv --gates 8 --max-iterations 300 --out plain.safetensors";
    folder.print(fit);
    let plain = Model::from_bytes(&folder.bytes("plain.safetensors")).unwrap();
    let identity = Layer::Linear {
        weight: Matrix::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 0.0 }),
        bias: None,
    };
    let mut deep = Model {
        stack: Some(Stack {
            input: Shape::list(3),
            layers: vec![Layer::Residual {
                inner: vec![identity],
                shortcut: vec![],
            }],
        }),
        network: Network {
            hidden: Matrix::from_fn(plain.network.neurons(), 3, |i, j| {
                plain.network.hidden.at(i, j) / 2.0
            }),
            ..plain.network.clone()
        },
        ..plain
    };
    deep.training.deep = Some(Deep {
        architecture: "doubled".into(),
        epochs: 7,
        optimizer: "none".into(),
        alternations: 2,
    });
    folder.put("deep.safetensors", deep.to_bytes().unwrap());
    folder
}

#[test]
fn layers_predict_what_the_plain_model_does() {
    let folder = with_models();
    let decisions = |model: &str| -> Vec<f64> {
        let found = folder.json(&format!("predict {model}.safetensors d.csv --json"));
        let rows = found["decisions"].as_array().unwrap().iter();
        rows.map(|row| number(row, "/0")).collect()
    };
    let (plain, deep) = (decisions("plain"), decisions("deep"));
    assert_eq!(plain.len(), 100);
    for (plain, deep) in plain.iter().zip(&deep) {
        assert!((plain - deep).abs() < 1e-5, "{deep}, not {plain}");
    }
    assert_eq!(
        folder.json("eval deep.safetensors d.csv --json"),
        folder.json("eval plain.safetensors d.csv --json")
    );
}

#[test]
fn layers_are_listed() {
    let folder = with_models();
    let report = folder.json("inspect deep.safetensors --json");
    assert_eq!(report["features"], 3);
    assert_eq!(
        report["layers"],
        json!([
            { "path": "0", "layer": "residual", "output": [3, 1, 1], "parameters": 0 },
            { "path": "0.inner.0", "layer": "linear 3 -> 3", "output": [3, 1, 1], "parameters": 9 },
        ])
    );
    let deep = json!({
        "architecture": "doubled", "epochs": 7, "optimizer": "none", "alternations": 2
    });
    assert_eq!(report["deep"], deep);
    assert_eq!(report["importance"][0]["group_norm"], Value::Null);
    let text = folder.print("inspect deep.safetensors");
    let (_, tables) = text.split_once("\nlayers on 3 inputs\n").unwrap();
    let lines: Vec<Vec<&str>> = (tables.lines())
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines[1], ["0", "residual", "3", "0"]);
    assert_eq!(lines[2], ["0.inner.0", "linear", "3", "->", "3", "3", "9"]);
    assert!(
        tables.contains("9 parameters in front of the network"),
        "{text}"
    );
    assert!(tables.contains("not defined by the weights"), "{text}");
    let plain = folder.json("inspect plain.safetensors --json");
    assert_eq!(
        (&plain["layers"], &plain["deep"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn features_behind_layers_are_shuffled() {
    let folder = with_models();
    let report = |model: &str| folder.json(&format!("inspect {model} --data d.csv --json"));
    let (deep, plain) = (report("deep.safetensors"), report("plain.safetensors"));
    assert_eq!(deep["shuffled"], plain["shuffled"]);
    for feature in 0..3 {
        let cost =
            |report: &Value| number(report, &format!("/importance/{feature}/permutation/mean"));
        assert!((cost(&deep) - cost(&plain)).abs() < 0.02);
    }
    let text = folder.print("inspect deep.safetensors --data d.csv");
    let (_, table) = text.split_once("\nimportance of features\n").unwrap();
    assert!(!table.contains("weights"), "{text}");
    assert_eq!(table.lines().count(), 5, "{text}");
}

#[test]
fn layers_are_exported() {
    let folder = with_models();
    let ended = folder.run("export deep.safetensors --onnx m.onnx");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let said = "wrote m.onnx: 3 raw features in, decision values and label out\n";
    assert_eq!(ended.stderr, said);
    assert!(folder.bytes("m.onnx").len() > 500);
}
