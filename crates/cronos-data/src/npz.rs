//! NumPy's archives of arrays.

use std::fs::File;
use std::io::{BufReader, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::answers;
use crate::array::{Answer, Array};
use crate::dataset::{Dataset, Loaded};
use crate::error::{DataError, listed, quoted};
use crate::npy;
use crate::options::{ReadOptions, TargetColumn, WeightColumn};
use crate::origin::Origin;
use crate::source;
use crate::weights;

const FEATURES: [&str; 6] = ["X", "x", "data", "features", "x_train", "X_train"];
const TARGETS: [&str; 7] = ["y", "Y", "target", "labels", "label", "y_train", "Y_train"];
const TEST_FEATURES: [&str; 2] = ["x_test", "X_test"];
const TEST_TARGETS: [&str; 2] = ["y_test", "Y_test"];
/// Deflate cannot pack tighter than this, so an entry that declares more lies.
const TIGHTEST_PACKING: u64 = 1032;

/// An open archive.
struct Archive<'a> {
    file: &'a str,
    zip: ZipArchive<BufReader<File>>,
    /// The arrays' names with their places in the archive.
    arrays: Vec<(String, usize)>,
}

/// Reads the features, the target and, if there is one, the test part.
pub(crate) fn read(path: &str, options: &ReadOptions) -> Result<Loaded, DataError> {
    let mut archive = Archive::open(path)?;
    let name = source::short_name(path);
    let features = match (archive.find(&FEATURES), &archive.arrays[..]) {
        (Some(features), _) => features,
        (None, [(only, _)]) => only.clone(),
        _ => {
            return Err(DataError::content(
                path,
                format!(
                    "none of its arrays {} is called X, x, data, features or x_train; rename one",
                    listed(&archive.names())
                ),
            ));
        }
    };
    let target = match &options.target {
        TargetColumn::Named(wanted) => archive.find(&[wanted]),
        TargetColumn::Auto => archive.find(&TARGETS),
        TargetColumn::Absent => None,
    };
    let weights = match &options.weight {
        WeightColumn::Named(wanted) | WeightColumn::IfThere(wanted) => archive.find(&[wanted]),
        WeightColumn::Absent => None,
    };
    let also = (target.as_deref(), weights.as_deref());
    let train = archive.part(&name, &features, also, options)?;
    // A column index means the same in both parts; a file belongs to the first one only.
    let by_column = matches!(&options.target, TargetColumn::Named(wanted)
        if target.is_none() && !source::holds_arrays(wanted));
    let test = match archive.find(&TEST_FEATURES) {
        Some(features) if features != train.0 => {
            let (target, column) = match options.target {
                _ if by_column => (None, options.target.clone()),
                TargetColumn::Absent => (None, TargetColumn::Absent),
                _ => (archive.find(&TEST_TARGETS), TargetColumn::Absent),
            };
            let (weights, weight) = match (&options.weight, weights) {
                (_, Some(weights)) => (archive.test_array(&weights), WeightColumn::Absent),
                (WeightColumn::Named(wanted), None) => {
                    (None, WeightColumn::IfThere(wanted.clone()))
                }
                (weight, None) => (None, weight.clone()),
            };
            let options = ReadOptions {
                target: column,
                weight,
                ..options.clone()
            };
            let name = format!("{name}-test");
            let also = (target.as_deref(), weights.as_deref());
            let part = archive.part(&name, &features, also, &options)?;
            Some(part.1)
        }
        _ => None,
    };
    let train = train.1;
    if let Some(test) = &test
        && test.features.columns != train.features.columns
    {
        return Err(DataError::content(
            path,
            format!(
                "its test part has {} features but its training part {}; they must be equal",
                test.features.columns, train.features.columns
            ),
        ));
    }
    Ok(Loaded { train, test })
}

/// Reads the target from an archive given as a target file.
pub(crate) fn open_target(path: &str) -> Result<Array, DataError> {
    let mut archive = Archive::open(path)?;
    let name = match (archive.find(&TARGETS), &archive.arrays[..]) {
        (Some(name), _) => name,
        (None, [(only, _)]) => only.clone(),
        _ => {
            return Err(DataError::content(
                path,
                format!(
                    "none of its arrays {} is called y, target or labels; rename one",
                    listed(&archive.names())
                ),
            ));
        }
    };
    archive.array(&name)
}

impl<'a> Archive<'a> {
    fn open(path: &'a str) -> Result<Self, DataError> {
        let file = File::open(path).map_err(|e| DataError::io("read", path, e))?;
        let reader = BufReader::with_capacity(1 << 16, file);
        let mut zip = ZipArchive::new(reader).map_err(|e| refuse(path, e))?;
        if zip.has_duplicate_names() {
            let twice = "it holds two arrays of the same name; give each a name of its own";
            return Err(DataError::content(path, twice));
        }
        if zip.has_overlapping_files().map_err(|e| refuse(path, e))? {
            let overlap = "it is damaged: two of its arrays are the same bytes; write it again";
            return Err(DataError::content(path, overlap));
        }
        let mut arrays = Vec::new();
        for index in 0..zip.len() {
            if let Some(Ok(name)) = zip.name_for_index(index)
                && let Some(name) = name.strip_suffix(".npy")
            {
                arrays.push((name.to_owned(), index));
            }
        }
        if arrays.is_empty() {
            return Err(DataError::content(
                path,
                "it holds no arrays; write it with numpy.savez",
            ));
        }
        Ok(Archive {
            file: path,
            zip,
            arrays,
        })
    }

    fn names(&self) -> Vec<&str> {
        self.arrays.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn find(&self, wanted: &[&str]) -> Option<String> {
        let there = |name: &&&str| self.arrays.iter().any(|(array, _)| array == *name);
        wanted.iter().find(there).map(|name| (*name).to_owned())
    }

    /// The array of the test part that goes with one of the training part, if it is there.
    fn test_array(&self, name: &str) -> Option<String> {
        if name.contains("train") {
            return self.find(&[&name.replace("train", "test")]);
        }
        self.find(&[&format!("{name}_test"), &format!("test_{name}")])
    }

    /// One part of the data, with the name of the array it came from; `also` are the arrays
    /// of the target and of the weights.
    fn part(
        &mut self,
        name: &str,
        features: &str,
        also: (Option<&str>, Option<&str>),
        options: &ReadOptions,
    ) -> Result<(String, Dataset), DataError> {
        let array = self.array(features)?;
        let place = self.place(features);
        let rows = array.shape.first().copied().unwrap_or(0);
        let answer = match also.0 {
            Some(target) if target != features => {
                let place = self.place(target);
                let found = self.array(target)?.into_target(&place)?;
                answers::check_rows(found.len(), "the target", &place, &quoted(features), rows)?;
                Answer::Known(target.to_owned(), found, Origin::array(&place, rows))
            }
            // Beside other arrays a last column is unlikely to be the target.
            None if self.arrays.len() > 1 && options.target == TargetColumn::Auto => Answer::None,
            _ => Answer::Search,
        };
        let weights = match also.1 {
            Some(weights) => {
                let place = self.place(weights);
                let found = weights::of_array(self.array(weights)?, &place)?;
                let what = "the array of weights";
                answers::check_rows(found.len(), what, &place, &quoted(features), rows)?;
                Some((weights.to_owned(), found))
            }
            None => None,
        };
        let dataset = array.into_dataset(&place, name.to_owned(), answer, weights, options)?;
        Ok((features.to_owned(), dataset))
    }

    fn place(&self, array: &str) -> String {
        format!("{}, array {}", self.file, quoted(array))
    }

    fn array(&mut self, name: &str) -> Result<Array, DataError> {
        let place = self.place(name);
        let index = self.arrays.iter().find(|(array, _)| array == name);
        let index = index.map_or(usize::MAX, |(_, index)| *index);
        let mut entry = self.zip.by_index(index).map_err(|e| refuse(&place, e))?;
        let (size, packed) = (entry.size(), entry.compressed_size());
        if size > packed.saturating_mul(TIGHTEST_PACKING).saturating_add(1024) {
            return Err(DataError::content(
                place,
                format!("it declares {size} bytes, which {packed} packed bytes cannot hold"),
            ));
        }
        let array = npy::read(BufReader::new(entry.by_ref().take(size)), size, &place)?;
        // The read past the end makes the archive compare its checksum, too.
        match entry.read(&mut [0]) {
            Ok(0) => Ok(array),
            Ok(_) => Err(DataError::content(
                place,
                format!("it holds more than the {size} bytes it declares; it is damaged"),
            )),
            Err(e) => Err(DataError::reading(place, e)),
        }
    }
}

fn refuse(file: &str, error: ZipError) -> DataError {
    match error {
        ZipError::Io(source) => DataError::reading(file, source),
        _ => DataError::content(
            file,
            "it is not a readable npz archive; write it again with numpy.savez",
        ),
    }
}
