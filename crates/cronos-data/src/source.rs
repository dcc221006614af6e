//! From a path or a built-in name to a reader.

use std::fs;
use std::path::Path;

use crate::dataset::{Dataset, Loaded};
use crate::delimiter::Delimiter;
use crate::error::DataError;
use crate::options::ReadOptions;
use crate::stream;
use crate::table::Table;
use crate::{cifar, digits, idx, images, npy, npz, parquet, svm};

/// A file's format, as told by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Table(Delimiter),
    Parquet,
    Npy,
    Npz,
    Idx,
    Cifar,
    Svm,
    Image,
}

/// Reads a data set from a file, a folder of IDX files, CIFAR-10 files or images, or the built-in
/// `digits`.
///
/// The format follows from the name: `.csv`, `.tsv`, `.txt`, `.libsvm`, `.svm` and `.svmlight`
/// (each also packed with gzip), `.parquet`, `.npy`, `.npz`, IDX as `train-images-idx3-ubyte` or `.idx`
/// (also packed), CIFAR-10 as `data_batch_1.bin` (also packed), and `.jpg`, `.jpeg` and `.png`.
///
/// # Errors
/// When the file cannot be read, or when its content is refused.
pub fn read(source: &str, options: &ReadOptions) -> Result<Loaded, DataError> {
    if source == digits::NAME {
        return Ok(whole(digits::read(options)?));
    }
    let metadata = fs::metadata(source).map_err(|e| DataError::io("read", source, e))?;
    if metadata.is_dir() {
        return read_folder(source, options);
    }
    match format(source) {
        Some(Format::Table(delimiter)) => {
            let table = Table {
                file: source,
                name: short_name(source),
                stream: stream::open(source)?,
                delimiter,
                names: None,
            };
            Ok(whole(table.read(options)?))
        }
        Some(Format::Parquet) => Ok(whole(parquet::read(source, options)?)),
        Some(Format::Npy) => {
            let array = match options.in_file {
                true => npy::open_stored(source)?,
                false => npy::open(source)?,
            };
            let answer = crate::array::Answer::Search;
            let dataset = array.into_dataset(source, short_name(source), answer, None, options)?;
            Ok(whole(dataset))
        }
        Some(Format::Npz) => npz::read(source, options),
        Some(Format::Idx) => Ok(whole(idx::read(source, options)?)),
        Some(Format::Cifar) => Ok(whole(cifar::read(source, options)?)),
        Some(Format::Svm) => Ok(whole(svm::read(source, options)?)),
        Some(Format::Image) => Ok(whole(images::read_file(source, options)?)),
        None => Err(DataError::content(
            source,
            "its extension is not known; supported are .csv, .tsv, .txt, .libsvm, .svm and \
             .svmlight (each also .gz), .parquet, .npy, .npz, IDX files (-idx3-ubyte or .idx, also .gz), \
             CIFAR-10 files (data_batch_1.bin), images (.jpg, .jpeg, .png), a folder of any of \
             these three, and the built-in name digits",
        )),
    }
}

fn read_folder(path: &str, options: &ReadOptions) -> Result<Loaded, DataError> {
    for reader in [cifar::read_folder, idx::read_folder, images::read_folder] {
        if let Some(loaded) = reader(path, options)? {
            return Ok(loaded);
        }
    }
    Err(DataError::content(
        path,
        "the folder has no IDX file train-images…, no CIFAR-10 file data_batch… and no .jpg, .jpeg \
         or .png image, be it in a folder for each class or in itself; name a file in it instead",
    ))
}

fn whole(train: Dataset) -> Loaded {
    Loaded { train, test: None }
}

/// The format that a path's name tells.
pub(crate) fn format(path: &str) -> Option<Format> {
    let name = Path::new(path).file_name()?.to_string_lossy();
    let name = name.to_ascii_lowercase();
    let (plain, packed) = match name.strip_suffix(".gz") {
        Some(plain) => (plain, true),
        None => (&name[..], false),
    };
    let extension = Path::new(plain).extension();
    match extension.and_then(|e| e.to_str()).unwrap_or_default() {
        "csv" => Some(Format::Table(Delimiter::Comma)),
        "tsv" => Some(Format::Table(Delimiter::Tab)),
        "txt" => Some(Format::Table(Delimiter::Unknown)),
        "parquet" | "pq" if !packed => Some(Format::Parquet),
        "npy" if !packed => Some(Format::Npy),
        "npz" if !packed => Some(Format::Npz),
        "libsvm" | "svm" | "svmlight" => Some(Format::Svm),
        _ if !packed && images::is_called_so(plain) => Some(Format::Image),
        _ if cifar::is_called_so(plain) => Some(Format::Cifar),
        _ if is_idx(plain) => Some(Format::Idx),
        _ => None,
    }
}

/// `.idx`, or `idx` with a number of dimensions and perhaps a type, as `-idx3-ubyte`.
fn is_idx(name: &str) -> bool {
    let Some((before, after)) = name.rsplit_once("idx") else {
        return false;
    };
    let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
    before.ends_with(['-', '.']) && (after.is_empty() || after.starts_with('-'))
}

/// Whether a path's name tells a format that can hold nothing but a target.
pub(crate) fn holds_arrays(path: &str) -> bool {
    matches!(format(path), Some(Format::Npy | Format::Npz | Format::Idx))
}

/// Bytes that the numbers of a file take in memory, if its format tells without reading them.
pub fn bytes_of_numbers(path: &str) -> Option<u64> {
    match format(path)? {
        Format::Parquet => parquet::bytes_of_numbers(path),
        _ => None,
    }
}

/// A path's last part without its extensions.
pub(crate) fn short_name(path: &str) -> String {
    let name = match Path::new(path).file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => path.to_owned(),
    };
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    match plain.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => plain.to_owned(),
    }
}
