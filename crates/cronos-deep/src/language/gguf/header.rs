//! The header: version, metadata and the list of the tensors.

use super::bytes::Bytes;
use super::formats::{self, Format};
use super::value::Value;
use std::collections::BTreeMap;
use std::io::{BufReader, Read};

/// Where the data begins is a multiple of this, unless the metadata say otherwise.
const ALIGNMENT: u64 = 32;
const ALIGNMENT_KEY: &str = "general.alignment";
/// A tensor has at most so many dimensions.
const DIMENSIONS: u32 = 4;

/// A tensor as the header declares it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its shape in the order of the file: the dimension that is contiguous comes first.
    pub shape: Vec<usize>,
    /// The number of the format its entries are stored in.
    pub code: u32,
    /// Where it begins, from the beginning of the data.
    pub offset: u64,
    /// How many bytes it has; 0 if its format is not known here.
    pub(super) bytes: u64,
}

impl Tensor {
    /// The name of the format its entries are stored in: `Q4_1`.
    pub fn type_name(&self) -> String {
        formats::name(self.code)
    }

    pub(super) fn format(&self) -> Option<&'static Format> {
        formats::format_of(self.code)
    }
}

/// What a header says.
pub(super) struct Header {
    pub(super) version: u32,
    pub(super) entries: BTreeMap<String, Value>,
    pub(super) tensors: Vec<Tensor>,
    /// Where the data of the tensors begins.
    pub(super) data: u64,
}

/// Reads the header of a file of this `length`. The reason of a refusal continues the
/// sentence «the file …».
pub(super) fn read(source: impl Read, length: u64) -> Result<Header, String> {
    let mut from = Bytes::new(BufReader::new(source), length);
    if from.take(4)? != *b"GGUF" {
        return Err("does not begin with `GGUF`; give a model in GGUF format".into());
    }
    let version = from.u32()?;
    if (1..=3).contains(&version.swap_bytes()) {
        return Err("is big-endian; take the little-endian file of this model".into());
    }
    if !(2..=3).contains(&version) {
        return Err(format!(
            "has version {version}; versions 2 and 3 can be read; convert it with llama.cpp"
        ));
    }
    let tensor_count = from.u64()?;
    let entry_count = from.u64()?;
    let entries = entries(&mut from, entry_count)?;
    // name, dimensions, format, offset
    from.expect(tensor_count, 8 + 4 + 8 + 4 + 8, "tensors")?;
    let tensors = (0..tensor_count).map(|_| tensor(&mut from));
    let tensors: Vec<Tensor> = tensors.collect::<Result<_, _>>()?;
    let alignment = alignment(&entries)?;
    let data = from.taken().next_multiple_of(alignment);
    check(&tensors, alignment, length.saturating_sub(data))?;
    Ok(Header {
        version,
        entries,
        tensors,
        data,
    })
}

fn entries<R: Read>(from: &mut Bytes<R>, count: u64) -> Result<BTreeMap<String, Value>, String> {
    // key, kind, one byte
    from.expect(count, 8 + 4 + 1, "entries of metadata")?;
    let mut entries = BTreeMap::new();
    for _ in 0..count {
        let key = from.name()?;
        let value = Value::read(from)?;
        if entries.insert(key.clone(), value).is_some() {
            return Err(format!("has the metadata `{key}` twice; it is damaged"));
        }
    }
    Ok(entries)
}

fn alignment(entries: &BTreeMap<String, Value>) -> Result<u64, String> {
    let Some(value) = entries.get(ALIGNMENT_KEY) else {
        return Ok(ALIGNMENT);
    };
    let alignment = value.as_u64().unwrap_or(0);
    if alignment.is_power_of_two() && (8..=1 << 20).contains(&alignment) {
        return Ok(alignment);
    }
    Err(format!(
        "has {} as its `{ALIGNMENT_KEY}`, not a power of 2 from 8 to 2^20; it is damaged",
        value.describe()
    ))
}

fn tensor<R: Read>(from: &mut Bytes<R>) -> Result<Tensor, String> {
    let name = from.name()?;
    let dimensions = from.u32()?;
    if !(1..=DIMENSIONS).contains(&dimensions) {
        return Err(format!(
            "has tensor `{name}` with {dimensions} dimensions, not 1 to {DIMENSIONS}; it is damaged"
        ));
    }
    let lengths: Vec<u64> = (0..dimensions)
        .map(|_| from.u64())
        .collect::<Result<_, _>>()?;
    let (code, offset) = (from.u32()?, from.u64()?);
    let absurd = || {
        format!(
            "has tensor `{name}` of shape {lengths:?} in {}, which is no shape of such a \
             tensor; it is damaged",
            formats::name(code)
        )
    };
    let count = (lengths.iter())
        .try_fold(1u64, |count, &length| count.checked_mul(length))
        .filter(|&count| count > 0 && count <= isize::MAX as u64 / 4)
        .ok_or_else(absurd)?;
    let bytes = match formats::format_of(code) {
        // a row is a whole number of blocks
        Some(format) if !lengths[0].is_multiple_of(format.block as u64) => return Err(absurd()),
        Some(format) => {
            let blocks = count / format.block as u64;
            let bytes = blocks.checked_mul(format.bytes as u64);
            bytes.ok_or_else(absurd)?
        }
        None => 0,
    };
    Ok(Tensor {
        name,
        shape: lengths.iter().map(|&length| length as usize).collect(),
        code,
        offset,
        bytes,
    })
}

/// Every tensor begins at a multiple of the alignment, ends inside the data, has a name of
/// its own and shares no byte with another.
fn check(tensors: &[Tensor], alignment: u64, held: u64) -> Result<(), String> {
    let mut names: Vec<&str> = tensors.iter().map(|tensor| &tensor.name[..]).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("has tensor `{}` twice; it is damaged", pair[0]));
    }
    let mut places: Vec<&Tensor> = tensors.iter().collect();
    places.sort_unstable_by_key(|tensor| tensor.offset);
    let mut free = 0;
    for tensor in places {
        let Tensor {
            name,
            offset,
            bytes,
            ..
        } = tensor;
        if !offset.is_multiple_of(alignment) || *offset < free {
            return Err(format!(
                "has tensor `{name}` at byte {offset} of its data, across another one or no \
                 multiple of {alignment}; it is damaged"
            ));
        }
        free = (offset.checked_add(*bytes))
            .filter(|&end| end <= held)
            .ok_or_else(|| {
                format!(
                    "has {held} bytes of data, but tensor `{name}` has {bytes} from byte \
                     {offset} on; it is cut short or damaged; get it again"
                )
            })?;
    }
    Ok(())
}
