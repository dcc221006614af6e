//! `run gates`: makes the measurements that are missing.

use super::method::{BETA, Method, problem};
use super::record::{Outcome, Record, file, missing};
use super::{RunOptions, folder};
use crate::script::{Script, Source};
use crate::tables::build_cronos;
use crate::{records, say};
use clap::ValueEnum;
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;
use xtask::stamp;
use xtask::step::{built, program};

const SOURCE: Source = Source {
    name: "restarts.py",
    requirements: "requirements-torch.txt",
    environment: "venv-torch",
};

/// The objective by numpy may differ by this fraction: the convex program of random
/// gates sees features in single precision.
const AGREES: f64 = 1e-4;

/// Runs every method with every seed that has no measurement yet.
pub fn run(options: &RunOptions) -> Result<(), String> {
    let results = folder(options.results.as_deref())?;
    fs::create_dir_all(&results)
        .map_err(|error| format!("{} cannot be made: {error}", results.display()))?;
    let methods = match &options.method[..] {
        [] => Method::value_variants(),
        named => named,
    };
    let mut jobs = Vec::new();
    for &method in methods {
        let seeds = if options.quick { 1 } else { method.seeds() };
        let steps = steps(method, options.quick);
        let missing = missing(&records::read(&file(&results, method))?, seeds, steps);
        jobs.extend(missing.into_iter().map(|seed| (method, seed)));
    }
    let count = jobs.len();
    say(&format!(
        "{count} measurements to make, in {}",
        results.display()
    ));
    if jobs.is_empty() {
        return Ok(());
    }
    let commit = stamp::commit();
    // a run of PyTorch alone needs no build
    let version = match jobs.iter().any(|(method, _)| method.is_cronos()) {
        true => build_cronos()?,
        false => String::new(),
    };
    let mut script = Script::start(SOURCE)?;
    let mut failures = 0;
    for (place, &(method, seed)) in jobs.iter().enumerate() {
        let outcome = if method.is_cronos() {
            cronos(method, seed, &results, &version, &mut script)
        } else {
            restart(method, seed, steps(method, options.quick), &mut script)
        };
        let said = match &outcome {
            Ok(one) => format!("{:.5} in {:.1} s", one.objective, one.seconds),
            Err(error) => format!("failed: {error}"),
        };
        failures += usize::from(outcome.is_err());
        let (number, name) = (place + 1, method.name());
        say(&format!("[{number}/{count}] {name}, seed {seed}: {said}"));
        let record = Record::new(method, seed, outcome, &commit);
        records::append(&file(&results, method), &record)?;
    }
    match failures {
        0 => Ok(()),
        _ => Err(format!(
            "{failures} of {count} measurements failed; their records say why, and the next run \
             tries them again"
        )),
    }
}

fn steps(method: Method, quick: bool) -> usize {
    if method.is_cronos() {
        0
    } else {
        method.steps(quick)
    }
}

/// One restart of PyTorch.
fn restart(
    method: Method,
    seed: u64,
    steps: usize,
    script: &mut Script,
) -> Result<Outcome, String> {
    let mut task = problem();
    task["method"] = method.name().into();
    task["seed"] = seed.into();
    task["steps"] = steps.into();
    let answer = script.ask(&task)??;
    let neurons = number(&answer, "/details/neurons")? as usize;
    Ok(Outcome {
        objective: number(&answer, "/objective")?,
        seconds: number(&answer, "/seconds")?,
        neurons,
        recomputed: None,
        steps,
        details: answer["details"].clone(),
        versions: script.versions.clone(),
    })
}

/// Runs the `cronos` command, and has numpy compute the objective again.
fn cronos(
    method: Method,
    seed: u64,
    results: &Path,
    version: &str,
    script: &mut Script,
) -> Result<Outcome, String> {
    let model = results.join(format!("{}-{seed}.safetensors", method.name()));
    let mut command = program(built("cronos"));
    command.args(method.arguments(seed));
    command
        .arg("--json")
        .arg("--force")
        .arg("--out")
        .arg(&model);
    let output = command
        .output()
        .map_err(|error| format!("cronos cannot be started: {error}"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        let words = words.trim();
        return Err(format!("cronos ended with {}: {words}", output.status));
    }
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cronos printed no JSON object: {error}"))?;
    let mut task = problem();
    task["method"] = "check".into();
    task["model"] = model.to_string_lossy().into();
    let answer = script.ask(&task)??;
    let (own, recomputed) = (
        number(&report, "/network_objective")?,
        number(&answer, "/objective")?,
    );
    if (own - recomputed).abs() > AGREES * own.abs() {
        return Err(format!(
            "cronos says that the network has the objective {own}, but its saved weights have \
             {recomputed} with β = {BETA}"
        ));
    }
    let mut versions = script.versions.clone();
    versions.extend(Map::from_iter([("cronos".into(), version.into())]));
    Ok(Outcome {
        objective: number(&report, "/objective")?,
        seconds: number(&report, "/seconds/total")?,
        neurons: number(&report, "/neurons")? as usize,
        recomputed: Some(recomputed),
        steps: 0,
        details: report,
        versions,
    })
}

fn number(report: &Value, path: &str) -> Result<f64, String> {
    let value = report.pointer(path).and_then(Value::as_f64);
    value.ok_or_else(|| format!("an answer has no number {path}"))
}
