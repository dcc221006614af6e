//! `cronos fit`: what it reads, what it reports and how it ends.

mod shell;

use serde_json::{Value, json};
use shell::tables::{corners, gzip, noise, npy, npz, surface};
use shell::{Folder, number};

const QUICK: &str = "--gates 8 --tolerance 0.05 --json";

#[test]
fn one_object_says_everything() {
    let folder = Folder::new();
    let report = folder.json("fit digits --max-iterations 20 --gates 10 --json");
    for path in [
        "/objective",
        "/lower_bound",
        "/gap",
        "/violation",
        "/network_objective",
        "/neurons",
        "/beta",
        "/train/accuracy",
        "/test/accuracy",
        "/seconds/total",
        "/seconds/setup",
        "/seconds/iterations",
        "/peak_memory_bytes",
    ] {
        assert!(number(&report, path) > 0.0, "{path}");
    }
    assert_eq!(report["status"], "iteration-limit");
    assert_eq!(report["iterations"], 20);
    assert_eq!(report["solver"], "direct");
    assert_eq!(report["gates"], 10);
    assert_eq!(report["loss"], "squared");
    assert_eq!(report["model"], Value::Null);
    assert_eq!(report["train"]["rows"], 1258);
    assert_eq!(report["test"]["rows"], 539);
    assert!(number(&report, "/objective") > number(&report, "/lower_bound"));
    assert!(number(&report, "/test/accuracy") > 0.9);
}

#[test]
fn learned_gates_beat_as_many_random_ones() {
    let folder = Folder::new();
    let problem = "fit digits --positive 5,6,7,8,9 --holdout 0.8 --loss squared --beta 1 \
                   --gates 12 --json";
    let random = folder.json(&format!("{problem} --tolerance 0.05"));
    let learned = folder.json(&format!("{problem} --learn-gates --fast"));
    assert_eq!(random["gates"], 12);
    assert!(number(&learned, "/gates") <= 12.0);
    // no network in the cones of the random gates is below their bound
    let least = number(&random, "/lower_bound");
    assert!(number(&learned, "/network_objective") < 0.6 * least);
    let rounds = learned["search"]["members"][0]["rounds"].as_array();
    let objectives: Vec<f64> = (rounds.expect("rounds").iter())
        .map(|round| number(round, "/objective"))
        .collect();
    assert!(
        objectives
            .windows(2)
            .all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12))
    );
    assert_eq!(objectives.last(), Some(&number(&learned, "/objective")));
    let words = folder.print(&format!(
        "{} --learn-gates --fast",
        problem.replace("--json", "")
    ));
    assert!(words.contains("learning    objective "), "{words}");
}

#[test]
fn no_network_learns_more_gates_than_allowed_when_the_penalty_is_chosen() {
    let report = Folder::new().json(
        "fit digits --positive 5,6,7,8,9 --holdout 0.8 --learn-gates --gates 5 --networks 1 \
         --fast --json",
    );
    let members = report["search"]["members"].as_array().expect("members");
    let units: Vec<f64> = (members.iter())
        .map(|member| number(member, "/neurons"))
        .collect();
    assert!(!units.is_empty());
    assert!(
        units.iter().all(|units| (1.0..=5.0).contains(units)),
        "{units:?}"
    );
    assert_eq!(units.iter().sum::<f64>(), number(&report, "/neurons"));
}

#[test]
fn the_format_of_the_data_changes_nothing() {
    let folder = Folder::new();
    let data = corners(60, 3);
    let csv = data.table(",", ["0", "1"]);
    folder.put("d.csv", &csv);
    folder.put("d.tsv", data.table("\t", ["0", "1"]));
    folder.put("d.csv.gz", gzip(csv.as_bytes()));
    folder.put("d.npy", data.npy_with_class());
    folder.put("d.svm", data.svm());
    folder.put("x.npy", data.npy());
    folder.put("y.npy", data.class_npy());
    folder.put("d.npz", npz(&[("X", data.npy()), ("y", data.class_npy())]));
    let first = folder.json(&format!("fit d.csv {QUICK}"));
    assert_eq!(first["data"]["classes"], json!(["0", "1"]));
    for source in [
        "d.tsv",
        "d.csv.gz",
        "d.npy",
        "d.npz",
        "d.svm",
        "x.npy --target y.npy",
    ] {
        let report = folder.json(&format!("fit {source} {QUICK}"));
        for path in ["/objective", "/lower_bound", "/test/accuracy"] {
            assert_eq!(
                number(&report, path),
                number(&first, path),
                "{source}: {path}"
            );
        }
    }
}

#[test]
fn labels_may_be_text_and_classes_may_be_grouped() {
    let folder = Folder::new();
    folder.put("d.csv", corners(200, 2).csv());
    let report = folder.json(&format!("fit d.csv --precision f64 {QUICK}"));
    assert_eq!(report["data"]["classes"], json!(["no", "yes"]));
    assert_eq!(report["data"]["target"], "class");
    assert_eq!(
        (&report["status"], report["data"]["outputs"].as_u64()),
        (&json!("solved"), Some(1))
    );
    assert!(number(&report, "/gap") <= 0.05);
    // no plane does better than half of it
    assert!(number(&report, "/test/accuracy") > 0.8);
    let line = "fit digits --max-iterations 5 --gates 8 --json --positive 1,3,5,7,9";
    let report = folder.json(line);
    assert_eq!(report["data"]["classes"], json!(["0|2|4|6|8", "1|3|5|7|9"]));
}

#[test]
fn grouped_classes_need_not_all_be_in_the_test() {
    let folder = Folder::new();
    let mut text = String::from("a,b,class\n");
    let mut next = noise(3);
    for i in 0..60 {
        let class = ["x", "y", "z"][i % 3];
        text.push_str(&format!(
            "{},{},{class}\n",
            next() + (i % 3) as f64 * 4.0,
            next()
        ));
    }
    folder.put("d.csv", &text);
    folder.put("t.csv", "a,b,class\n0,0,x\n0.5,0,x\n");
    let report = folder.json(&format!("fit d.csv --test t.csv --positive z {QUICK}"));
    assert_eq!(report["test"], json!({"accuracy": 1.0, "rows": 2}));
    assert_eq!(report["data"]["classes"], json!(["x|y", "z"]));
}

#[test]
fn numbers_are_regressed() {
    let folder = Folder::new();
    folder.put("d.csv", surface(120));
    let report = folder.json(&format!("fit d.csv {QUICK}"));
    assert_eq!(report["data"]["classes"], Value::Null);
    assert!(number(&report, "/train/r2") > 0.9 && number(&report, "/train/r2") <= 1.0);
    assert!(number(&report, "/test/r2") > 0.8);
    assert!(number(&report, "/test/rmse") > 0.0);
    assert_eq!(report["test"]["rows"], 36);
    assert_eq!(report["train"].get("accuracy"), None);
}

#[test]
fn what_is_tested_on_can_be_chosen() {
    let folder = Folder::new();
    let data = corners(100, 2);
    folder.put("d.csv", data.part(0..70).csv());
    folder.put("t.csv", data.part(70..100).csv());
    folder.put(
        "d.npz",
        npz(&[
            ("x_train", data.part(0..70).npy()),
            ("y_train", data.part(0..70).class_npy()),
            ("x_test", data.part(70..100).npy()),
            ("y_test", data.part(70..100).class_npy()),
        ]),
    );
    let all = folder.json(&format!("fit d.csv --holdout 0 {QUICK}"));
    assert_eq!(
        (&all["test"], &all["train"]["rows"]),
        (&Value::Null, &json!(70))
    );
    let held = folder.json(&format!("fit d.csv --holdout 0.1 {QUICK}"));
    // a tenth of each class, rounded: 4 of 35 twice
    assert_eq!(
        (&held["test"]["rows"], &held["train"]["rows"]),
        (&json!(8), &json!(62))
    );
    let given = folder.json(&format!("fit d.csv --test t.csv {QUICK}"));
    let together = folder.json(&format!("fit d.npz {QUICK}"));
    for report in [&given, &together] {
        assert_eq!(
            (&report["test"]["rows"], &report["train"]["rows"]),
            (&json!(30), &json!(70))
        );
        assert_eq!(number(report, "/objective"), number(&all, "/objective"));
    }
    assert_eq!(given["test"], together["test"]);
}

#[test]
fn strict_minds_the_tolerance() {
    let folder = Folder::new();
    folder.put("d.csv", corners(60, 3).csv());
    let line = "fit d.csv --gates 8 --tolerance 0.05";
    assert_eq!(
        folder.run(&format!("{line} --max-iterations 1")).code,
        Some(0)
    );
    let ended = folder.run(&format!(
        "{line} --max-iterations 1 --strict --out m.safetensors"
    ));
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(4), ""));
    assert!(
        ended.stdout.starts_with("stopped at the iteration limit"),
        "{}",
        ended.stdout
    );
    assert!(folder.path("m.safetensors").exists());
    let ended = folder.run(&format!("{line} --strict"));
    assert_eq!(ended.code, Some(0));
    assert!(
        ended.stdout.starts_with("solved to the tolerance\n"),
        "{}",
        ended.stdout
    );
}

#[test]
fn a_report_has_a_line_for_every_iteration() {
    let folder = Folder::new();
    folder.put("d.csv", corners(60, 3).csv());
    let line = "fit d.csv --gates 8 --max-iterations 23 --tolerance 1e-9 --report out/deep";
    let printed = folder.json(&format!("{line} --json"));
    let report: Value = serde_json::from_str(&folder.text("out/deep/report.json")).unwrap();
    for key in ["status", "iterations", "objective", "data", "train", "test"] {
        assert_eq!(report[key], printed[key], "{key}");
    }
    let history = folder.text("out/deep/history.csv");
    let lines: Vec<&str> = history.lines().collect();
    assert_eq!(
        (lines.len(), printed["iterations"].as_u64()),
        (24, Some(23))
    );
    assert!(
        lines[0].starts_with("iteration,objective,violation,"),
        "{}",
        lines[0]
    );
    for (count, line) in lines.iter().enumerate().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!((cells[0], cells.len()), (count.to_string().as_str(), 12));
    }
    folder.refused(2, line);
    folder.print(&format!("{line} --force"));
}

#[test]
fn every_solver_finds_the_same_optimum() {
    let folder = Folder::new();
    let data = corners(40, 3);
    folder.put("d.csv", data.csv());
    let mut next = noise(5);
    let gates: Vec<Vec<f64>> = (0..3).map(|_| (0..6).map(|_| next()).collect()).collect();
    folder.put("g.npy", npy(&gates));
    for activation in ["relu", "gated"] {
        let mut objectives = Vec::new();
        for solver in ["direct", "sample-pcg", "primal-pcg"] {
            let report = folder.json(&format!(
                "fit d.csv --gate-file g.npy --no-bias --no-standardize --beta 0.5 --holdout 0 \
                 --precision f64 --tolerance 1e-6 --strict --json --solver {solver} \
                 --activation {activation}"
            ));
            assert_eq!(
                (&report["solver"], &report["beta"]),
                (&json!(solver), &json!(0.5))
            );
            let objective = number(&report, "/objective");
            assert!(
                number(&report, "/lower_bound") <= objective * (1.0 + 1e-6),
                "{solver}"
            );
            // half the sum of 40 targets of -1 or 1 squared
            assert!(objective < 20.0, "{solver}: {objective}");
            objectives.push(objective);
        }
        for objective in &objectives {
            let relative = (objective / objectives[0] - 1.0).abs();
            assert!(relative < 1e-5, "{activation}: {objectives:?}");
        }
    }
}

/// What is not compiled in is refused with the remedy; where it is, the report says where it ran.
#[test]
fn devices_are_named_or_refused() {
    let folder = Folder::new();
    let text = folder.print("devices");
    assert!(text.starts_with("cpu "), "{text}");
    let listed = folder.json("devices --json");
    for kind in listed["kinds"].as_array().unwrap() {
        let name = kind["kind"].as_str().unwrap();
        if kind["compiled_in"] == false {
            let refused = folder.refused(1, &format!("fit digits --device {name}"));
            let remedy = format!("{name} is not compiled in: rebuild with --features {name}");
            assert!(refused.contains(&remedy), "{refused}");
            assert!(text.contains(&remedy), "{text}");
        }
    }
    let refused = folder.refused(2, "fit digits --device tpu");
    assert!(refused.contains("\"tpu\" is no device"), "{refused}");
    let line = "fit digits --positive 0 --gates 4 --max-iterations 20 --json";
    assert_eq!(folder.json(line)["device"], "cpu");
    if cfg!(feature = "flex") {
        let there = folder.json(&format!("{line} --device flex"));
        assert_eq!(there["device"], "flex");
        let refused = folder.refused(2, "fit digits --device flex --learn-gates");
        assert!(refused.contains("while gates are learned"), "{refused}");
    }
}
