//! Rows forward and backward through the network.

use super::dense::Dense;
use crate::inputs::{Inputs, Scale};
use cronos::{Error, Loss, Matrix};

/// Rows that go through the features together where no gradient is asked for.
pub(super) const ROWS: usize = 512;

/// Rows of a step, scaled, and their targets, each row by row.
pub(super) struct Batch<'a> {
    pub x: &'a [f32],
    pub y: &'a [f32],
    pub weights: Option<&'a [f32]>,
    pub loss: Loss,
}

/// A network whose parameters stand in a slice, those of the features first.
pub(super) trait Passes {
    /// Writes the gradient of the mean loss of the rows, each times its weight, in as many of
    /// the parameters as there is room for.
    fn gradient(
        &mut self,
        values: &[f32],
        dense: Dense,
        batch: &Batch<'_>,
        gradient: &mut [f32],
    ) -> Result<(), Error>;

    /// The features of all rows, with a column of ones behind them.
    fn features(
        &mut self,
        values: &[f32],
        inputs: Inputs<'_>,
        scale: &Scale,
    ) -> Result<Matrix<f32>, Error>;
}

/// Numbers of rows that go through together.
pub(super) fn blocks(rows: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..rows)
        .step_by(ROWS)
        .map(move |from| (from..rows.min(from + ROWS)).collect())
}
