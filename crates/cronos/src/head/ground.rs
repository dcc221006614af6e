//! What a head stands on: features and targets of all rows, here or on a device.

use super::Patience;
use crate::Error;
use crate::blocks::Blocks;
use crate::inner::norm_squared;
use crate::learn::{Hidden, Objective, descend};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::place::Place;

/// Features, targets and weights of all rows, and the objective of units on them.
pub(crate) trait Ground {
    /// The objective.
    fn value(&self, units: &Hidden<f32>, beta: f64) -> f64;

    /// Lowers the objective; returns where it ended.
    fn descend(&self, units: &mut Hidden<f32>, beta: f64, patience: Patience) -> f64;

    /// The features where they are, if ADMM can be set up there: n x d.
    fn features(&self) -> Option<&dyn Blocks<f32>>;

    /// The features on the processor.
    fn fetched(&self) -> Result<&Matrix<f32>, Error>;

    /// The targets: n x C.
    fn targets(&self) -> &Matrix<f32>;

    /// How much each row counts, if they do not all count the same.
    fn weights(&self) -> Option<&[f64]>;

    /// Where it is.
    fn place(&self) -> Place;

    /// Refuses to go on if the device failed.
    fn check(&self) -> Result<(), Error>;
}

/// On the processor.
pub(super) struct Here<'a> {
    pub x: &'a Matrix<f32>,
    pub y: &'a Matrix<f32>,
    pub weights: Option<&'a [f64]>,
    pub loss: Loss,
}

impl Here<'_> {
    fn objective(&self, beta: f64) -> Objective<'_, f32> {
        Objective {
            x: self.x,
            y: self.y,
            weights: self.weights,
            loss: self.loss,
            beta,
        }
    }
}

impl Ground for Here<'_> {
    fn value(&self, units: &Hidden<f32>, beta: f64) -> f64 {
        let (loss, _) = self.objective(beta).pull(units);
        loss + 0.5 * beta * norm_squared(&units.values)
    }

    fn descend(&self, units: &mut Hidden<f32>, beta: f64, patience: Patience) -> f64 {
        descend(&self.objective(beta), units, patience, &|| false).value
    }

    fn features(&self) -> Option<&dyn Blocks<f32>> {
        None
    }

    fn fetched(&self) -> Result<&Matrix<f32>, Error> {
        Ok(self.x)
    }

    fn targets(&self) -> &Matrix<f32> {
        self.y
    }

    fn weights(&self) -> Option<&[f64]> {
        self.weights
    }

    fn place(&self) -> Place {
        Place::Cpu
    }

    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}
