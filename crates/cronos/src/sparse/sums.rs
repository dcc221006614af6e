//! What goes into the units of a network for rows that stay sparse.

use super::{Sparse, flip};
use crate::matrix::Matrix;
use crate::network::{BATCH, Network, Sums};
use std::borrow::Cow;

/// Products of a network with sparse rows, which stay sparse.
pub(crate) struct SparseSums<'a> {
    x: Cow<'a, Sparse>,
    /// The weights of all units on a feature side by side, and those of the gates.
    units: Vec<f64>,
    gates: Vec<f64>,
}

impl<'a> SparseSums<'a> {
    pub fn new(network: &Network, x: Cow<'a, Sparse>) -> Self {
        let flipped =
            |weights: &Matrix<f64>| flip(weights.values(), weights.rows(), weights.columns());
        let gating = network.gating.as_ref();
        Self {
            x,
            units: flipped(&network.hidden),
            gates: gating.map_or_else(Vec::new, |gating| flipped(&gating.directions)),
        }
    }

    /// What goes into the units and gates for the `BATCH` rows from `first` on.
    pub fn of(&self, network: &Network, first: usize) -> Sums {
        let rows = BATCH.min(self.x.rows() - first);
        let sums = |bias: &[f64], weights: &[f64]| {
            let (mut sums, k) = (bias.repeat(BATCH), bias.len());
            self.x.add_times(weights, k, first, &mut sums[..rows * k]);
            sums
        };
        let gating = network.gating.as_ref();
        Sums {
            units: sums(&network.hidden_bias, &self.units),
            gates: gating.map_or_else(Vec::new, |gating| sums(&gating.bias, &self.gates)),
        }
    }
}
