//! Child processes, run in the root of the workspace.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The root of the workspace.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Where cargo builds: `CARGO_TARGET_DIR`, or `target` in the root.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR").filter(|value| !value.is_empty()) {
        Some(directory) => std::path::absolute(&directory).unwrap_or(directory.into()),
        None => root().join("target"),
    }
}

/// A program that runs in the root and builds where [`target`] says.
pub fn program(path: impl Into<OsString>) -> Command {
    let mut command = Command::new(path.into());
    command.current_dir(root());
    command.env("CARGO_TARGET_DIR", target());
    command
}

/// Cargo with the arguments of a line.
pub fn cargo(line: &str) -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(line.split_whitespace());
    command
}

/// Where a program is that was built in release mode.
pub fn built(name: &str) -> PathBuf {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    target().join("release").join(name)
}

/// Runs a command and waits for it; an exit code other than 0 is an error.
pub fn execute(command: &mut Command) -> Result<(), String> {
    let name = Path::new(command.get_program()).display().to_string();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} ended with {status}")),
        Err(error) => Err(format!("{name} cannot be started: {error}")),
    }
}

/// Does a piece of work, printing its name before and its time after.
pub fn step(name: &str, work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    println!("== {name}");
    let start = Instant::now();
    let result = work();
    let seconds = start.elapsed().as_secs_f64();
    match result {
        Ok(()) => {
            println!("== {name}: passed in {seconds:.1} s");
            Ok(())
        }
        Err(error) => Err(format!("{name}: failed after {seconds:.1} s: {error}")),
    }
}
