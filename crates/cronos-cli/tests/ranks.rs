//! A fit by several ranks of `mpirun`.
#![cfg(feature = "mpi")]

mod shell;

use serde_json::Value;
use shell::tables::{corners, npy};
use shell::{Ended, Folder, number};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// `mpirun` with so many ranks of a line.
fn mpirun(folder: &Folder, ranks: usize, line: &str) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-n"]);
    command.arg(ranks.to_string());
    let cronos = folder.command(line);
    command.arg(cronos.get_program()).args(cronos.get_args());
    command.current_dir(folder.path("."));
    command
}

fn run(folder: &Folder, ranks: usize, line: &str) -> Ended {
    let output = mpirun(folder, ranks, line).output().unwrap();
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The report of a fit, and the model it saved.
fn fit(folder: &Folder, ranks: usize, options: &str) -> (Value, Vec<u8>) {
    let line = format!("fit {options} --out m.safetensors --force --json");
    let ended = run(folder, ranks, &line);
    assert_eq!(ended.code, Some(0), "{ranks} x {line}: {ended:?}");
    let report = serde_json::from_str(&ended.stdout).unwrap();
    (report, folder.bytes("m.safetensors"))
}

/// Fits on 1, 2 and 4 ranks, which must agree byte by byte.
fn all_agree(folder: &Folder, options: &str) -> Value {
    let (first, model) = fit(folder, 1, options);
    for ranks in [2, 4] {
        let (other, bytes) = fit(folder, ranks, options);
        for key in ["status", "iterations", "objective", "lower_bound", "test"] {
            assert_eq!(first[key], other[key], "{key} of {ranks} x {options}");
        }
        assert!(model == bytes, "{ranks} x {options}: another model");
    }
    first
}

fn folder(rows: usize) -> Folder {
    let folder = Folder::new();
    let table = corners(rows, 5);
    folder.put("x.npy", table.npy());
    folder.put("y.npy", table.class_npy());
    folder.put("xy.npy", table.npy_with_class());
    folder.put("d.csv", table.csv());
    folder
}

#[test]
fn ranks_agree_for_every_loss() {
    let folder = folder(1600);
    let numbers: Vec<Vec<f64>> = (0..1600).map(|i| vec![(i as f64 * 0.37).sin()]).collect();
    folder.put("numbers.npy", npy(&numbers));
    let usual = "--gates 6 --precision f64 --max-iterations 60 --threads 1";
    for activation in ["relu", "gated"] {
        for loss in ["squared", "logistic", "softmax", "squared-hinge"] {
            let options = format!(
                "x.npy --target y.npy {usual} --activation {activation} --loss {loss} --beta 0.5"
            );
            all_agree(&folder, &options);
        }
        for loss in ["squared", "huber", "quantile"] {
            let options = format!(
                "x.npy --target numbers.npy --task regression {usual} --activation {activation} \
                 --loss {loss}"
            );
            all_agree(&folder, &options);
        }
    }
}

#[test]
fn weights_formats_and_solvers() {
    let folder = folder(1600);
    let usual = "--gates 6 --max-iterations 40 --threads 1";
    let of_columns = all_agree(&folder, &format!("xy.npy {usual}"));
    let of_text = all_agree(&folder, &format!("d.csv {usual}"));
    // the same numbers, from a file of which every rank reads its rows
    assert_eq!(of_columns["objective"], of_text["objective"]);
    all_agree(&folder, &format!("d.csv --class-weight balanced {usual}"));
    all_agree(&folder, &format!("d.csv --solver primal-pcg {usual}"));
    all_agree(&folder, &format!("xy.npy --precision f64 {usual}"));
    let learned = all_agree(
        &folder,
        &format!("x.npy --target y.npy --learn-gates {usual}"),
    );
    assert_eq!(learned["gates"], 6);
}

/// What ranks find is what one process finds without them.
#[test]
fn ranks_find_what_one_process_finds() {
    let folder = folder(1600);
    let line = "x.npy --target y.npy --gates 8 --beta 2 --tolerance 1e-3 --threads 1";
    let (shared, _) = fit(&folder, 2, line);
    let alone = folder.json(&format!("fit {line} --json"));
    assert_eq!(shared["status"], "solved");
    assert_eq!(shared["ranks"], 2);
    assert!(number(&shared, "/sent_bytes") > 0.0);
    let [a, b] = [&shared, &alone].map(|report| number(report, "/objective"));
    assert!((a - b).abs() <= 2e-3 * b, "{a} {b}");
    assert_eq!(shared["data"], alone["data"].clone());
}

#[test]
fn a_path_too() {
    let folder = folder(1600);
    let walk = |ranks: usize| {
        let line = "path x.npy --target y.npy --gates 6 --steps 4 --csv p.csv --out m.safetensors \
                    --force --threads 1";
        let ended = run(&folder, ranks, line);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        folder.bytes("m.safetensors")
    };
    let first = walk(1);
    assert!(walk(2) == first && walk(4) == first);
}

/// Ranks killed at any moment end together, leave no damaged file, and go on to the same bytes.
/// `KILLS` says how often.
#[test]
fn killed_ranks_go_on() {
    let folder = folder(1600);
    let usual = "fit x.npy --target y.npy --gates 10 --tolerance 1e-9 --threads 1 --force \
                 --max-iterations 400";
    let ended = run(&folder, 2, &format!("{usual} --out whole.safetensors"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let whole = folder.bytes("whole.safetensors");
    let kept = format!("{usual} --checkpoint state --checkpoint-every 5 --out m.safetensors");
    let resumed = || match folder.path("state/fit.txt").exists() {
        true => format!("{kept} --resume"),
        false => kept.clone(),
    };
    let kills = std::env::var("KILLS").map_or(6, |kills| kills.parse().unwrap());
    let mut late = 0;
    for kill in 0..kills {
        let mut command = mpirun(&folder, 2, &resumed());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let moment = 300 + 37 * (kill * 7919 % 41);
        std::thread::sleep(Duration::from_millis(moment));
        let ranks = children(child.id());
        if let Some(rank) = ranks.get(kill as usize % ranks.len().max(1)) {
            // it may have ended
            let _ = Command::new("kill").args(["-9", rank]).output();
        }
        let start = Instant::now();
        let ended = child.wait().unwrap();
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "kill {kill}: a hang"
        );
        let there = |rank: &String| std::path::Path::new("/proc").join(rank).exists();
        while ranks.iter().any(there) {
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "kill {kill}: a rank hangs"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        if let Ok(model) = std::fs::read(folder.path("m.safetensors")) {
            assert!(model == whole, "kill {kill}: a model that is not whole");
        }
        if ended.success() {
            // the kill came too late; the next run begins anew
            std::fs::remove_dir_all(folder.path("state")).unwrap();
            std::fs::remove_file(folder.path("m.safetensors")).unwrap();
            late += 1;
        }
    }
    assert!(late < kills, "no kill came in time");
    println!("{} of {kills} kills came in time", kills - late);
    let ended = run(&folder, 2, &resumed());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(folder.bytes("m.safetensors") == whole);
}

/// The processes that one started.
fn children(parent: u32) -> Vec<String> {
    let listed = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
    let listed = listed.unwrap_or_default();
    listed.split_whitespace().map(str::to_owned).collect()
}

/// A rank that reads bad data ends all of them, and says what is wrong where.
#[test]
fn bad_data_of_one_rank_ends_all() {
    let folder = folder(1600);
    let mut rows = corners(1600, 5).rows;
    rows[1200][3] = f64::NAN;
    folder.put("bad.npy", npy(&rows));
    let start = Instant::now();
    let line = "fit bad.npy --target y.npy --gates 4 --holdout 0 --out m.safetensors";
    let ended = run(&folder, 4, line);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_ne!(ended.code, Some(0));
    let why = "bad.npy: row 1201, feature 3 (counting from 0) is NaN";
    assert!(ended.stderr.contains(why), "{ended:?}");
    assert!(!folder.path("m.safetensors").exists());
    assert_eq!(ended.stdout, "");
}

#[test]
fn what_ranks_cannot_do_is_refused() {
    let folder = folder(1600);
    folder.put("few.csv", corners(600, 5).csv());
    for (line, why) in [
        ("few.csv --gates 4", "start at most 2"),
        (
            "d.csv --gates 4 --solver direct",
            "sample-pcg or primal-pcg",
        ),
        ("nothing.npy", "nothing.npy: "),
    ] {
        let ended = run(&folder, 4, &format!("fit {line}"));
        assert_ne!(ended.code, Some(0), "{line}");
        assert!(ended.stderr.contains(why), "{line}: {ended:?}");
        assert_eq!(ended.stderr.matches(why).count(), 1, "{line}: {ended:?}");
    }
    let ended = run(&folder, 2, "inspect digits");
    assert!(ended.stderr.contains("without mpirun"), "{ended:?}");
}
