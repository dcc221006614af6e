//! The browser of the check of pages: Chromium, installed where that is possible.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::step::{execute, program};

/// Names under which Chromium is installed.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The browser, or why there is none. On Debian, as root, it is installed if it
/// is missing.
pub fn find() -> Result<PathBuf, String> {
    if !cfg!(unix) {
        return Err("the browser is driven through a pipe, which needs Unix".into());
    }
    if let Some(found) = installed() {
        return Ok(found);
    }
    install()?;
    installed().ok_or_else(|| "Chromium was installed but does not start".into())
}

fn installed() -> Option<PathBuf> {
    let found = NAMES
        .iter()
        .map(Path::new)
        .find(|name| answers(name, "--version"));
    found.map(Path::to_path_buf)
}

/// Installs Debian's package.
fn install() -> Result<(), String> {
    let missing = "there is no Chromium";
    if !answers(Path::new("apt-get"), "--version") {
        return Err(format!("{missing}; install it so that `chromium` starts"));
    }
    if !is_root() {
        return Err(format!(
            "{missing}; install it, on Debian the package chromium"
        ));
    }
    println!("installing chromium");
    let get = |line: &str| {
        let mut command = program("apt-get");
        command.args(line.split_whitespace());
        command.env("DEBIAN_FRONTEND", "noninteractive");
        execute(command.stdout(Stdio::null()))
    };
    let install = "install --yes --no-install-recommends chromium";
    // the lists of packages may be missing or old
    get(install)
        .or_else(|_| get("update").and_then(|()| get(install)))
        .map_err(|error| format!("{missing}, and it cannot be installed: {error}"))
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Whether a program starts.
fn answers(name: &Path, argument: &str) -> bool {
    let mut command = Command::new(name);
    command.arg(argument).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
