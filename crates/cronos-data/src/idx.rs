//! IDX files, the format of MNIST.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::answers;
use crate::array::{Answer, Array, Elements};
use crate::dataset::{Dataset, Loaded};
use crate::error::DataError;
use crate::options::{ReadOptions, TargetColumn};
use crate::origin::Origin;
use crate::source;
use crate::stream;

const MOST_DIMENSIONS: usize = 8;

/// Reads a file of images or rows; the labels are looked for beside it.
pub(crate) fn read(path: &str, options: &ReadOptions) -> Result<Dataset, DataError> {
    let array = open(path)?;
    let answer = match (labels_beside(path), &options.target) {
        (Some(labels), wanted) => {
            let rows = array.shape.first().copied().unwrap_or(0);
            Answer::label(wanted, || {
                let target = answers::read(&labels, path, rows)?;
                Ok((target, Origin::array(&labels, rows)))
            })?
        }
        (None, TargetColumn::Auto) if is_images(path) => Answer::None,
        (None, _) => Answer::Search,
    };
    array.into_dataset(path, source::short_name(path), answer, None, options)
}

/// Reads `train-images…` of a folder and, if it is there, `t10k-images…`; `None` if the folder
/// does not hold IDX files.
pub(crate) fn read_folder(path: &str, options: &ReadOptions) -> Result<Option<Loaded>, DataError> {
    let failed = |e| DataError::io("read", path, e);
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        if let Ok(name) = entry.map_err(failed)?.file_name().into_string() {
            files.push(name);
        }
    }
    // Sorted, an unpacked file comes before its packed copy.
    files.sort();
    let find = |starts: &[&str]| {
        files
            .iter()
            .find(|file| {
                source::format(file) == Some(source::Format::Idx)
                    && starts.iter().any(|start| file.starts_with(start))
            })
            .map(|file| Path::new(path).join(file).to_string_lossy().into_owned())
    };
    let Some(train) = find(&["train-images", "train_images"]) else {
        return Ok(None);
    };
    let name = source::short_name(path);
    let mut train = read(&train, options)?;
    train.name.clone_from(&name);
    let test = match find(&["t10k-images", "t10k_images", "test-images", "test_images"]) {
        Some(test) => {
            let options = options.of_test_part();
            let mut test = read(&test, &options)?;
            test.name = format!("{name}-test");
            if test.features.columns != train.features.columns {
                return Err(DataError::content(
                    path,
                    format!(
                        "its test images have {} pixels but its training images {}; they must \
                         be equal",
                        test.features.columns, train.features.columns
                    ),
                ));
            }
            Some(test)
        }
        None => None,
    };
    Ok(Some(Loaded { train, test }))
}

fn is_images(path: &str) -> bool {
    file_name(path).contains("images")
}

fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn labels_beside(path: &str) -> Option<String> {
    if !is_images(path) {
        return None;
    }
    let name = file_name(path)
        .replace("images", "labels")
        .replace("idx3", "idx1");
    let other = match name.strip_suffix(".gz") {
        Some(unpacked) => unpacked.to_owned(),
        None => format!("{name}.gz"),
    };
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    [name, other]
        .iter()
        .map(|name| folder.join(name))
        .find(|file| file.is_file())
        .map(|file| file.to_string_lossy().into_owned())
}

/// Opens an IDX file, packed or not.
pub(crate) fn open(path: &str) -> Result<Array, DataError> {
    let mut stream = stream::open(path)?;
    let mut magic = [0; 4];
    fill(&mut stream, &mut magic, path)?;
    let dimensions = usize::from(magic[3]);
    let element = Element::new(magic[2]);
    let (Some(element), [0, 0], 1..=MOST_DIMENSIONS) = (element, &magic[..2], dimensions) else {
        return Err(DataError::content(
            path,
            "it does not start like an IDX file; check that it is one",
        ));
    };
    let mut shape = Vec::with_capacity(dimensions);
    let mut count = 1usize;
    for _ in 0..dimensions {
        let mut size = [0; 4];
        fill(&mut stream, &mut size, path)?;
        let size = u32::from_be_bytes(size) as usize;
        shape.push(size);
        count = match count.checked_mul(size) {
            Some(0) => {
                return Err(DataError::content(
                    path,
                    "its header declares no elements; at least one row is needed",
                ));
            }
            Some(count) => count,
            None => {
                return Err(DataError::content(
                    path,
                    format!("its header declares the sizes {shape:?}, more than there can be"),
                ));
            }
        };
    }
    let declared = (count, &shape[..]);
    let values = match element.code {
        0x08 => Elements::Bytes(element.read(&mut stream, declared, path, |bytes| bytes[0])?),
        _ => Elements::Numbers(
            element.read(&mut stream, declared, path, |bytes| element.value(bytes))?,
        ),
    };
    Ok(Array { shape, values })
}

/// Fills `bytes`, or refuses a file that ends first.
fn fill(stream: &mut impl Read, bytes: &mut [u8], path: &str) -> Result<(), DataError> {
    stream
        .read_exact(bytes)
        .map_err(|e| DataError::reading(path, e))
}

/// The type of an element.
#[derive(Clone, Copy)]
struct Element {
    code: u8,
    width: usize,
}

impl Element {
    fn new(code: u8) -> Option<Self> {
        let width = match code {
            0x08 | 0x09 => 1,
            0x0b => 2,
            0x0c | 0x0d => 4,
            0x0e => 8,
            _ => return None,
        };
        Some(Element { code, width })
    }

    /// The value of an element's bytes, which are big-endian.
    fn value(self, bytes: &[u8]) -> f64 {
        match (self.code, bytes) {
            (0x09, &[a]) => f64::from(i8::from_be_bytes([a])),
            (0x0b, &[a, b]) => f64::from(i16::from_be_bytes([a, b])),
            (0x0c, &[a, b, c, d]) => f64::from(i32::from_be_bytes([a, b, c, d])),
            (0x0d, &[a, b, c, d]) => f64::from(f32::from_be_bytes([a, b, c, d])),
            (0x0e, &[a, b, c, d, e, f, g, h]) => f64::from_be_bytes([a, b, c, d, e, f, g, h]),
            _ => f64::NAN,
        }
    }

    /// Reads `count` elements and makes sure that the file then ends. Memory grows with what
    /// is read, whatever `count` claims.
    fn read<T>(
        self,
        stream: &mut impl Read,
        (count, shape): (usize, &[usize]),
        path: &str,
        value: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>, DataError> {
        // A multiple of every width.
        let mut chunk = vec![0; 1 << 16];
        let mut values = Vec::new();
        while values.len() < count {
            let wanted = (count - values.len())
                .saturating_mul(self.width)
                .min(chunk.len());
            let mut got = 0;
            while got < wanted {
                match stream.read(&mut chunk[got..wanted]) {
                    Ok(0) => break,
                    Ok(more) => got += more,
                    Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(e) => return Err(DataError::reading(path, e)),
                }
            }
            values.extend(chunk[..got].chunks_exact(self.width).map(&value));
            if got < wanted {
                return Err(DataError::content(
                    path,
                    format!(
                        "its header declares {shape:?}, {count} elements, but it ends after {}; \
                         get the file again",
                        values.len()
                    ),
                ));
            }
        }
        match stream.read(&mut [0]) {
            Ok(0) => Ok(values),
            Ok(_) => Err(DataError::content(
                path,
                format!("its header declares {shape:?}, but it holds more; get the file again"),
            )),
            Err(e) => Err(DataError::reading(path, e)),
        }
    }
}
