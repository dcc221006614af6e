//! What a training asks for before any work is done.

use crate::failure::{self, Failure};
use crate::model_file;
use cronos::Status;
use std::path::Path;
use std::process::ExitCode;

/// Refuses a folder for a report that is a file or holds one of its files.
pub(super) fn check_folder(
    folder: Option<&Path>,
    names: &[&str],
    force: bool,
) -> Result<(), Failure> {
    let Some(folder) = folder.filter(|folder| folder.exists()) else {
        return Ok(());
    };
    if !folder.is_dir() {
        return Err(Failure::Work(format!(
            "cannot write a report to {}: it is a file; name a folder",
            folder.display()
        )));
    }
    for name in names {
        model_file::check_writable(&folder.join(name), force)?;
    }
    Ok(())
}

pub(super) fn check_holdout(fraction: Option<f64>) -> Result<(), Failure> {
    match fraction {
        Some(fraction) if !(0.0..1.0).contains(&fraction) => Err(Failure::Usage(format!(
            "holdout is {fraction}; it must be at least 0 and less than 1"
        ))),
        _ => Ok(()),
    }
}

pub(super) fn start_threads(threads: Option<usize>) -> Result<(), Failure> {
    if threads == Some(0) {
        return Err(Failure::Usage("threads is 0; it must be at least 1".into()));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build_global()
        .map_err(|error| Failure::Work(format!("cannot start threads: {error}")))
}

/// The exit code that says how a run ended.
pub(super) fn exit_code(status: Status, strict: bool) -> ExitCode {
    match status {
        Status::Interrupted => ExitCode::from(failure::INTERRUPTED),
        Status::Solved => ExitCode::SUCCESS,
        Status::NumericalFailure => ExitCode::from(1),
        _ if strict => ExitCode::from(failure::TOLERANCE_NOT_REACHED),
        _ => ExitCode::SUCCESS,
    }
}
