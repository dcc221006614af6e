//! Parameters in the memory of the processor.

use super::dense::Dense;
use super::holder::Holder;
use super::judge::outputs_of;
use super::passes::{Batch, Passes};
use crate::inputs::{Inputs, Scale};
use crate::optim::{Memory, Optimizer};
use cronos::{Error, Head, HeadStep, Matrix};

pub(super) struct Here<'a> {
    passes: Box<dyn Passes + 'a>,
    optimizer: Box<dyn Optimizer>,
    values: Vec<f32>,
    of_features: usize,
    /// The gradient in those that are trained: all, unless the last layers are solved for.
    gradient: Vec<f32>,
    /// Features of the rows that were looked at last.
    seen: Matrix<f32>,
}

impl<'a> Here<'a> {
    /// trained: parameters that are, the first so many
    pub fn new(
        passes: Box<dyn Passes + 'a>,
        optimizer: Box<dyn Optimizer>,
        values: Vec<f32>,
        of_features: usize,
        trained: usize,
    ) -> Self {
        Self {
            passes,
            optimizer,
            values,
            of_features,
            gradient: vec![0.0; trained],
            seen: nothing(),
        }
    }
}

impl Holder for Here<'_> {
    fn step(&mut self, dense: Dense, batch: &Batch<'_>, share: f64) -> Result<(), Error> {
        self.optimizer.set_scale(share);
        self.passes
            .gradient(&self.values, dense, batch, &mut self.gradient)?;
        let trained = &mut self.values[..self.gradient.len()];
        self.optimizer.step(trained, &mut self.gradient);
        Ok(())
    }

    fn is_idle(&self) -> bool {
        self.gradient.is_empty()
    }

    fn look(&mut self, inputs: Inputs<'_>, scale: &Scale) -> Result<(), Error> {
        self.seen = self.passes.features(&self.values, inputs, scale)?;
        Ok(())
    }

    fn solve(
        &mut self,
        head: &mut Head,
        y: &Matrix<f32>,
        weights: Option<&[f64]>,
    ) -> Result<HeadStep, Error> {
        head.step(&self.seen, y, weights)
    }

    fn outputs(&mut self, dense: Dense) -> Result<Matrix<f64>, Error> {
        let last = &self.values[self.of_features..];
        let seen = std::mem::replace(&mut self.seen, nothing());
        Ok(outputs_of(last, dense, &seen))
    }

    fn values(&self) -> Result<Vec<f32>, Error> {
        Ok(self.values.clone())
    }

    fn set(&mut self, values: Vec<f32>) {
        self.values = values;
    }

    fn set_last(&mut self, values: Vec<f32>) {
        self.values.truncate(self.of_features);
        self.values.extend(values);
    }

    fn squared_length(&self) -> Result<f64, Error> {
        let squares = self.values[..self.of_features]
            .iter()
            .map(|&p| f64::from(p).powi(2));
        Ok(squares.sum())
    }

    fn memory(&self) -> Result<Memory, Error> {
        Ok(self.optimizer.memory())
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        self.optimizer.resume(memory)
    }
}

fn nothing() -> Matrix<f32> {
    Matrix::from_fn(0, 0, |_, _| 0.0)
}
