//! Packages of Debian, installed where that is possible.

use std::path::Path;
use std::process::{Command, Stdio};
use xtask::step::{execute, program};

/// Installs packages, or says why not; `missing` is what there is not.
pub fn install(packages: &str, missing: &str) -> Result<(), String> {
    if !answers(Path::new("apt-get"), &["--version"]) {
        return Err(format!("{missing}, and no apt-get to install it with"));
    }
    if !is_root() {
        return Err(format!(
            "{missing}; install it, on Debian by apt-get install {packages}"
        ));
    }
    println!("installing {packages}");
    let get = |line: &str| {
        let mut command = program("apt-get");
        command.args(line.split_whitespace());
        command.env("DEBIAN_FRONTEND", "noninteractive");
        execute(command.stdout(Stdio::null()))
    };
    let install = format!("install --yes --no-install-recommends {packages}");
    // the lists of packages may be missing or old
    get(&install)
        .or_else(|_| get("update").and_then(|()| get(&install)))
        .map_err(|error| format!("{missing}, and it cannot be installed: {error}"))
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Whether a program starts and succeeds.
pub fn answers(name: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
