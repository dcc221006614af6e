//! Reading and writing model files.

use crate::failure::Failure;
use crate::in_file::InFile;
use cronos::{Bytes, Matrix, Model, Table};
use cronos_data::{DataError, Features, Values, file};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Whether a path names a model rather than data: by its extension, or by how it begins.
pub fn looks_like_one(path: &Path) -> bool {
    /// The longest header a safetensors file may have.
    const LONGEST: u64 = 100_000_000;
    if path
        .extension()
        .is_some_and(|ending| ending == "safetensors")
    {
        return true;
    }
    let mut head = [0; 9];
    let begins = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    let [length @ .., first] = head;
    begins.is_ok() && first == b'{' && u64::from_le_bytes(length) <= LONGEST
}

/// Reads a model.
pub fn read(path: &Path) -> Result<Model, Failure> {
    let bytes = std::fs::read(path).map_err(|source| {
        Failure::reading(DataError::Io {
            action: "read",
            path: path.display().to_string(),
            source,
        })
    })?;
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
    file::check(path, overwrite).map_err(Failure::writing)?;
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

/// The features of a data set as they were read: bytes stay bytes.
pub fn table(features: Features) -> Result<Box<dyn Table>, Failure> {
    table_within(features, None)
}

/// The same; those of a file stay there if they take more memory than there is, as numbers and as the
/// solver sees them.
pub fn table_within(features: Features, memory: Option<u64>) -> Result<Box<dyn Table>, Failure> {
    let (rows, columns) = (features.rows, features.columns);
    let bytes = (size_of::<f64>() + size_of::<f32>()) as u64;
    let bytes = (rows as u64)
        .saturating_mul(columns as u64)
        .saturating_mul(bytes);
    Ok(match features.values {
        Values::Bytes(bytes) => Box::new(Bytes::from_rows(rows, columns, bytes)?),
        Values::Numbers(numbers) => Box::new(Matrix::from_rows(rows, columns, numbers)?),
        Values::Stored(numbers) => {
            let streams = memory.is_some_and(|memory| bytes > memory);
            Box::new(InFile::new(numbers, streams))
        }
    })
}
