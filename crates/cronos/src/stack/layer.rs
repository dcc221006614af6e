//! The kinds of layers.

use super::Convolution;
use crate::matrix::Matrix;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One layer. Its numbers are not part of the serialised form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// `(x − mean) / scale`, with one number for each channel or for each input.
    Scale {
        /// Subtracted.
        #[serde(skip)]
        mean: Vec<f32>,
        /// Divides; none is 0.
        #[serde(skip)]
        scale: Vec<f32>,
    },
    /// `weight · x + bias`, where an image is the list of its numbers.
    Linear {
        /// One row for each output, one column for each input.
        #[serde(skip)]
        weight: Matrix<f32>,
        /// One number for each output.
        #[serde(skip)]
        bias: Option<Vec<f32>>,
    },
    /// Sums over windows of an image.
    Convolution(Convolution),
    /// `max(x, 0)`
    Relu,
    /// The means of windows that do not overlap; a rest at the edge is dropped.
    AveragePool {
        /// Rows and columns of a window.
        size: usize,
    },
    /// The mean of each channel.
    GlobalAverage,
    /// `inner(x) + shortcut(x)`
    Residual {
        /// Layers on one side.
        inner: Vec<Layer>,
        /// Layers on the other; if there are none, `shortcut(x)` is `x`.
        shortcut: Vec<Layer>,
    },
}

/// Numbers of a layer: a name, a shape and the numbers, row by row.
pub(crate) type Numbers<'a> = (&'static str, Vec<usize>, &'a [f32]);

impl Layer {
    /// How many numbers it has, without those of layers within it.
    pub fn parameters(&self) -> usize {
        let numbers = self.numbers();
        numbers.iter().map(|(_, _, values)| values.len()).sum()
    }

    /// All its numbers, without those of layers within it.
    pub(crate) fn numbers(&self) -> Vec<Numbers<'_>> {
        let vector = |name, values| -> Numbers<'_> {
            let values: &[f32] = values;
            (name, vec![values.len()], values)
        };
        let (weight, shape, bias) = match self {
            Self::Scale { mean, scale } => {
                return vec![vector("mean", mean), vector("scale", scale)];
            }
            Self::Linear { weight, bias } => (weight, vec![weight.rows(), weight.columns()], bias),
            Self::Convolution(convolution) => {
                let Convolution { weight, kernel, .. } = convolution;
                let shape = vec![weight.rows(), convolution.channels(), *kernel, *kernel];
                (weight, shape, &convolution.bias)
            }
            _ => return Vec::new(),
        };
        let bias = bias.iter().map(|bias| vector("bias", bias));
        let weight = ("weight", shape, weight.values());
        [weight].into_iter().chain(bias).collect()
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scale { .. } => f.write_str("scale"),
            Self::Linear { weight, .. } => {
                write!(f, "linear {} -> {}", weight.columns(), weight.rows())
            }
            Self::Convolution(convolution) => convolution.fmt(f),
            Self::Relu => f.write_str("relu"),
            Self::AveragePool { size } => write!(f, "average pool {size} x {size}"),
            Self::GlobalAverage => f.write_str("global average"),
            Self::Residual { .. } => f.write_str("residual"),
        }
    }
}
