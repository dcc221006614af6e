//! `cargo xtask test`: everything that must hold before a change is kept.

use crate::browser;
use std::path::Path;
use xtask::python;
use xtask::step::{built, cargo, execute, program, root, step, target};

/// Cargo's own checks, in order.
const CARGO: [(&str, &str); 4] = [
    ("format", "fmt --all --check"),
    (
        "lints",
        "clippy --workspace --all-targets --release --locked -- -D warnings",
    ),
    ("tests", "test --workspace --release --locked"),
    // the whole workspace, as the tests: other packages alone would build their
    // dependencies again with other features
    (
        "programs",
        "build --workspace --release --locked --bins --examples",
    ),
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
    step("command line", || {
        execute(
            program(&python)
                .arg(scripts.join("check_cli.py"))
                .arg(built("cronos")),
        )
    })?;
    let skipped = match browser::find() {
        Ok(browser) => {
            step("pages", || pages(&python, &scripts, &browser))?;
            None
        }
        Err(reason) => Some(format!("pages: SKIPPED: {reason}")),
    };
    match skipped {
        None => println!("== everything passed"),
        Some(skipped) => println!("== {skipped}\n== everything else passed"),
    }
    Ok(())
}

/// Exports models and compares onnxruntime's outputs with the library's.
fn onnx(python: &Path, scripts: &Path) -> Result<(), String> {
    let cases = target().join("onnx-cases");
    if cases.exists() {
        std::fs::remove_dir_all(&cases)
            .map_err(|error| format!("{} cannot be removed: {error}", cases.display()))?;
    }
    execute(program(built("examples/onnx_cases")).arg(&cases))?;
    execute(
        program(python)
            .arg(scripts.join("check_onnx.py"))
            .arg(&cases),
    )
}

/// Looks at pages of reports in a browser.
fn pages(python: &Path, scripts: &Path, browser: &Path) -> Result<(), String> {
    execute(
        program(python)
            .arg(scripts.join("check_report.py"))
            .arg(browser)
            .arg(built("cronos"))
            .arg(built("examples/report_demo"))
            .arg(target().join("pages")),
    )
}
