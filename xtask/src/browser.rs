//! The browser of the check of pages: Chromium, installed where that is possible.

use crate::debian::{answers, install};
use std::path::{Path, PathBuf};

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
    install("chromium", "there is no Chromium")?;
    installed().ok_or_else(|| "Chromium was installed but does not start".into())
}

fn installed() -> Option<PathBuf> {
    let found = NAMES
        .iter()
        .map(Path::new)
        .find(|name| answers(name, &["--version"]));
    found.map(Path::to_path_buf)
}
