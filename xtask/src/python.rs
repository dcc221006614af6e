//! The Python environment of the checks that compare with other software.

use crate::step::{execute, program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The interpreter of a virtual environment.
pub fn interpreter(environment: &Path) -> PathBuf {
    if cfg!(windows) {
        environment.join("Scripts").join("python.exe")
    } else {
        environment.join("bin").join("python")
    }
}

/// Creates the virtual environment if it is missing and installs the
/// requirements unless the same ones were installed before.
pub fn prepare(environment: &Path, requirements: &Path) -> Result<(), String> {
    let found = Path::new("python3");
    install(found, &[], &[], environment, requirements)
}

/// The same for packages that stand beside those of the system: what they need is there.
pub fn prepare_beside(
    system: &Path,
    environment: &Path,
    requirements: &Path,
) -> Result<(), String> {
    let seen = ["--system-site-packages"];
    install(system, &seen, &["--no-deps"], environment, requirements)
}

fn install(
    base: &Path,
    creating: &[&str],
    installing: &[&str],
    environment: &Path,
    requirements: &Path,
) -> Result<(), String> {
    let wanted = fs::read_to_string(requirements)
        .map_err(|error| format!("{} cannot be read: {error}", requirements.display()))?;
    let stamp = environment.join("requirements.txt");
    let works = answers(&interpreter(environment));
    if works && fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    if !works {
        create(base, creating, environment)?;
    }
    let mut install = program(interpreter(environment));
    install.args(["-m", "pip", "install", "--quiet"]);
    install.args(installing);
    install.args(["--disable-pip-version-check", "--requirement"]);
    execute(install.arg(requirements)).map_err(|error| {
        format!("the Python packages cannot be installed ({error}); check the network connection")
    })?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

fn create(base: &Path, options: &[&str], environment: &Path) -> Result<(), String> {
    let name = base.display();
    if !answers(base) {
        return Err(format!(
            "{name} is missing; install Python 3.11 or newer with its venv module"
        ));
    }
    execute(
        program(base)
            .args(["-m", "venv", "--clear"])
            .args(options)
            .arg(environment),
    )
    .map_err(|error| {
        format!(
            "{name} cannot create a virtual environment ({error}); install its venv module, on \
             Debian the package python3-venv"
        )
    })
}

/// Whether there is a Python at `path` that starts.
fn answers(path: &Path) -> bool {
    let mut command = program(path);
    command.arg("--version").stdout(Stdio::null());
    command.stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
