//! Names are unique, and a page shows what was measured and what was not.

use super::ALL;
use super::page::render;
use super::record::{Made, Record, file};
use crate::records;
use serde_json::{Value, json};

fn record(key: &str, seed: u64, outcome: Result<Value, String>) -> Record {
    let made = Made {
        program: "cronos".into(),
        version: "0".into(),
        commit: "abc".into(),
    };
    Record::new(key, seed, "cronos <fit>", &made, outcome)
}

/// What `cronos compare` tells of one optimizer.
fn optimizer(name: &str, rate: Option<f64>, test: f64) -> Value {
    json!({
        "name": name, "lowest_peak": test - 0.1, "highest_peak": test, "best_rate": rate,
        "test": {"accuracy": test}, "seconds": 10.0,
        "runs": [{"history": [
            {"epoch": 1, "seconds": 0.5, "validation": 0.5},
            {"epoch": 2, "seconds": 1.0, "validation": null},
            {"epoch": 3, "seconds": 1.5, "validation": test},
        ]}],
    })
}

#[test]
fn names_are_unique() {
    for one in ALL {
        assert_eq!(ALL.iter().filter(|other| other.name == one.name).count(), 1);
    }
}

#[test]
fn the_page_shows_what_was_measured_and_names_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let error = render(folder.path(), false).unwrap_err();
    assert!(error.contains("run NAME"), "{error}");
    for (seed, test) in [(0, 0.91), (1, 0.93)] {
        let outcome = json!({"optimizers": [
            optimizer("cronos-am", None, test),
            optimizer("adamw", Some(1e-3), test - 0.01),
        ]});
        let path = file(folder.path(), "mlp-cifar10");
        // a failure that was made good, and then the measurement
        records::append(&path, &record("compare", seed, Err("no <disk>".into()))).unwrap();
        records::append(&path, &record("compare", seed, Ok(outcome))).unwrap();
    }
    let path = file(folder.path(), "rho");
    records::append(&path, &record("rho 1e0", 0, Err("out of <paper>".into()))).unwrap();
    let page = render(folder.path(), false).unwrap();
    for expected in [
        "92.00\u{a0}% <small>(91.00 to 93.00)</small>",
        "1.00 points above the best of the others, AdamW (91.00\u{a0}%)",
        "cronos &lt;fit&gt;",
        "out of &lt;paper&gt;",
        "What is missing",
        "mlp-food",
    ] {
        assert!(page.contains(expected), "{expected} is not in {page}");
    }
    assert!(!page.contains("no &lt;disk&gt;"));
    assert!(!page.contains("NaN"));
}
