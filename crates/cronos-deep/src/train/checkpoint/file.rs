//! Checkpoints as the bytes of a safetensors file, with one metadata entry `checkpoint`: a
//! checksum of all tensors in the first line, then a term in each.

use super::terms::{Fingerprint, Terms};
use super::{Checkpoint, Epoch};
use crate::optim::Memory;
use cronos::{Error, HeadMemory};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use std::collections::HashMap;

const ENTRY: &str = "checkpoint";
/// Numbers of an epoch.
const FIELDS: usize = 8;

impl Checkpoint {
    /// As bytes; equal checkpoints give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let counts = [
            self.best as u64,
            self.head.features as u64,
            self.head.outputs as u64,
            self.head.steps,
            self.head.beta.to_bits(),
        ];
        let history: Vec<f64> = self.history.iter().flat_map(fields).collect();
        let wide = |values: &[f64]| values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let narrow = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let mut tensors: Vec<(String, Dtype, Vec<u8>)> = vec![
            (
                "counts".into(),
                Dtype::U64,
                counts.iter().flat_map(|c| c.to_le_bytes()).collect(),
            ),
            ("history".into(), Dtype::F64, wide(&history)),
            ("memory".into(), Dtype::F64, wide(&self.memory.numbers)),
            ("values".into(), Dtype::F32, narrow(&self.values)),
            ("best".into(), Dtype::F32, narrow(&self.best_values)),
            ("head".into(), Dtype::F32, narrow(&self.head.units)),
        ];
        for (at, array) in self.memory.arrays.iter().enumerate() {
            tensors.push((format!("memory.{at}"), Dtype::F32, narrow(array)));
        }
        tensors.sort_by(|a, b| a.0.cmp(&b.0));
        let sum = checksum(
            tensors
                .iter()
                .map(|(name, _, bytes)| (&name[..], &bytes[..])),
        );
        let mut text = format!("{sum:016x}\n");
        for (name, value) in &self.terms.0 {
            text.push_str(&format!("{name}\t{value}\n"));
        }
        let unwritable = |error| Error::Format(format!("the checkpoint cannot be kept: {error}"));
        let views = tensors
            .iter()
            .map(|(name, dtype, bytes)| {
                let count = bytes.len() / if *dtype == Dtype::F32 { 4 } else { 8 };
                TensorView::new(*dtype, vec![count], bytes).map(|view| (name, view))
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(unwritable)?;
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
            .ok_or_else(|| refused("it has no entry `checkpoint`"))?;
        let mut tensors = file.tensors();
        tensors.sort_by(|a, b| a.0.cmp(&b.0));
        let sum = checksum(tensors.iter().map(|(name, view)| (&name[..], view.data())));
        let mut lines = text.lines();
        if lines.next() != Some(&format!("{sum:016x}")) {
            return Err(refused(
                "its checksum is another: it was altered or cut short",
            ));
        }
        let terms = lines.filter_map(|line| line.split_once('\t'));
        let terms = terms.map(|(name, value)| (name.to_string(), value.to_string()));
        let bytes_of = |name: &str, dtype: Dtype| match file.tensor(name) {
            Ok(view) if view.dtype() == dtype => Ok(view.data().to_vec()),
            _ => Err(refused(&format!("it has no tensor `{name}` of {dtype:?}"))),
        };
        let narrow = |name: &str| -> Result<Vec<f32>, Error> {
            let bytes = bytes_of(name, Dtype::F32)?;
            let (words, _) = bytes.as_chunks();
            Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
        };
        let wide = |name: &str| -> Result<Vec<f64>, Error> {
            let bytes = bytes_of(name, Dtype::F64)?;
            let (words, _) = bytes.as_chunks();
            Ok(words.iter().map(|word| f64::from_le_bytes(*word)).collect())
        };
        let counts = bytes_of("counts", Dtype::U64)?;
        let (counts, _) = counts.as_chunks();
        let [best, features, outputs, steps, beta] = counts else {
            return Err(refused("its tensor `counts` does not have 5 numbers"));
        };
        let count =
            |word: &[u8; 8]| usize::try_from(u64::from_le_bytes(*word)).unwrap_or(usize::MAX);
        let arrays = (0..).map(|at| format!("memory.{at}"));
        let arrays = arrays.take_while(|name| file.tensor(name).is_ok());
        Ok(Self {
            terms: Terms(terms.collect()),
            history: wide("history")?
                .as_chunks::<FIELDS>()
                .0
                .iter()
                .map(epoch)
                .collect(),
            best: count(best),
            best_values: narrow("best")?,
            values: narrow("values")?,
            memory: Memory {
                numbers: wide("memory")?,
                arrays: arrays.map(|name| narrow(&name)).collect::<Result<_, _>>()?,
            },
            head: HeadMemory {
                features: count(features),
                outputs: count(outputs),
                units: narrow("head")?,
                steps: u64::from_le_bytes(*steps),
                beta: f64::from_le_bytes(*beta),
            },
        })
    }
}

fn refused(why: &str) -> Error {
    Error::Format(format!(
        "this is not a checkpoint: {why}; give a file that training kept, or start anew"
    ))
}

/// Of names and bytes, in the order of the names.
fn checksum<'t>(tensors: impl Iterator<Item = (&'t str, &'t [u8])>) -> u64 {
    let mut sum = Fingerprint::new();
    for (name, bytes) in tensors {
        sum.bytes(name.as_bytes());
        sum.bytes(bytes);
    }
    sum.0
}

fn fields(epoch: &Epoch) -> [f64; FIELDS] {
    [
        epoch.number as f64,
        epoch.before_head,
        epoch.objective,
        epoch.train,
        epoch.validation,
        epoch.validation_loss,
        epoch.seconds,
        epoch.step_seconds,
    ]
}

fn epoch(fields: &[f64; FIELDS]) -> Epoch {
    let [
        number,
        before_head,
        objective,
        train,
        validation,
        validation_loss,
        seconds,
        step_seconds,
    ] = *fields;
    Epoch {
        number: number as usize,
        before_head,
        objective,
        train,
        validation,
        validation_loss,
        seconds,
        step_seconds,
    }
}
