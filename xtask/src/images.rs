//! Fashion-MNIST, fetched as Debian's package where that is possible.

use crate::step::{execute, program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The package, and where it puts its files.
const PACKAGE: &str = "dataset-fashion-mnist";
const INSTALLED: &str = "usr/share/datasets/fashion-mnist";

/// The environment variable with the folder.
const VARIABLE: &str = "FASHION_MNIST";

/// The folder of the IDX files: `given`, or the one that `FASHION_MNIST` names, or
/// that of Debian's package, which is unpacked into `data` if it is missing.
pub fn find(given: Option<&Path>, data: &Path) -> Result<PathBuf, String> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    if let Some(folder) = given.map(Path::to_path_buf).or(named) {
        return match complete(&folder) {
            true => Ok(folder),
            false => Err(format!(
                "{} has no train-images-idx3-ubyte.gz",
                folder.display()
            )),
        };
    }
    let places = [Path::new("/").join(INSTALLED), data.join(INSTALLED)];
    if let Some(found) = places.iter().find(|place| complete(place)) {
        return Ok(found.clone());
    }
    fetch(data).map_err(|error| {
        format!("{error}; name the folder of its IDX files with --images or {VARIABLE}")
    })?;
    match complete(&places[1]) {
        true => Ok(places[1].clone()),
        false => Err(format!("the package {PACKAGE} does not hold {INSTALLED}")),
    }
}

fn complete(folder: &Path) -> bool {
    let part = |name: &str| folder.join(format!("{name}-idx3-ubyte.gz")).is_file();
    part("train-images") && part("t10k-images")
}

/// Downloads and unpacks the package; nothing is installed.
fn fetch(data: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", data.display());
    fs::create_dir_all(data).map_err(failed)?;
    println!("fetching {PACKAGE}");
    let get = |line: &str| {
        let mut command = program("apt-get");
        command.args(line.split_whitespace()).current_dir(data);
        execute(command.stdout(Stdio::null()).stderr(Stdio::null()))
    };
    let download = format!("download {PACKAGE}");
    // the lists of packages may be missing or old
    get(&download).or_else(|_| get("update").and_then(|()| get(&download)))?;
    for entry in fs::read_dir(data).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            execute(program("dpkg-deb").arg("-x").arg(&path).arg(data))?;
        }
    }
    Ok(())
}
