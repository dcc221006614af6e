//! `cargo xtask fuzz`: readers and solvers against bytes that a fuzzer makes up.

use std::path::PathBuf;
use std::process::Command;
use xtask::step::{cargo, execute, program, root, step, target};

/// Executions of each target, unless told otherwise.
const RUNS: &str = "1000000";

/// Runs all targets, or one. Corpora and what went wrong stay in `fuzz`.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let (names, runs) = match arguments {
        [] => (targets()?, RUNS),
        [flag, runs] if flag == "--runs" => (targets()?, &runs[..]),
        [name] if !name.starts_with('-') => (vec![name.clone()], RUNS),
        [name, flag, runs] if flag == "--runs" => (vec![name.clone()], &runs[..]),
        _ => return Err("fuzz takes a target and --runs N; see cargo xtask help".into()),
    };
    if runs.parse::<u64>().is_err() {
        return Err(format!("--runs {runs} is no whole number"));
    }
    let fuzzer = fuzzer()?;
    step("seeds", || {
        let line = "run --release --locked --manifest-path fuzz/Cargo.toml --bin seeds";
        execute(cargo(line).env("CARGO_TARGET_DIR", folder()))
    })?;
    let mut failed = Vec::new();
    for name in &names {
        let done = step(name, || {
            let mut run = in_fuzzer(&fuzzer, &["run", name, "--"]);
            run.args([
                "-timeout=30",
                "-rss_limit_mb=4096",
                "-max_len=4096",
                "-verbosity=0",
            ]);
            execute(run.arg(format!("-runs={runs}")).arg("-print_final_stats=1"))
        });
        if done.is_err() {
            failed.push(name.as_str());
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("{}: see fuzz/artifacts", failed.join(", "))),
    }
}

/// Where it is built: with other flags than the rest.
fn folder() -> PathBuf {
    target().join("fuzz")
}

/// The names of all targets.
fn targets() -> Result<Vec<String>, String> {
    let folder = root().join("fuzz/fuzz_targets");
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let names = paths.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

/// The program `cargo-fuzz`, installed below the folder of the build if it is missing.
fn fuzzer() -> Result<PathBuf, String> {
    let tools = target().join("tools");
    let fuzzer = tools.join("bin/cargo-fuzz");
    if !fuzzer.exists() {
        step("cargo-fuzz", || {
            let mut install = cargo("install --quiet --locked cargo-fuzz --root");
            execute(install.arg(&tools))
        })?;
    }
    Ok(fuzzer)
}

fn in_fuzzer(fuzzer: &PathBuf, arguments: &[&str]) -> Command {
    let mut command = program(fuzzer);
    command.args(arguments);
    // the compiler's options for fuzzing are not in stable releases otherwise
    command.env("RUSTC_BOOTSTRAP", "1");
    command.env("RAYON_NUM_THREADS", "1");
    command.env("CARGO_TARGET_DIR", folder());
    command
}
