//! Tests of ranks that share rows, started by `mpirun`.

use crate::debian::{answers, install};
use crate::package;
use std::path::Path;
use xtask::step::{cargo, execute};

/// What is built, as for the other tests, and MPI.
const FEATURES: &str =
    "--workspace --release --locked --features cronos-cli/onnx,cronos-cli/flex,cronos-cli/mpi";

/// MPI and what its bindings are made with, or why they are not there. On Debian, as root, they are
/// installed.
pub fn find() -> Result<(), String> {
    if cfg!(not(target_os = "linux")) {
        return Err("only looked for on Linux".into());
    }
    if is_there() {
        return Ok(());
    }
    let packages = "libopenmpi-dev openmpi-bin libclang-dev";
    install(packages, "there is no MPI, or no libclang")?;
    match is_there() {
        true => Ok(()),
        false => Err("MPI was installed, but mpirun or mpicc cannot be started".into()),
    }
}

fn is_there() -> bool {
    let starts = |name: &str| answers(Path::new(name), &["--version"]);
    starts("mpirun") && starts("mpicc") && has_libclang()
}

fn has_libclang() -> bool {
    let within = |folder: &Path| {
        std::fs::read_dir(folder).is_ok_and(|files| {
            let names = files.flatten().map(|file| file.file_name());
            let mut names = names.map(|name| name.to_string_lossy().into_owned());
            names.any(|name| name.starts_with("libclang.so") || name.starts_with("libclang-"))
        })
    };
    let versions = std::fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten();
    let versions = versions.filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm"));
    let mut folders = versions.map(|entry| entry.path().join("lib"));
    std::env::var_os("LIBCLANG_PATH").is_some()
        || within(Path::new("/usr/lib"))
        || within(Path::new("/usr/lib64"))
        || folders.any(|folder| within(&folder))
}

/// The tests under `mpirun`, and lints of what only they build.
pub fn check() -> Result<(), String> {
    execute(&mut cargo(&format!(
        "test {FEATURES} --test ranks -- --test-threads=1"
    )))?;
    package::check_ranks()?;
    execute(&mut cargo(&format!(
        "clippy {FEATURES} --all-targets -- -D warnings"
    )))
}
