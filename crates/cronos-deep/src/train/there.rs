//! Parameters, optimizer and features in the memory of a device.

use super::dense::Dense;
use super::holder::Holder;
use super::last::Last;
use super::passes::{Batch, blocks};
use crate::features::Features;
use crate::inputs::{Inputs, Scale};
use crate::loss::loss_of_batch;
use crate::optim::Memory;
use crate::optim::there::OptimizerThere;
use crate::parameters;
use crate::tensors::{matrix, number, numbers};
use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use cronos::{Error, Head, HeadStep, Matrix, Place};

pub(super) struct There<F> {
    features: F,
    /// That of gradients, and where it is.
    device: Device,
    place: Place,
    optimizer: Box<dyn OptimizerThere>,
    values: Tensor<1>,
    of_features: usize,
    /// Parameters that are trained, the first so many.
    trained: usize,
    /// Features of the rows that were looked at last, with a column of ones behind them, in
    /// blocks.
    seen: Vec<Tensor<2>>,
}

impl<F: Features> There<F> {
    /// device: that of gradients
    pub fn new(
        features: &F,
        device: &Device,
        place: Place,
        optimizer: Box<dyn OptimizerThere>,
        values: Vec<f32>,
        [of_features, trained]: [usize; 2],
    ) -> Self {
        Self {
            features: features.clone(),
            values: send(values, device),
            device: device.clone(),
            place,
            optimizer,
            of_features,
            trained,
            seen: Vec::new(),
        }
    }

    fn last(&self, dense: Dense) -> Last {
        let size = self.values.dims()[0];
        let own = self.values.clone().slice(self.of_features..size);
        parameters::write_there(Last::new(dense, &self.device), &own)
    }

    /// The features with the parameters as they are.
    fn follow(&mut self) {
        self.features = parameters::write_there(self.features.clone(), &self.values);
    }
}

impl<F: Features> Holder for There<F> {
    fn step(&mut self, dense: Dense, batch: &Batch<'_>, share: f64) -> Result<(), Error> {
        let device = &self.device;
        let rows = batch.y.len() / dense.outputs.max(1);
        let last = self.last(dense);
        let x = matrix(batch.x.to_vec(), batch.x.len() / rows.max(1), device);
        let f = last.forward(self.features.forward(x));
        let y = matrix(batch.y.to_vec(), dense.outputs, device);
        let weights = (batch.weights).map(|weights| matrix(weights.to_vec(), 1, device));
        let mut gradients = loss_of_batch(batch.loss, f, y, weights)?.backward();
        let mut slopes = parameters::gradient_there(&self.features, &mut gradients);
        if self.trained > self.of_features {
            slopes.extend(parameters::gradient_there(&last, &mut gradients));
        }
        self.optimizer.set_scale(share);
        let size = self.values.dims()[0];
        let before = self.values.clone().slice(0..self.trained);
        let moved = self.optimizer.step(before, Tensor::cat(slopes, 0))?;
        self.values = match self.trained == size {
            true => moved,
            false => {
                let rest = self.values.clone().slice(self.trained..size);
                Tensor::cat(vec![moved, rest], 0)
            }
        };
        self.follow();
        Ok(())
    }

    fn is_idle(&self) -> bool {
        self.trained == 0
    }

    fn look(&mut self, inputs: Inputs<'_>, scale: &Scale) -> Result<(), Error> {
        self.seen.clear();
        let features = self.features.valid();
        let device = self.device.clone().inner();
        let mut x = Vec::new();
        for rows in blocks(inputs.rows()) {
            inputs.gather(&rows, scale, None, &mut x);
            let h = features.forward(matrix(x.clone(), inputs.columns(), &device));
            let ones = Tensor::ones([rows.len(), 1], &device);
            self.seen.push(Tensor::cat(vec![h, ones], 1));
        }
        Ok(())
    }

    fn solve(
        &mut self,
        head: &mut Head,
        y: &Matrix<f32>,
        weights: Option<&[f64]>,
    ) -> Result<HeadStep, Error> {
        head.step_there(&self.seen, y, weights, self.place)
    }

    fn outputs(&mut self, dense: Dense) -> Result<Matrix<f64>, Error> {
        let last = self.last(dense).valid();
        let seen = std::mem::take(&mut self.seen);
        let parts = seen.into_iter().map(|h| {
            let rows = h.dims()[0];
            last.forward(h.slice([0..rows, 0..dense.features]))
        });
        let outputs = numbers(Tensor::cat(parts.collect(), 0))?;
        let outputs: Vec<f64> = outputs.into_iter().map(f64::from).collect();
        Matrix::from_rows(outputs.len() / dense.outputs, dense.outputs, outputs)
    }

    fn values(&self) -> Result<Vec<f32>, Error> {
        numbers(self.values.clone())
    }

    fn set(&mut self, values: Vec<f32>) {
        self.values = send(values, &self.device);
        self.follow();
    }

    fn set_last(&mut self, values: Vec<f32>) {
        let own = self.values.clone().slice(0..self.of_features);
        let last = send(values, &self.device);
        self.values = match self.of_features {
            0 => last,
            _ => Tensor::cat(vec![own, last], 0),
        };
    }

    fn squared_length(&self) -> Result<f64, Error> {
        if self.of_features == 0 {
            return Ok(0.0);
        }
        let own = self.values.clone().slice(0..self.of_features);
        number(own.square().sum())
    }

    fn memory(&self) -> Result<Memory, Error> {
        self.optimizer.memory()
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        self.optimizer.resume(memory)
    }
}

/// One long tensor, of which no gradient is asked.
fn send(values: Vec<f32>, device: &Device) -> Tensor<1> {
    let shape = [values.len()];
    Tensor::from_data(TensorData::new(values, shape), &device.clone().inner())
}
