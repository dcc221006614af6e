//! The Python package: its wheel, built and tested in an environment of its own.

use std::fs;
use std::path::{Path, PathBuf};
use xtask::python;
use xtask::step::{execute, program, root, target};

/// Builds the wheel, installs it and runs its tests.
pub fn check() -> Result<(), String> {
    let package = root().join("crates/cronos-py");
    let tests = package.join("tests");
    let environment = target().join("venv-package");
    python::prepare(&environment, &tests.join("requirements.txt"))?;
    let python = python::interpreter(&environment);
    let wheel = build(&python, &package)?;
    let mut install = program(&python);
    install.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    execute(install.args(["--force-reinstall", "--no-deps"]).arg(wheel))?;
    let mut pytest = program(&python);
    // without it scikit-learn skips checks
    pytest.env("SCIPY_ARRAY_API", "1");
    execute(pytest.args(["-m", "pytest", "--quiet", "-rs"]).arg(tests))
}

/// The wheel, alone in a folder of its own.
fn build(python: &Path, package: &Path) -> Result<PathBuf, String> {
    let folder = target().join("wheels");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("{} cannot be removed: {error}", folder.display()))?;
    }
    let mut build = program(python);
    build.args(["-m", "maturin", "build", "--release", "--locked", "--quiet"]);
    build.arg("--interpreter").arg(python);
    build.arg("--manifest-path").arg(package.join("Cargo.toml"));
    execute(build.arg("--out").arg(&folder))?;
    let entries = fs::read_dir(&folder)
        .map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let mut wheels = entries.filter_map(|entry| Some(entry.ok()?.path()));
    wheels.next().ok_or_else(|| "maturin left no wheel".into())
}
