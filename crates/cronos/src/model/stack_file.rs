//! The numbers of layers as named tensors, and back: `stack.3.weight` belongs to the layer
//! with index 3, `stack.3.inner.0.weight` to the first within it.

use super::tensors::{Tensor, Tensors, damaged, words};
use crate::Error;
use crate::matrix::Matrix;
use crate::stack::Layer;
use safetensors::tensor::Dtype;

/// Adds every number of the layers.
pub(super) fn add_layers(tensors: &mut Tensors, layers: &[Layer], path: &str) {
    for (at, layer) in layers.iter().enumerate() {
        let path = format!("{path}.{at}");
        for (name, shape, values) in layer.numbers() {
            let tensor = Tensor {
                dtype: Dtype::F32,
                shape,
                bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            };
            tensors.insert(format!("{path}.{name}"), tensor);
        }
        if let Layer::Residual { inner, shortcut } = layer {
            add_layers(tensors, inner, &format!("{path}.inner"));
            add_layers(tensors, shortcut, &format!("{path}.shortcut"));
        }
    }
}

/// Gives layers that were read without their numbers those in the tensors.
pub(super) fn fill_layers(
    tensors: &Tensors,
    layers: &mut [Layer],
    path: &str,
) -> Result<(), Error> {
    for (at, layer) in layers.iter_mut().enumerate() {
        let path = format!("{path}.{at}");
        match layer {
            Layer::Scale { mean, scale } => {
                *mean = vector(tensors, &format!("{path}.mean"))?;
                *scale = vector(tensors, &format!("{path}.scale"))?;
            }
            Layer::Linear { weight, bias } => {
                *weight = weights(tensors, &path, &[])?;
                *bias = optional(tensors, &format!("{path}.bias"))?;
            }
            Layer::Convolution(convolution) => {
                let window = [convolution.kernel; 2];
                convolution.weight = weights(tensors, &path, &window)?;
                convolution.bias = optional(tensors, &format!("{path}.bias"))?;
            }
            Layer::Residual { inner, shortcut } => {
                fill_layers(tensors, inner, &format!("{path}.inner"))?;
                fill_layers(tensors, shortcut, &format!("{path}.shortcut"))?;
            }
            Layer::Relu | Layer::AveragePool { .. } | Layer::GlobalAverage => {}
        }
    }
    Ok(())
}

/// The weight of the layer at `path`: one row for each output. Its shape is outputs x inputs
/// with the dimensions of a `window` behind.
fn weights(tensors: &Tensors, path: &str, window: &[usize]) -> Result<Matrix<f32>, Error> {
    let name = format!("{path}.weight");
    let (shape, values) = numbers(tensors, &name)?;
    match *shape {
        // a tensor is as long as its shape says
        [rows, _, ref rest @ ..] if rest == window => {
            let columns = values.len().checked_div(rows).unwrap_or(0);
            Matrix::from_rows(rows, columns, values)
        }
        _ => Err(damaged(format!(
            "its tensor {name} has the shape {shape:?}"
        ))),
    }
}

fn optional(tensors: &Tensors, name: &str) -> Result<Option<Vec<f32>>, Error> {
    let there = tensors.contains_key(name);
    there.then(|| vector(tensors, name)).transpose()
}

fn vector(tensors: &Tensors, name: &str) -> Result<Vec<f32>, Error> {
    let (shape, values) = numbers(tensors, name)?;
    match shape.len() {
        1 => Ok(values),
        _ => Err(damaged(format!("its tensor {name} is not a vector"))),
    }
}

/// The shape and the numbers of the tensor `name`.
fn numbers<'a>(tensors: &'a Tensors, name: &str) -> Result<(&'a [usize], Vec<f32>), Error> {
    let (shape, words) = words(tensors, name, Dtype::F32)?;
    Ok((shape, words.map(f32::from_le_bytes).collect()))
}
