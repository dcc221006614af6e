//! The binary files of CIFAR-10: for every image its label, then the red, the green and the
//! blue values of its pixels, one byte each.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::array::{Answer, Array, Elements};
use crate::dataset::{Dataset, Loaded, Target};
use crate::error::DataError;
use crate::options::ReadOptions;
use crate::origin::Origin;
use crate::{source, stream};

const SIDE: usize = 32;
const CHANNELS: usize = 3;
const PIXELS: usize = SIDE * SIDE;
/// A label, and an image.
const RECORD: usize = 1 + CHANNELS * PIXELS;
const CLASSES: u8 = 10;

/// Whether a file is called as those of CIFAR-10 are; `name` is in lower case and unpacked.
pub(crate) fn is_called_so(name: &str) -> bool {
    name.ends_with(".bin") && (name.starts_with("data_batch") || name.starts_with("test_batch"))
}

/// Reads one file.
pub(crate) fn read(path: &str, options: &ReadOptions) -> Result<Dataset, DataError> {
    let mut images = Images::default();
    images.add(path)?;
    images.into_dataset(path, source::short_name(path), options)
}

/// Reads `data_batch…` of a folder and, if it is there, `test_batch…`; `None` if the folder
/// does not hold CIFAR-10.
pub(crate) fn read_folder(path: &str, options: &ReadOptions) -> Result<Option<Loaded>, DataError> {
    let failed = |e| DataError::io("read", path, e);
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        if let Ok(name) = entry.map_err(failed)?.file_name().into_string()
            && source::format(&name) == Some(source::Format::Cifar)
        {
            files.push(name);
        }
    }
    // The second part comes before the tenth.
    files.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let (batches, tests): (Vec<String>, Vec<String>) = files
        .into_iter()
        .partition(|name| name.to_ascii_lowercase().starts_with("data"));
    if batches.is_empty() {
        return Ok(None);
    }
    let name = source::short_name(path);
    let part = |files: &[String], name: String, options: &ReadOptions| {
        let mut images = Images::default();
        for file in files {
            images.add(&Path::new(path).join(file).to_string_lossy())?;
        }
        images.into_dataset(path, name, options)
    };
    let train = part(&batches, name.clone(), options)?;
    let test = match &tests[..] {
        [] => None,
        tests => {
            let options = options.of_test_part();
            Some(part(tests, format!("{name}-test"), &options)?)
        }
    };
    Ok(Some(Loaded { train, test }))
}

/// The images read so far, and their labels.
#[derive(Default)]
struct Images {
    values: Vec<u8>,
    labels: Vec<f64>,
}

impl Images {
    /// Adds the images of a file; memory grows with what is read.
    fn add(&mut self, path: &str) -> Result<(), DataError> {
        let mut stream = stream::open(path)?;
        let mut record = Vec::with_capacity(RECORD);
        for count in 0usize.. {
            record.clear();
            stream
                .by_ref()
                .take(RECORD as u64)
                .read_to_end(&mut record)
                .map_err(|e| DataError::reading(path, e))?;
            match (&record[..], record.len()) {
                ([], _) if count > 0 => return Ok(()),
                ([], _) => {
                    let what = "it is empty; at least one image is needed";
                    return Err(DataError::content(path, what));
                }
                ([label @ 0..CLASSES, planes @ ..], RECORD) => {
                    self.labels.push(f64::from(*label));
                    // As other images are held, all channels of a pixel together.
                    for pixel in 0..PIXELS {
                        let channel = |c: usize| planes[c * PIXELS + pixel];
                        self.values.extend((0..CHANNELS).map(channel));
                    }
                }
                ([label, ..], RECORD) => {
                    return Err(DataError::content(
                        path,
                        format!(
                            "image {}: its label is {label}, but those of CIFAR-10 are 0 to 9; \
                             check that the file is one of its binary version",
                            count + 1
                        ),
                    ));
                }
                (_, length) => {
                    return Err(DataError::content(
                        path,
                        format!(
                            "image {}: it has {length} bytes, but an image takes {RECORD}; get the \
                             file again, in the binary version of CIFAR-10",
                            count + 1
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    fn into_dataset(
        self,
        file: &str,
        name: String,
        options: &ReadOptions,
    ) -> Result<Dataset, DataError> {
        let rows = self.labels.len();
        let answer = Answer::label(&options.target, || {
            let target = Target::Numbers {
                columns: 1,
                values: self.labels,
            };
            Ok((target, Origin::array(file, rows)))
        })?;
        let array = Array {
            shape: vec![rows, SIDE, SIDE, CHANNELS],
            values: Elements::Bytes(self.values),
        };
        array.into_dataset(file, name, answer, None, options)
    }
}
