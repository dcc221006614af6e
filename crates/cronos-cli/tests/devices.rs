//! Devices by the command.
#![cfg(any(feature = "flex", feature = "gpu", feature = "cuda"))]

mod shell;

use shell::tables::corners;
use shell::{Folder, number};

/// What `--device` can name here.
fn devices(folder: &Folder) -> Vec<String> {
    let listed = folder.json("devices --json");
    let kinds = listed["kinds"].as_array().unwrap().iter();
    let found = kinds.flat_map(|kind| kind["devices"].as_array().unwrap());
    let mut names: Vec<String> = found
        .map(|device| device["device"].as_str().unwrap().to_owned())
        .filter(|name| name != "cpu")
        .collect();
    if cfg!(feature = "flex") {
        names.push("flex".into());
    }
    assert!(!names.is_empty(), "{listed:#}");
    names
}

#[test]
fn a_fit_is_that_of_the_processor() {
    let folder = Folder::new();
    folder.put("d.csv", corners(100, 3).csv());
    let line = "fit d.csv --gates 6 --beta 0.3 --tolerance 1e-2 --json";
    let here = folder.json(line);
    for device in devices(&folder) {
        let there = folder.json(&format!("{line} --device {device}"));
        assert_eq!(there["device"], device.as_str());
        assert_eq!(there["status"], here["status"]);
        assert_eq!(there["train"], here["train"]);
        let [a, b] = [&here, &there].map(|report| number(report, "/objective"));
        assert!((a - b).abs() <= 1e-4 * a, "{a} {b} on {device}");
    }
}

#[test]
fn a_deep_network_is_trained_there() {
    let folder = Folder::new();
    folder.put("d.csv", corners(100, 3).csv());
    let line = "deep d.csv --arch mlp:8 --gates 4 --epochs 2 --json";
    let here = folder.json(line);
    for device in devices(&folder) {
        let out = format!("--out {device}.safetensors");
        let there = folder.json(&format!("{line} --device {device} {out}"));
        assert_eq!(there["device"], device.as_str());
        let [a, b] = [&here, &there].map(|report| number(report, "/objective"));
        assert!((a - b).abs() <= 1e-3 * a, "{a} {b} on {device}");
        let found = folder.json(&format!("eval {device}.safetensors d.csv --json"));
        assert!(number(&found, "/accuracy") > 0.5, "{found:#}");
    }
}
