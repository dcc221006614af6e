//! A model loaded by rten. It computes in single precision and 32-bit integers: wider
//! numbers of the file are narrowed.

use super::{Encoded, Entries, Feed, Port};
use rten::{DataType, Dimension, Model, ModelOptions, NodeId, Value, ValueOrView, ValueType};
use rten_tensor::Layout;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(super) const COMPILED_IN: bool = true;

/// A model that can be run.
#[derive(Debug)]
pub(super) struct Session {
    model: Model,
}

impl Session {
    /// From the bytes of an ONNX file and of the named files beside it.
    pub(super) fn load(bytes: Vec<u8>, beside: Vec<(String, Vec<u8>)>) -> Result<Self, String> {
        let load = || {
            let mut options = ModelOptions::with_all_ops();
            options.prepack_weights(true);
            for (name, bytes) in beside {
                options.external_data(&name, bytes);
            }
            options.load(bytes)
        };
        let model = guarded(load)?
            .map_err(|error| format!("cannot be used ({error}); export the model again"))?;
        Ok(Self { model })
    }

    pub(super) fn inputs(&self) -> Vec<Port> {
        self.ports(self.model.input_ids())
    }

    pub(super) fn outputs(&self) -> Vec<Port> {
        self.ports(self.model.output_ids())
    }

    fn ports(&self, ids: &[NodeId]) -> Vec<Port> {
        let port = |id: &NodeId| {
            let info = self.model.node_info(*id);
            let kind = info.as_ref().and_then(|info| info.dtype());
            let shape = info.as_ref().and_then(|info| info.shape());
            let length = |dimension: Dimension| match dimension {
                Dimension::Fixed(length) => Some(length),
                Dimension::Symbolic(_) => None,
            };
            Port {
                name: (info.as_ref().and_then(|info| info.name()))
                    .unwrap_or_default()
                    .to_string(),
                entries: match kind {
                    Some(ValueType::Tensor(DataType::Float)) => Entries::Reals,
                    Some(ValueType::Tensor(DataType::Int32)) => Entries::Whole,
                    _ => Entries::Other,
                },
                shape: shape.map(|shape| shape.into_iter().map(length).collect()),
            }
        };
        ids.iter().map(port).collect()
    }

    /// The output at a place, from numbers for the inputs at theirs.
    pub(super) fn run(
        &self,
        feeds: Vec<(usize, Vec<usize>, Feed)>,
        output: usize,
    ) -> Result<Encoded, String> {
        let mut inputs: Vec<(NodeId, ValueOrView)> = Vec::with_capacity(feeds.len());
        for (at, shape, feed) in feeds {
            let value = match feed {
                Feed::Reals(values) => Value::from_shape(&shape[..], values).ok(),
                Feed::Whole(values) => Value::from_shape(&shape[..], values).ok(),
            };
            let value = value.ok_or("the numbers of an input do not fill its shape")?;
            inputs.push((self.model.input_ids()[at], value.into()));
        }
        let outputs = [self.model.output_ids()[output]];
        let run = || self.model.run(inputs, &outputs, None);
        let value = guarded(run)?
            .map_err(|error| error.to_string())?
            .pop()
            .ok_or("it gave no output")?;
        match value {
            Value::FloatTensor(tensor) => Ok(Encoded {
                shape: tensor.shape().to_vec(),
                values: tensor.into_data(),
            }),
            other => Err(format!(
                "the output is {}, not real numbers; take another output",
                other.dtype()
            )),
        }
    }
}

/// Files come from anywhere, and a panic of the runtime on one is a refusal of the file.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| "cannot be used: the runtime broke down on it; export the model again".into())
}
