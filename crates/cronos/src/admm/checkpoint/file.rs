//! Checkpoints as the bytes of a safetensors file, with one metadata entry `run`: a checksum of
//! everything, the terms and the number of iterations, a line each.

use super::{Checkpoint, Numbers, refused};
use crate::Error;
use crate::model::Checksum;
use bytemuck::{cast_slice, pod_collect_to_vec};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use std::collections::HashMap;

const ENTRY: &str = "run";

impl Numbers {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Single(values) => cast_slice(values),
            Self::Double(values) => cast_slice(values),
        }
    }

    fn view(&self) -> Result<TensorView<'_>, safetensors::SafeTensorError> {
        let (dtype, count) = match self {
            Self::Single(values) => (Dtype::F32, values.len()),
            Self::Double(values) => (Dtype::F64, values.len()),
        };
        TensorView::new(dtype, vec![count], self.bytes())
    }
}

impl Checkpoint {
    /// As bytes; equal states give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let unwritable = |error| Error::Format(format!("the checkpoint cannot be kept: {error}"));
        let arrays = self.arrays.iter();
        let views = arrays
            .map(|(name, numbers)| numbers.view().map(|view| (name, view)))
            .collect::<Result<Vec<_>, _>>()
            .map_err(unwritable)?;
        let pairs = self.arrays.iter();
        let rest = format!("{}\n{}\n", self.terms, self.iteration);
        let sum = checksum(
            &rest,
            pairs.map(|(name, numbers)| (&name[..], numbers.bytes())),
        );
        let text = format!("{sum}\n{rest}");
        let metadata = HashMap::from([(ENTRY.to_string(), text)]);
        safetensors::serialize(views, Some(metadata)).map_err(unwritable)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; refuses anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let foreign = |error| refused(&format!("it is no safetensors file ({error})"));
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(foreign)?;
        let file = SafeTensors::deserialize(bytes).map_err(foreign)?;
        let text = (header.metadata().as_ref())
            .and_then(|entries| entries.get(ENTRY))
            .ok_or_else(|| refused("it has no entry `run`"))?;
        let tensors = file.tensors();
        let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
        let pairs = tensors.iter().map(|(name, view)| (&name[..], view.data()));
        let sum = checksum(rest, pairs);
        let lines: Vec<&str> = text.lines().collect();
        let [found, terms, iteration] = lines[..] else {
            return Err(refused("its entry `run` does not have three lines"));
        };
        if found != sum {
            let why = "its checksum is another: it was altered or cut short";
            return Err(refused(why));
        }
        let iteration = iteration.parse();
        let iteration = iteration.map_err(|_| refused("its number of iterations is none"))?;
        let mut arrays = Vec::new();
        for (name, view) in tensors {
            let numbers = match view.dtype() {
                Dtype::F32 => Numbers::Single(pod_collect_to_vec(view.data())),
                Dtype::F64 => Numbers::Double(pod_collect_to_vec(view.data())),
                other => return Err(refused(&format!("its array `{name}` is of {other:?}"))),
            };
            arrays.push((name, numbers));
        }
        Ok(Self {
            iteration,
            terms: terms.into(),
            arrays,
        })
    }
}

/// Of a text, and of names and bytes in the order of the names.
fn checksum<'a>(text: &str, arrays: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut arrays: Vec<(&str, &[u8])> = arrays.collect();
    arrays.sort();
    let mut sum = Checksum::new();
    sum.add(text.as_bytes());
    for (name, bytes) in arrays {
        sum.add(name.as_bytes());
        sum.add(bytes);
    }
    sum.hex()
}
