//! Models in GGUF files, versions 2 and 3: their metadata, and their tensors as single
//! precision whatever they are stored as.

mod bytes;
mod formats;
mod header;
mod quants;
mod super_blocks;
#[cfg(test)]
mod tests;
mod tokenizer;
mod value;

pub use header::Tensor;
pub use value::{Numbers, Value};

use cronos::Error;
use formats::Format;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Bytes of a tensor that are read at once.
const PIECE: usize = 1 << 20;

/// An open GGUF file: the header is read, the tensors are on the disk.
#[derive(Debug)]
pub struct Gguf {
    path: PathBuf,
    file: Mutex<File>,
    version: u32,
    entries: BTreeMap<String, Value>,
    tensors: Vec<Tensor>,
    by_name: BTreeMap<String, usize>,
    /// Where the data of the tensors begins.
    data: u64,
}

impl Gguf {
    /// Opens the file and reads its header. Everything the header declares is compared
    /// with what the file holds.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let unreadable = |error| refused(path, &format!("cannot be read ({error})"));
        let mut file = File::open(path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        let header = header::read(&mut file, length).map_err(|why| refused(path, &why))?;
        let names = header.tensors.iter().enumerate();
        Ok(Self {
            path: path.to_path_buf(),
            file: Mutex::new(file),
            version: header.version,
            entries: header.entries,
            by_name: names.map(|(at, t)| (t.name.clone(), at)).collect(),
            tensors: header.tensors,
            data: header.data,
        })
    }

    /// The version of the format, 2 or 3.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// All metadata, by key.
    pub fn entries(&self) -> &BTreeMap<String, Value> {
        &self.entries
    }

    /// The list of the tensors, in the order of the file.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// Whether there is a tensor of this name.
    pub fn has_tensor(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Whether there is metadata under this key.
    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// The text under a key.
    pub fn get_str(&self, key: &str) -> Result<&str, Error> {
        self.entry(key, "a text", Value::as_str)
    }

    /// The truth value under a key.
    pub fn get_bool(&self, key: &str) -> Result<bool, Error> {
        self.entry(key, "true or false", Value::as_bool)
    }

    /// The whole number under a key, of any width that fits.
    pub fn get_u32(&self, key: &str) -> Result<u32, Error> {
        let number = |value: &Value| value.as_u64()?.try_into().ok();
        self.entry(key, "a whole number from 0 below 2^32", number)
    }

    /// The whole number under a key.
    pub fn get_u64(&self, key: &str) -> Result<u64, Error> {
        self.entry(key, "a whole number from 0", Value::as_u64)
    }

    /// The signed number under a key, of any width that fits.
    pub fn get_i32(&self, key: &str) -> Result<i32, Error> {
        let number = |value: &Value| value.as_i64()?.try_into().ok();
        self.entry(key, "a whole number of 32 bits", number)
    }

    /// The real number under a key.
    pub fn get_f32(&self, key: &str) -> Result<f32, Error> {
        self.entry(key, "a real number", |value| Some(value.as_f64()? as f32))
    }

    /// The list of texts under a key.
    pub fn get_strings(&self, key: &str) -> Result<&[String], Error> {
        self.entry(key, "a list of texts", Value::as_strings)
    }

    /// The list of whole numbers under a key.
    pub fn get_u32s(&self, key: &str) -> Result<Vec<u32>, Error> {
        let each = |value: Value| value.as_u64()?.try_into().ok();
        let list = |value: &Value| value.as_numbers()?.iter().map(each).collect();
        self.entry(key, "a list of whole numbers from 0 below 2^32", list)
    }

    /// The list of signed numbers under a key.
    pub fn get_i32s(&self, key: &str) -> Result<Vec<i32>, Error> {
        let each = |value: Value| value.as_i64()?.try_into().ok();
        let list = |value: &Value| value.as_numbers()?.iter().map(each).collect();
        self.entry(key, "a list of whole numbers of 32 bits", list)
    }

    /// The list of real numbers under a key.
    pub fn get_f32s(&self, key: &str) -> Result<Vec<f32>, Error> {
        let each = |value: Value| Some(value.as_f64()? as f32);
        let list = |value: &Value| value.as_numbers()?.iter().map(each).collect();
        self.entry(key, "a list of real numbers", list)
    }

    fn entry<'a, T>(
        &'a self,
        key: &str,
        expected: &str,
        take: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T, Error> {
        let Some(value) = self.entries.get(key) else {
            return Err(refused(
                &self.path,
                &format!("has no metadata `{key}`, which should be {expected}"),
            ));
        };
        take(value).ok_or_else(|| {
            let found = value.describe();
            refused(
                &self.path,
                &format!("has {found} as its metadata `{key}`, not {expected}"),
            )
        })
    }

    /// A tensor in single precision: its shape with the rows first (a weight is outputs x
    /// inputs, the reverse of the order in the file), and its numbers row by row.
    pub fn tensor(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>), Error> {
        let Some(&at) = self.by_name.get(name) else {
            return Err(refused(&self.path, &format!("has no tensor `{name}`")));
        };
        let tensor = &self.tensors[at];
        let Some(format) = tensor.format() else {
            return Err(refused(
                &self.path,
                &format!(
                    "stores tensor `{name}` as {}, which cannot be read here; take a file \
                     of the same model in {}",
                    tensor.type_name(),
                    formats::READABLE
                ),
            ));
        };
        let values = self.values(tensor, format)?;
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let value = values[at];
            return Err(refused(
                &self.path,
                &format!("holds {value} at place {at} of tensor `{name}`; it is damaged"),
            ));
        }
        Ok((tensor.shape.iter().rev().copied().collect(), values))
    }

    fn values(&self, tensor: &Tensor, format: &Format) -> Result<Vec<f32>, Error> {
        let count: usize = tensor.shape.iter().product();
        let needed = 4 * count as u64;
        let available = cronos::memory::available();
        let mut values: Vec<f32> = Vec::new();
        if needed > available || values.try_reserve_exact(count).is_err() {
            return Err(Error::Memory {
                needed,
                available,
                advice: format!(
                    "tensor `{}` of {} has {count} numbers; take a smaller model",
                    tensor.name,
                    self.path.display()
                ),
            });
        }
        values.resize(count, 0.0);
        // a caller that panicked elsewhere left nothing but the position of the file
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let unreadable = |error| {
            refused(
                &self.path,
                &format!("cannot be read at tensor `{}` ({error})", tensor.name),
            )
        };
        file.seek(SeekFrom::Start(self.data + tensor.offset))
            .map_err(unreadable)?;
        let blocks = (PIECE / format.bytes).max(1);
        let mut bytes = vec![0; (blocks * format.bytes).min(tensor.bytes as usize)];
        for piece in values.chunks_mut(blocks * format.block) {
            let bytes = &mut bytes[..piece.len() / format.block * format.bytes];
            file.read_exact(bytes).map_err(unreadable)?;
            (format.decode)(bytes, piece);
        }
        Ok(values)
    }
}

fn refused(path: &Path, why: &str) -> Error {
    Error::Format(format!("the GGUF file {} {why}", path.display()))
}
