//! `cargo xtask test`: everything that must hold before a change is kept.

use crate::{browser, device, mpi, package, torch};
use std::path::Path;
use xtask::python;
use xtask::step::{built, cargo, execute, program, root, step, target};

/// Cargo's own checks, in order: once as built by default, then with all that can be run here.
const CARGO: [(&str, &str); 6] = [
    ("format", "fmt --all --check"),
    (
        "format of fuzz targets",
        "fmt --check --manifest-path fuzz/Cargo.toml",
    ),
    ("default features", "check --workspace --release --locked"),
    (
        "lints",
        "clippy --workspace --all-targets --release --locked --features cronos-cli/onnx,cronos-cli/flex -- -D warnings",
    ),
    (
        "tests",
        "test --workspace --release --locked --features cronos-cli/onnx,cronos-cli/flex",
    ),
    // the whole workspace, as the tests: other packages alone would build their
    // dependencies again with other features
    (
        "programs",
        "build --workspace --release --locked --features cronos-cli/onnx,cronos-cli/flex --bins --examples",
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
    step("python package", package::check)?;
    step("python package, oldest releases", package::check_oldest)?;
    step("python examples", package::examples)?;
    let mut skipped = Vec::new();
    let beside = target().join("venv-optimizers");
    match torch::find(&beside, &scripts.join("requirements-optimizers.txt")) {
        Ok(python) => step("optimizers", || optimizers(&python, &scripts))?,
        Err(reason) => skipped.push(format!("optimizers: SKIPPED: {reason}")),
    }
    let beside = target().join("venv-encoders");
    match torch::find(&beside, &scripts.join("requirements-encoders.txt")) {
        Ok(python) => step("encoders", || encoders(&python, &scripts))?,
        Err(reason) => skipped.push(format!("encoders: SKIPPED: {reason}")),
    }
    match browser::find() {
        Ok(browser) => step("pages", || pages(&python, &scripts, &browser))?,
        Err(reason) => skipped.push(format!("pages: SKIPPED: {reason}")),
    }
    match mpi::find() {
        Ok(()) => step("ranks", mpi::check)?,
        Err(reason) => skipped.push(format!("ranks: SKIPPED: {reason}")),
    }
    match device::find() {
        Ok(()) => step("devices", device::check)?,
        Err(reason) => skipped.push(format!("devices: SKIPPED: {reason}")),
    }
    step("devices that are not here, types only", device::check_types)?;
    skipped.iter().for_each(|skipped| println!("== {skipped}"));
    match skipped.is_empty() {
        true => println!("== everything passed"),
        false => println!("== everything else passed"),
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

/// Compares steps of the optimizers with those of their references.
fn optimizers(python: &Path, scripts: &Path) -> Result<(), String> {
    execute(
        program(python)
            .arg(scripts.join("check_optimizers.py"))
            .arg(built("examples/optimizer_paths")),
    )
}

/// Compares transformers with those of Hugging Face.
fn encoders(python: &Path, scripts: &Path) -> Result<(), String> {
    execute(
        program(python)
            .arg(scripts.join("check_encoders.py"))
            .arg(built("examples/encoder_cases"))
            .arg(built("cronos"))
            .arg(target().join("encoder-cases")),
    )
}

/// Looks at pages of reports and experiments in a browser.
fn pages(python: &Path, scripts: &Path, browser: &Path) -> Result<(), String> {
    execute(
        program(python)
            .arg(scripts.join("check_report.py"))
            .arg(browser)
            .arg(built("cronos"))
            .arg(built("examples/report_demo"))
            .arg(built("experiments"))
            .arg(target().join("pages")),
    )
}
