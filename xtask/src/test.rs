//! `cargo xtask test`: everything that must hold before a change is kept.

use crate::python;
use crate::step::{cargo, execute, program, root, step, target};
use std::path::Path;

/// Cargo's own checks, in order.
const CARGO: [(&str, &str); 3] = [
    ("format", "fmt --all --check"),
    (
        "lints",
        "clippy --workspace --all-targets --release --locked -- -D warnings",
    ),
    ("tests", "test --workspace --release --locked"),
];

/// Runs every step and stops at the first that fails.
pub fn run() -> Result<(), String> {
    for (name, line) in CARGO {
        step(name, || execute(&mut cargo(line)))?;
    }
    let scripts = root().join("xtask/python");
    let environment = target().join("venv");
    step("python packages", || {
        python::prepare(&environment, &scripts.join("requirements.txt"))
    })?;
    let python = python::interpreter(&environment);
    step("onnx", || onnx(&python, &scripts))?;
    let script = scripts.join("check_cli.py");
    if script.exists() {
        step("command line", || {
            execute(&mut cargo("build --release --locked --package cronos-cli"))?;
            let binary = format!("cronos{}", std::env::consts::EXE_SUFFIX);
            let binary = target().join("release").join(binary);
            execute(program(&python).arg(&script).arg(binary))
        })?;
    }
    println!("== everything passed");
    Ok(())
}

/// Exports models and compares onnxruntime's outputs with the library's.
fn onnx(python: &Path, scripts: &Path) -> Result<(), String> {
    let cases = target().join("onnx-cases");
    if cases.exists() {
        std::fs::remove_dir_all(&cases)
            .map_err(|error| format!("{} cannot be removed: {error}", cases.display()))?;
    }
    let mut export = cargo("run --release --locked --package cronos --example onnx_cases --");
    execute(export.arg(&cases))?;
    execute(
        program(python)
            .arg(scripts.join("check_onnx.py"))
            .arg(&cases),
    )
}
