//! The Python of the check of optimizers: with the system's PyTorch, because that of Debian is
//! for processors only and small, where the usual one brings gigabytes for graphics cards.

use crate::debian::{answers, install};
use std::path::{Path, PathBuf};
use xtask::python;

/// Debian's own Python; another one in the path would not see its packages.
const SYSTEM: &str = "/usr/bin/python3";

/// The interpreter, or why there is none. On Debian, as root, what is missing is installed.
pub fn find(environment: &Path, requirements: &Path) -> Result<PathBuf, String> {
    let there = || answers(Path::new(SYSTEM), &["-c", "import torch, venv, ensurepip"]);
    if !there() {
        let missing = format!("{SYSTEM} has no PyTorch, or no venv module");
        install("python3-torch python3-venv", &missing)?;
        if !there() {
            return Err(format!("{missing}, though they were installed"));
        }
    }
    python::prepare_beside(Path::new(SYSTEM), environment, requirements)?;
    Ok(python::interpreter(environment))
}
