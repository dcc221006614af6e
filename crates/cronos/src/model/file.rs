//! The model file: safetensors, with one metadata entry `cronos` that holds
//! everything but the tensors as JSON. One entry only, because the safetensors
//! writer puts several in random order and equal models must give equal bytes.

use super::checksum::Checksum;
use super::stack_file::fill_layers;
use super::tensors::{Tensors, damaged, network, tensors, vector, views};
use super::{Model, Task, Training};
use crate::Error;
use crate::stack::Stack;
use safetensors::tensor::{Metadata, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

/// The newest version of the model file that this build reads and writes. A model without
/// layers in front of its network is written in version 1.
pub const FORMAT_VERSION: u32 = 2;

/// The name of the metadata entry.
const ENTRY: &str = "cronos";

/// The longest header safetensors allows.
const HEADER_LIMIT: u64 = 100_000_000;

/// What the metadata entry holds.
#[derive(Serialize, Deserialize)]
struct Envelope<'a> {
    format_version: u32,
    checksum: String,
    #[serde(borrow)]
    model: &'a RawValue,
}

/// The part of a model that is not numbers in tensors.
#[derive(Serialize, Deserialize)]
struct Record<'a> {
    task: Cow<'a, Task>,
    feature_names: Cow<'a, [String]>,
    target_name: Cow<'a, Option<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stack: Option<Cow<'a, Stack>>,
    training: Cow<'a, Training>,
}

impl Record<'_> {
    /// The oldest version that knows all there is.
    fn version(&self) -> u32 {
        match self.stack {
            None => 1,
            Some(_) => 2,
        }
    }
}

impl Model {
    /// The model as the bytes of a safetensors file. Equal models give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        self.check()?;
        let tensors = tensors(self);
        let record = Record {
            task: Cow::Borrowed(&self.task),
            feature_names: Cow::Borrowed(&self.feature_names),
            target_name: Cow::Borrowed(&self.target_name),
            stack: self.stack.as_ref().map(Cow::Borrowed),
            training: Cow::Borrowed(&self.training),
        };
        let model = serde_json::value::to_raw_value(&record).map_err(unwritable)?;
        let envelope = Envelope {
            format_version: record.version(),
            checksum: checksum(record.version(), &tensors, model.get()),
            model: &model,
        };
        let text = serde_json::to_string(&envelope).map_err(unwritable)?;
        let views = tensors
            .iter()
            .map(|(name, tensor)| {
                TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes)
                    .map(|view| (name, view))
                    .map_err(unwritable)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let metadata = HashMap::from([(ENTRY.to_string(), text)]);
        safetensors::serialize(views, Some(metadata)).map_err(unwritable)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote. Refuses a file that is
    /// not a model, is cut short, was altered or is of a newer format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (header, data) = split(bytes)?;
        let header: Metadata = serde_json::from_slice(header)
            .map_err(|error| damaged(format!("its header cannot be read ({error})")))?;
        let text = header
            .metadata()
            .as_ref()
            .and_then(|entries| entries.get(ENTRY))
            .ok_or_else(|| {
                Error::Format(
                    "this safetensors file is not a cronos model; give a file that cronos wrote"
                        .into(),
                )
            })?;
        check_version(text)?;
        let envelope: Envelope = serde_json::from_str(text)
            .map_err(|error| damaged(format!("its description cannot be read ({error})")))?;
        let tensors = views(&header, data)?;
        if envelope.checksum != checksum(envelope.format_version, &tensors, envelope.model.get()) {
            return Err(damaged("its checksum does not match its content"));
        }
        let record: Record = serde_json::from_str(envelope.model.get())
            .map_err(|error| damaged(format!("its description cannot be read ({error})")))?;
        if record.version() != envelope.format_version {
            return Err(damaged("its version is not that of its content"));
        }
        let mut stack = record.stack.map(Cow::into_owned);
        if let Some(stack) = &mut stack {
            fill_layers(&tensors, &mut stack.layers, "stack")?;
        }
        let mut training = record.training.into_owned();
        training.feature_mean = vector(&tensors, "scaling.mean")?;
        training.feature_scale = vector(&tensors, "scaling.scale")?;
        training.target_mean = vector(&tensors, "target.mean")?;
        training.target_scale = vector(&tensors, "target.scale")?;
        let imputation = tensors
            .contains_key("imputation")
            .then(|| vector(&tensors, "imputation"))
            .transpose()?;
        let model = Self {
            network: network(&tensors)?,
            stack,
            task: record.task.into_owned(),
            feature_names: record.feature_names.into_owned(),
            target_name: record.target_name.into_owned(),
            imputation,
            training,
        };
        model.check()?;
        Ok(model)
    }
}

/// The header and the data of a safetensors file.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), Error> {
    let foreign = || {
        Error::Format(
            "this is not a model file: it is not in the safetensors format; give a file that \
             cronos wrote"
                .into(),
        )
    };
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(foreign)?;
    let length = u64::from_le_bytes(*length);
    if length > HEADER_LIMIT || rest.first().is_some_and(|byte| *byte != b'{') {
        return Err(foreign());
    }
    rest.split_at_checked(length as usize)
        .ok_or_else(|| damaged("it is cut short"))
}

/// Refuses a newer format before anything of it is read.
fn check_version(text: &str) -> Result<(), Error> {
    #[derive(Deserialize)]
    struct Version {
        format_version: u32,
    }
    let version = serde_json::from_str::<Version>(text)
        .map_err(|error| damaged(format!("its description cannot be read ({error})")))?
        .format_version;
    if version > FORMAT_VERSION {
        return Err(Error::Format(format!(
            "this model was written by a newer cronos (format {version}, this build reads up to \
             {FORMAT_VERSION}); upgrade"
        )));
    }
    Ok(())
}

/// The checksum of the version, of every tensor, by name, and of the description.
fn checksum(version: u32, tensors: &Tensors, description: &str) -> String {
    let mut sum = Checksum::new();
    sum.add(&version.to_le_bytes());
    for (name, tensor) in tensors {
        sum.add(name.as_bytes());
        sum.add(format!("{} {:?}", tensor.dtype, tensor.shape).as_bytes());
        sum.add(&tensor.bytes);
    }
    sum.add(description.as_bytes());
    sum.hex()
}

fn unwritable(error: impl std::fmt::Display) -> Error {
    Error::Format(format!("the model cannot be written: {error}"))
}
