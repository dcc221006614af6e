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

/// The steps, perhaps from one of them on.
struct Steps {
    /// The first to be run, until it was reached.
    from: Option<String>,
    skipped: Vec<String>,
}

impl Steps {
    fn is_due(&mut self, name: &str) -> bool {
        self.from = self.from.take().filter(|from| from != name);
        self.from.is_none()
    }

    fn step(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        match self.is_due(name) {
            true => step(name, work),
            false => Ok(()),
        }
    }

    /// A step that needs what may be missing.
    fn with<T>(
        &mut self,
        name: &str,
        find: impl FnOnce() -> Result<T, String>,
        work: impl FnOnce(T) -> Result<(), String>,
    ) -> Result<(), String> {
        if !self.is_due(name) {
            return Ok(());
        }
        match find() {
            Ok(found) => step(name, || work(found)),
            Err(reason) => {
                self.skipped.push(format!("{name}: SKIPPED: {reason}"));
                Ok(())
            }
        }
    }
}

/// Runs every step, or those from one on, and stops at the first that fails.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let from = match arguments {
        [] => None,
        [flag, name] if flag == "--from" => Some(name.clone()),
        _ => return Err("test takes --from STEP at most; see cargo xtask help".into()),
    };
    let skipped = Vec::new();
    let mut steps = Steps { from, skipped };
    for (name, line) in CARGO {
        steps.step(name, || execute(&mut cargo(line)))?;
    }
    let scripts = root().join("xtask/python");
    let environment = target().join("venv");
    steps.step("python packages", || {
        python::prepare(&environment, &scripts.join("requirements.txt"))
    })?;
    let python = python::interpreter(&environment);
    steps.step("onnx", || onnx(&python, &scripts))?;
    steps.step("command line", || {
        execute(
            program(&python)
                .arg(scripts.join("check_cli.py"))
                .arg(built("cronos")),
        )
    })?;
    steps.step("python package", package::check)?;
    steps.step("python package, oldest releases", package::check_oldest)?;
    steps.step("python examples", package::examples)?;
    let torch = |name: &str| {
        let beside = target().join(format!("venv-{name}"));
        torch::find(&beside, &scripts.join(format!("requirements-{name}.txt")))
    };
    steps.with(
        "optimizers",
        || torch("optimizers"),
        |python| optimizers(&python, &scripts),
    )?;
    steps.with(
        "encoders",
        || torch("encoders"),
        |python| encoders(&python, &scripts),
    )?;
    steps.with("pages", browser::find, |browser| {
        pages(&python, &scripts, &browser)
    })?;
    steps.with("ranks", mpi::find, |()| mpi::check())?;
    steps.with("devices", device::find, |()| device::check())?;
    steps.step("devices that are not here, types only", device::check_types)?;
    if let Some(from) = steps.from {
        return Err(format!("there is no step {from}"));
    }
    let skipped = steps.skipped;
    skipped.iter().for_each(|skipped| println!("== {skipped}"));
    match (skipped.is_empty(), arguments) {
        (true, []) => println!("== everything passed"),
        (false, []) => println!("== everything else passed"),
        (_, _) => println!("== these steps passed"),
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
