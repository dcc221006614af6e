//! Whoever holds the parameters of a network and moves them: the processor, or a device.

use super::dense::Dense;
use super::passes::Batch;
use crate::inputs::{Inputs, Scale};
use crate::optim::Memory;
use cronos::{Error, Head, HeadStep, Matrix};

/// Holds the parameters, those of the features first and then those of the last layers, and the
/// optimizer of those that are trained.
pub(super) trait Holder {
    /// A step on some rows, at a share of the rate.
    fn step(&mut self, dense: Dense, batch: &Batch<'_>, share: f64) -> Result<(), Error>;

    /// Whether there is nothing to step on.
    fn is_idle(&self) -> bool;

    /// Makes the features of all rows, which the two calls below are about.
    fn look(&mut self, inputs: Inputs<'_>, scale: &Scale) -> Result<(), Error>;

    /// Solves for the last layers.
    fn solve(
        &mut self,
        head: &mut Head,
        y: &Matrix<f32>,
        weights: Option<&[f64]>,
    ) -> Result<HeadStep, Error>;

    /// The outputs of the last layers, rows x outputs; forgets the features.
    fn outputs(&mut self, dense: Dense) -> Result<Matrix<f64>, Error>;

    /// All parameters.
    fn values(&self) -> Result<Vec<f32>, Error>;

    /// Takes on other parameters.
    fn set(&mut self, values: Vec<f32>);

    /// Takes on other last layers.
    fn set_last(&mut self, values: Vec<f32>);

    /// `‖θ‖²` of the features.
    fn squared_length(&self) -> Result<f64, Error>;

    /// What the optimizer remembers.
    fn memory(&self) -> Result<Memory, Error>;

    /// Goes on from there; tells whether it could.
    fn resume(&mut self, memory: &Memory) -> bool;
}
