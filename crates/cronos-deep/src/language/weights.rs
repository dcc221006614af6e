//! The parameters of a transformer from the files it was published in.

use super::transformer::{Config, Slot, Transformer};
use cronos::Error;
use half::{bf16, f16};
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo, TensorView};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Names in some files begin with one of these.
const PREFIXES: [&str; 4] = ["", "transformer.", "bert.", "model."];

/// The longest header safetensors allows.
const HEADER_LIMIT: u64 = 100_000_000;

/// Tensors of one or several safetensors files.
struct Weights {
    files: Vec<(PathBuf, File)>,
    tensors: BTreeMap<String, Place>,
}

/// Where a tensor stands.
struct Place {
    file: usize,
    first: u64,
    info: TensorInfo,
}

impl Weights {
    /// `model.safetensors` of a folder, or the files that its index names.
    fn open(folder: &Path) -> Result<Self, Error> {
        let mut weights = Self {
            files: Vec::new(),
            tensors: BTreeMap::new(),
        };
        for path in files(folder)? {
            weights.add(path)?;
        }
        Ok(weights)
    }

    fn add(&mut self, path: PathBuf) -> Result<(), Error> {
        let refuse =
            |text: String| Error::Format(format!("{}: {text}; get the file again", path.display()));
        let failed = |error: std::io::Error| refuse(format!("cannot be read: {error}"));
        let mut file = File::open(&path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut size = [0; 8];
        file.read_exact(&mut size)
            .map_err(|_| refuse("it is too short for a safetensors file".into()))?;
        let size = u64::from_le_bytes(size);
        if size > HEADER_LIMIT || size > length.saturating_sub(8) {
            return Err(refuse(format!(
                "a header of {size} bytes is announced in a file of {length}"
            )));
        }
        let mut header = vec![0; size as usize];
        file.read_exact(&mut header).map_err(failed)?;
        let metadata: Metadata = serde_json::from_slice(&header)
            .map_err(|error| refuse(format!("its header cannot be read ({error})")))?;
        let at = self.files.len();
        for (name, info) in metadata.tensors() {
            if info.data_offsets.1 as u64 > length - 8 - size {
                return Err(refuse(format!(
                    "it is cut short: {name} ends behind its end"
                )));
            }
            let place = Place {
                file: at,
                first: 8 + size + info.data_offsets.0 as u64,
                info: info.clone(),
            };
            self.tensors.insert(name, place);
        }
        self.files.push((path, file));
        Ok(())
    }

    /// The prefix under which the tensors are found.
    fn prefix(&self, slot: &Slot) -> Result<&'static str, Error> {
        let there = |prefix: &&str| self.tensors.contains_key(&format!("{prefix}{}", slot.name));
        PREFIXES
            .into_iter()
            .find(|prefix| there(prefix))
            .ok_or_else(|| {
                let some: Vec<&str> = self.tensors.keys().take(3).map(String::as_str).collect();
                let first = self
                    .files
                    .first()
                    .map_or(Path::new("the file"), |file| &file.0);
                Error::Format(format!(
                    "{} has no tensor {}; it begins with {}; its config.json seems to be that of \
                 another model",
                    first.display(),
                    slot.name,
                    some.join(", ")
                ))
            })
    }

    /// The numbers of a tensor, which must have a shape.
    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        // the head has no prefix even where the others have one
        let name = match self.tensors.contains_key(name) {
            true => name,
            false => name
                .rsplit_once("lm_head")
                .map_or(name, |_| "lm_head.weight"),
        };
        let Some(place) = self.tensors.get(name) else {
            return Err(Error::Format(format!(
                "the weights have no tensor {name}; get all files of the model"
            )));
        };
        let (path, file) = &mut self.files[place.file];
        let info = &place.info;
        if info.shape != shape {
            return Err(Error::Format(format!(
                "{}: {name} has the shape {:?}, but config.json makes it {shape:?}; get both from \
                 the same model",
                path.display(),
                info.shape
            )));
        }
        let mut bytes = vec![0; info.data_offsets.1 - info.data_offsets.0];
        (file.seek(SeekFrom::Start(place.first)))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|error| {
                Error::Format(format!(
                    "{}: {name} cannot be read: {error}",
                    path.display()
                ))
            })?;
        let numbers = numbers(info.dtype, &bytes).ok_or_else(|| {
            Error::Format(format!(
                "{}: {name} is made of {:?}; F32, F16 and BF16 are known; convert it",
                path.display(),
                info.dtype
            ))
        })?;
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(numbers),
            Some(at) => Err(Error::Format(format!(
                "{}: number {at} of {name} is not finite; get the file again",
                path.display()
            ))),
        }
    }

    /// All parameters of a transformer.
    fn load(&mut self, transformer: &Transformer) -> Result<Vec<f32>, Error> {
        let slots = transformer.slots();
        let prefix = match slots.first() {
            Some(slot) => self.prefix(slot)?,
            None => "",
        };
        let mut parameters = vec![0.0; transformer.parameters()];
        for slot in slots {
            let tensor = self.tensor(&format!("{prefix}{}", slot.name), &slot.shape)?;
            slot.put(&tensor, &mut parameters);
        }
        Ok(parameters)
    }
}

impl Transformer {
    /// Reads `config.json` and the weights, safetensors, from a folder.
    pub fn open(folder: &Path) -> Result<(Self, Vec<f32>), Error> {
        let file = folder.join("config.json");
        let text = std::fs::read_to_string(&file).map_err(|error| {
            Error::Format(format!(
                "{} cannot be read: {error}; it comes with the weights of a model",
                file.display()
            ))
        })?;
        let transformer = Self::new(Config::from_json(&text)?);
        let parameters = Weights::open(folder)?.load(&transformer)?;
        Ok((transformer, parameters))
    }
}

/// Writes all parameters of a transformer under their published names.
pub(super) fn save(
    transformer: &Transformer,
    parameters: &[f32],
    path: &Path,
) -> Result<(), Error> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::Format(format!("{} cannot be written: {error}", path.display()))
    };
    let tensors: Vec<(Slot, Vec<u8>)> = (transformer.slots().into_iter())
        .map(|slot| {
            let numbers = slot.take(parameters);
            let bytes = numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect();
            (slot, bytes)
        })
        .collect();
    let mut views = Vec::with_capacity(tensors.len());
    for (slot, bytes) in &tensors {
        let view = TensorView::new(Dtype::F32, slot.shape.clone(), bytes);
        views.push((slot.name.as_str(), view.map_err(|error| failed(&error))?));
    }
    let metadata = HashMap::from([("format".to_string(), "pt".to_string())]);
    safetensors::serialize_to_file(views, Some(metadata), path).map_err(|error| failed(&error))
}

/// The files that hold the weights.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let single = folder.join("model.safetensors");
    if single.is_file() {
        return Ok(vec![single]);
    }
    let index = folder.join("model.safetensors.index.json");
    let Ok(text) = std::fs::read_to_string(&index) else {
        return Err(Error::Format(format!(
            "{} has no model.safetensors; download the safetensors file of the model into it",
            folder.display()
        )));
    };
    let refuse = |text: &str| Error::Format(format!("{}: {text}", index.display()));
    let json: Value = serde_json::from_str(&text).map_err(|error| refuse(&error.to_string()))?;
    let map = json.get("weight_map").and_then(Value::as_object);
    let map = map.ok_or_else(|| refuse("it has no weight_map; get it again"))?;
    let mut names: Vec<&str> = map.values().filter_map(Value::as_str).collect();
    names.sort_unstable();
    names.dedup();
    // files lie beside their index
    match names.iter().find(|name| name.contains(['/', '\\'])) {
        Some(name) => Err(refuse(&format!("{name:?} is no name of a file beside it"))),
        None => Ok(names.into_iter().map(|name| folder.join(name)).collect()),
    }
}

/// Bytes as numbers, if their kind is known.
fn numbers(kind: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    let halves = || {
        bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&pair| u16::from_le_bytes(pair))
    };
    Some(match kind {
        Dtype::F32 => {
            let four = bytes.as_chunks::<4>().0.iter();
            four.map(|&bytes| f32::from_le_bytes(bytes)).collect()
        }
        Dtype::BF16 => halves()
            .map(|bits| bf16::from_bits(bits).to_f32())
            .collect(),
        Dtype::F16 => halves().map(|bits| f16::from_bits(bits).to_f32()).collect(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_read() {
        let bytes = [0x00, 0x3c, 0x00, 0xc0, 0x55, 0x35, 0x01, 0x00, 0xff, 0x7b];
        let expected = vec![1.0, -2.0, 0.333_251_95, 5.960_464_5e-8, 65504.0];
        assert_eq!(numbers(Dtype::F16, &bytes), Some(expected));
        assert_eq!(
            numbers(Dtype::BF16, &[0x80, 0x3f, 0x20, 0xc0]),
            Some(vec![1.0, -2.5])
        );
        assert_eq!(numbers(Dtype::I64, &[0; 8]), None);
    }
}
