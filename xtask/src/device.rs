//! Tests on a device: a graphics card, or Mesa's program that plays one.
//!
//! What reaches a card takes many minutes to build, so it is kept in the user's cache, for all
//! copies of the workspace, and hardly optimised.

use crate::debian::install;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::step::{cargo, execute, target};

/// Where drivers of Vulkan say that they are there.
const DRIVERS: [&str; 2] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// A driver, or why there is none. On Debian, as root, Mesa's are installed if none is there.
pub fn find() -> Result<(), String> {
    if cfg!(not(target_os = "linux")) {
        return Err("only looked for on Linux".into());
    }
    if has_driver() {
        return Ok(());
    }
    install("mesa-vulkan-drivers", "there is no driver of Vulkan")?;
    match has_driver() {
        true => Ok(()),
        false => Err("Mesa's drivers were installed but there is no driver of Vulkan".into()),
    }
}

fn has_driver() -> bool {
    DRIVERS
        .iter()
        .any(|folder| std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()))
}

/// The tests of devices, on the first card there is.
pub fn check() -> Result<(), String> {
    execute(&mut kept(
        "test --profile device --locked -p cronos -p cronos-deep -p cronos-cli \
         --features cronos-cli/gpu --test devices",
    ))
}

/// Whether what cannot be run here would build: CUDA, where that needs nothing of NVIDIA's, and other
/// kernels.
pub fn check_types() -> Result<(), String> {
    let mut check =
        kept("check --profile device --locked -p cronos-cli --features cuda,vulkan,fusion");
    // else a script of a dependency fetches a compiler
    execute(check.env("DOCS_RS", "1"))
}

/// Cargo, building in the cache.
fn kept(line: &str) -> Command {
    let mut command = cargo(line);
    command.env("CARGO_TARGET_DIR", cache());
    // a program that plays a card is quickest without threads of its own, and tests run side by side
    command.env("LP_NUM_THREADS", "0");
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    command
}

fn cache() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let own = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || Some(Path::new(&variable("HOME")?).join(".cache"));
    match own.or_else(home) {
        Some(cache) => cache.join("cronos").join("device"),
        None => target().join("device"),
    }
}
