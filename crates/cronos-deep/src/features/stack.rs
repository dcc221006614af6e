//! Trained layers in the form that a model keeps.

use super::layers::{Layer, Layers};
use crate::inputs::Scale;
use crate::tensors::numbers;
use burn::module::Param;
use burn::tensor::Tensor;
use cronos::stack::{self, Convolution, Shape, Stack};
use cronos::{Error, Matrix};

impl Layers {
    /// The layers with the scale of their inputs in front.
    pub fn stack(&self, scale: &Scale) -> Result<Stack, Error> {
        let input = match *self.input() {
            [channels, height, width] => Shape {
                channels,
                height,
                width,
            },
            _ => Shape::list(self.input().iter().product()),
        };
        let first = stack::Layer::Scale {
            mean: scale.mean.clone(),
            scale: scale.scale.clone(),
        };
        let mut layers = vec![first];
        layers.extend(kept(self.layers())?);
        Ok(Stack { input, layers })
    }
}

fn kept(layers: &[Layer]) -> Result<Vec<stack::Layer>, Error> {
    layers.iter().map(Layer::kept).collect()
}

impl Layer {
    fn kept(&self) -> Result<stack::Layer, Error> {
        Ok(match self {
            Self::Linear(layer) => {
                let weight = layer.weight.val().inner();
                let [inputs, outputs] = weight.dims();
                let weight = numbers(weight.transpose())?;
                stack::Layer::Linear {
                    weight: Matrix::from_rows(outputs, inputs, weight)?,
                    bias: bias(&layer.bias)?,
                }
            }
            Self::Convolution(layer) => {
                let weight = layer.weight.val().inner();
                let [outputs, inputs, kernel, _] = weight.dims();
                let window = inputs * kernel * kernel;
                stack::Layer::Convolution(Convolution {
                    weight: Matrix::from_rows(outputs, window, numbers(weight)?)?,
                    bias: bias(&layer.bias)?,
                    kernel,
                    stride: layer.stride[0],
                    padding: kernel / 2,
                })
            }
            Self::Relu(_) => stack::Layer::Relu,
            Self::AveragePool(layer) => stack::Layer::AveragePool {
                size: layer.kernel_size[0],
            },
            Self::GlobalAverage(_) => stack::Layer::GlobalAverage,
            Self::Residual(layer) => stack::Layer::Residual {
                inner: kept(&layer.inner)?,
                shortcut: Vec::new(),
            },
        })
    }
}

fn bias(bias: &Option<Param<Tensor<1>>>) -> Result<Option<Vec<f32>>, Error> {
    let bias = bias.as_ref().map(|bias| numbers(bias.val().inner()));
    bias.transpose()
}
