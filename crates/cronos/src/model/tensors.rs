//! The numbers of a model as named tensors, and back.

use super::Model;
use super::stack_file::add_layers;
use crate::Error;
use crate::encoding::{Encoding, Ramp};
use crate::matrix::Matrix;
use crate::network::{Gating, Network};
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A tensor: the type of its entries, its shape and its bytes.
pub(super) struct Tensor<'a> {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Cow<'a, [u8]>,
}

/// Tensors by name.
pub(super) type Tensors<'a> = BTreeMap<String, Tensor<'a>>;

/// The tensors the header declares, each inside `data`.
pub(super) fn views<'a>(header: &Metadata, data: &'a [u8]) -> Result<Tensors<'a>, Error> {
    if header.data_len() != data.len() {
        return Err(damaged(if header.data_len() > data.len() {
            "it is cut short"
        } else {
            "there are bytes behind its last tensor"
        }));
    }
    let view = |(name, info): (String, &TensorInfo)| {
        let bytes = data
            .get(info.data_offsets.0..info.data_offsets.1)
            .ok_or_else(|| damaged("it is cut short"))?;
        let tensor = Tensor {
            dtype: info.dtype,
            shape: info.shape.clone(),
            bytes: Cow::Borrowed(bytes),
        };
        Ok((name, tensor))
    };
    header.tensors().into_iter().map(view).collect()
}

/// Every number of the model, by name.
pub(super) fn tensors(model: &Model) -> Tensors<'static> {
    let network = &model.network;
    let mut tensors = Tensors::new();
    let mut add = |name: &str, shape: &[usize], values: &[f64]| {
        let tensor = Tensor {
            dtype: Dtype::F64,
            shape: shape.to_vec(),
            bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect(),
        };
        tensors.insert(name.to_string(), tensor);
    };
    let (units, d, outputs) = (
        network.neurons(),
        network.hidden.columns(),
        network.outputs(),
    );
    let output = Matrix::from_fn(outputs, units, |c, j| network.output.at(j, c));
    add("hidden.weight", &[units, d], network.hidden.values());
    add("output.weight", &[outputs, units], output.values());
    let mut vectors = vec![
        ("hidden.bias", &network.hidden_bias),
        ("output.bias", &network.output_bias),
        ("scaling.mean", &model.training.feature_mean),
        ("scaling.scale", &model.training.feature_scale),
        ("target.mean", &model.training.target_mean),
        ("target.scale", &model.training.target_scale),
    ];
    vectors.extend(model.imputation.iter().map(|values| ("imputation", values)));
    let ramps = &network.encoding.ramps;
    let low: Vec<f64> = ramps.iter().map(|ramp| ramp.low).collect();
    let high: Vec<f64> = ramps.iter().map(|ramp| ramp.high).collect();
    let [column_name, low_name, high_name] = names(network.encoding.summed);
    if !ramps.is_empty() {
        vectors.extend([(low_name, &low), (high_name, &high)]);
    }
    if let Some(gating) = &network.gating {
        let gates = gating.directions.rows();
        add("gate.weight", &[gates, d], gating.directions.values());
        vectors.push(("gate.bias", &gating.bias));
    }
    for (name, values) in vectors {
        add(name, &[values.len()], values);
    }
    let mut add_indices = |name: &str, indices: &[usize]| {
        let bytes = indices.iter().flat_map(|&i| (i as i64).to_le_bytes());
        let tensor = Tensor {
            dtype: Dtype::I64,
            shape: vec![indices.len()],
            bytes: bytes.collect(),
        };
        tensors.insert(name.to_string(), tensor);
    };
    if let Some(gating) = &network.gating {
        add_indices("gate.index", &gating.gate_of);
    }
    if !ramps.is_empty() {
        let columns: Vec<usize> = ramps.iter().map(|ramp| ramp.column).collect();
        add_indices(column_name, &columns);
    }
    if let Some(stack) = &model.stack {
        add_layers(&mut tensors, &stack.layers, "stack");
    }
    tensors
}

/// The network in the tensors.
pub(super) fn network(tensors: &Tensors) -> Result<Network, Error> {
    let hidden = matrix(tensors, "hidden.weight")?;
    let hidden_bias = vector(tensors, "hidden.bias")?;
    let transposed = matrix(tensors, "output.weight")?;
    let output_bias = vector(tensors, "output.bias")?;
    // the biases are as long as their bytes, so these bound every loop below
    if transposed.columns() != hidden_bias.len() || transposed.rows() != output_bias.len() {
        return Err(damaged("the parts of the network do not fit together"));
    }
    let gating = if tensors.contains_key("gate.weight") {
        Some(Gating {
            directions: matrix(tensors, "gate.weight")?,
            bias: vector(tensors, "gate.bias")?,
            gate_of: indices(tensors, "gate.index")?,
        })
    } else {
        None
    };
    Ok(Network {
        encoding: encoding(tensors)?,
        hidden,
        output: Matrix::from_fn(hidden_bias.len(), output_bias.len(), |j, c| {
            transposed.at(c, j)
        }),
        hidden_bias,
        output_bias,
        gating,
    })
}

/// Where ramps are kept that stand behind the features, or, summed, in their place.
fn names(summed: bool) -> [&'static str; 3] {
    match summed {
        false => ["encoding.column", "encoding.low", "encoding.high"],
        true => ["ranks.column", "ranks.low", "ranks.high"],
    }
}

/// The encoding in the tensors, if there is one.
fn encoding(tensors: &Tensors) -> Result<Encoding, Error> {
    let kept = |summed: &bool| tensors.contains_key(names(*summed)[0]);
    let Some(summed) = [false, true].into_iter().find(kept) else {
        return Ok(Encoding::default());
    };
    let [columns, low, high] = names(summed);
    let columns = indices(tensors, columns)?;
    let low = vector(tensors, low)?;
    let high = vector(tensors, high)?;
    if low.len() != columns.len() || high.len() != columns.len() {
        return Err(damaged("the parts of its encoding do not fit together"));
    }
    let ramps = columns.into_iter().zip(low).zip(high);
    Ok(Encoding {
        ramps: ramps
            .map(|((column, low), high)| Ramp { column, low, high })
            .collect(),
        summed,
    })
}

/// The tensor `name` as positions.
fn indices(tensors: &Tensors, name: &str) -> Result<Vec<usize>, Error> {
    words(tensors, name, Dtype::I64)?
        .1
        .map(|word| usize::try_from(i64::from_le_bytes(word)))
        .collect::<Result<_, _>>()
        .map_err(|_| damaged(format!("its tensor {name} holds a negative number")))
}

/// The tensor `name`, two-dimensional.
fn matrix(tensors: &Tensors, name: &str) -> Result<Matrix<f64>, Error> {
    let (shape, words) = words(tensors, name, Dtype::F64)?;
    let [rows, columns] = *shape else {
        return Err(damaged(format!("its tensor {name} is not a matrix")));
    };
    Matrix::from_rows(rows, columns, words.map(f64::from_le_bytes).collect())
}

/// The tensor `name`, one-dimensional.
pub(super) fn vector(tensors: &Tensors, name: &str) -> Result<Vec<f64>, Error> {
    let (shape, words) = words(tensors, name, Dtype::F64)?;
    if shape.len() != 1 {
        return Err(damaged(format!("its tensor {name} is not a vector")));
    }
    Ok(words.map(f64::from_le_bytes).collect())
}

/// The shape and the entries, of `N` bytes each, of the tensor `name`.
pub(super) fn words<'a, const N: usize>(
    tensors: &'a Tensors,
    name: &str,
    dtype: Dtype,
) -> Result<(&'a [usize], impl Iterator<Item = [u8; N]> + use<'a, N>), Error> {
    let tensor = tensors
        .get(name)
        .ok_or_else(|| damaged(format!("its tensor {name} is missing")))?;
    if tensor.dtype != dtype {
        return Err(damaged(format!("its tensor {name} is not {dtype}")));
    }
    let (words, _) = tensor.bytes.as_chunks::<N>();
    Ok((&tensor.shape, words.iter().copied()))
}

/// The refusal of a file that says it is a model but cannot be one.
pub(super) fn damaged(what: impl std::fmt::Display) -> Error {
    Error::Format(format!(
        "the model file is damaged: {what}; copy it again or train it again"
    ))
}
