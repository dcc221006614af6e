//! Ordinary layers in front of a network: what a row is before the network sees it.
//!
//! The layers compute in single precision, as they are trained. Between two of them the
//! numbers of a row stand channel by channel, each channel row of pixels after row.

mod check;
mod convolution;
mod forward;
mod layer;
mod shape;

pub use check::Place;
pub use convolution::Convolution;
pub use layer::Layer;
pub use shape::Shape;

pub(crate) use forward::Forward;

use crate::Error;
use crate::matrix::Matrix;
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// Layers from raw inputs to the features of a network.
///
/// The raw inputs of an image stand pixel by pixel, as in the data: all channels of the
/// first pixel, then those of the second. The serialised form leaves out the numbers, which
/// the model file keeps as tensors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stack {
    /// What a row of raw inputs is.
    pub input: Shape,
    /// In the order in which they are applied.
    pub layers: Vec<Layer>,
}

impl Stack {
    /// How many raw inputs a row has.
    pub fn inputs(&self) -> usize {
        self.input.numbers()
    }

    /// How many features a row has behind the last layer. Refuses layers that do not fit.
    pub fn outputs(&self) -> Result<usize, Error> {
        let (_, output) = self.walk()?;
        Ok(output.numbers())
    }

    /// Every layer in order, each in front of those within it. Refuses layers that do not fit.
    pub fn places(&self) -> Result<Vec<Place<'_>>, Error> {
        let (places, _) = self.walk()?;
        Ok(places)
    }

    /// The features of each row of `x`, rows x outputs. Those of a row do not depend on the
    /// rows that come with it.
    pub fn forward(&self, x: &dyn Table) -> Result<Matrix<f64>, Error> {
        Forward::new(self, x)?.rows(0..x.rows())
    }
}
