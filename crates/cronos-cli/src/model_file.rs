//! Reading and writing model files.

use crate::failure::Failure;
use cronos::{Matrix, Model};
use cronos_data::{Features, file};
use std::path::Path;

/// Reads a model.
pub fn read(path: &Path) -> Result<Model, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    Model::from_bytes(&bytes)
        .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
}

/// Writes bytes whole or not at all.
pub fn write(path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), Failure> {
    file::write_whole(path, bytes, overwrite).map_err(Failure::writing)
}

/// Refuses an output path before any work is done for it.
pub fn check_writable(path: &Path, overwrite: bool) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::Work(format!(
            "cannot write {}: it is a folder; name a file",
            path.display()
        )));
    }
    if path.exists() && !overwrite {
        return Err(Failure::Usage(format!(
            "{} exists; pass --force to overwrite it",
            path.display()
        )));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(Failure::Work(format!(
            "cannot write {}: the folder {} does not exist; create it first",
            path.display(),
            folder.display()
        )));
    }
    Ok(())
}

/// The features of a data set as a matrix.
pub fn matrix(features: Features) -> Result<Matrix<f64>, Failure> {
    Ok(Matrix::from_rows(
        features.rows,
        features.columns,
        features.values,
    )?)
}
