//! Signals and closed pipes end a run in good order.
#![cfg(unix)]

mod shell;

use shell::Folder;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Long enough for any machine to start a process.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until the process catches SIGINT, where the system tells, and then for
/// the iterations to begin; the signal is heeded whenever it comes after that.
fn wait_for_start(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    let start = Instant::now();
    while cfg!(target_os = "linux") && start.elapsed() < PATIENCE {
        let text = std::fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        if u64::from_str_radix(caught.unwrap().trim(), 16).unwrap() & 2 != 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_secs(2));
}

/// What a command leaves that gets signals once it is at work.
fn signalled(folder: &Folder, line: &str, signals: &str) -> Output {
    let mut child = folder
        .command(line)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_start(&child);
    let send = |signal: &str| {
        let mut kill = Command::new("kill");
        let sent = kill.args([signal, &child.id().to_string()]).status();
        sent.unwrap().success()
    };
    let sent = signals.split(' ').all(send);
    if !sent {
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(sent);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    output
}

fn stopped_by(signals: &str) {
    let folder = Folder::new();
    let line = "fit digits --tolerance 1e-12 --precision f64 --gates 50 --max-iterations 1000000 \
                --out m.safetensors";
    let output = signalled(&folder, line, signals);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("interrupted; the best network so far:"),
        "{text}"
    );
    let model = folder.json("inspect m.safetensors --json");
    assert_eq!(model["status"], "interrupted");
    assert!(model["iterations"].as_u64().unwrap() >= 1);
    assert_eq!(model["features"], 64);
}

#[test]
fn sigint_saves_the_best_model() {
    stopped_by("-INT");
}

#[test]
fn sigterm_saves_the_best_model() {
    stopped_by("-TERM");
}

/// As `timeout` sends them.
#[test]
fn two_signals_at_once_are_one() {
    stopped_by("-TERM -TERM");
}

/// Many penalties that are easy: some are done when the signal comes, not all.
#[test]
fn sigint_keeps_the_penalties_that_were_done() {
    let folder = Folder::new();
    folder.put("d.csv", shell::tables::corners(60, 3).csv());
    let line = "path d.csv --gates 8 --tolerance 0.05 --steps 200000 --csv p.csv --plot p.svg \
                --out m.safetensors --json";
    let output = signalled(&folder, line, "-INT");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "interrupted");
    let points = report["points"].as_array().unwrap().len();
    assert!((1..200_000).contains(&points));
    assert_eq!(folder.text("p.csv").lines().count(), points + 1);
    assert!(folder.text("p.svg").ends_with("</svg>\n"));
    let model = folder.json("inspect m.safetensors --json");
    assert_eq!(model["features"], 3);
}

#[test]
fn sigint_saves_the_best_epoch() {
    let folder = Folder::new();
    let line = "deep digits --arch mlp:16 --gates 4 --epochs 1000000 --out m.safetensors --json";
    let output = signalled(&folder, line, "-INT");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "interrupted");
    let model = folder.json("inspect m.safetensors --json");
    assert_eq!(model["status"], "interrupted");
    assert_eq!(model["deep"]["epochs"], report["epochs"]);
}

/// Many runs that are short: some are done when the signal comes, not all.
#[test]
fn sigint_keeps_the_runs_that_were_done() {
    let folder = Folder::new();
    folder.put("d.csv", shell::tables::corners(60, 3).csv());
    let line = "compare d.csv --arch mlp:4 --gates 2 --epochs 1 --rates 100000 --optimizers sgd \
                --csv c.csv --json";
    let output = signalled(&folder, line, "-INT");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "interrupted");
    let sgd = &report["optimizers"][1];
    assert_eq!(sgd["runs_wanted"], 100_000);
    let done = sgd["runs"].as_array().unwrap().len();
    assert!((1..100_000).contains(&done));
    // the heading, and two epochs of every run
    assert_eq!(folder.text("c.csv").lines().count(), 1 + 2 * (1 + done));
}

#[test]
fn a_reader_may_go_away() {
    let folder = Folder::new();
    folder.print("fit digits --gates 8 --max-iterations 5 --out m.safetensors");
    // more than a pipe holds, so that writing really fails
    for line in [
        "predict m.safetensors digits",
        "predict m.safetensors digits --json",
    ] {
        let mut child = folder
            .command(line)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        reader.read_line(&mut first).unwrap();
        drop(reader);
        let mut complaint = String::new();
        let mut stderr = child.stderr.take().unwrap();
        stderr.read_to_string(&mut complaint).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{line}: {complaint}");
        assert_eq!(complaint, "", "{line}");
        assert!(
            first.starts_with("prediction,") || first == "{\n",
            "{first}"
        );
    }
}
