//! Passes by Burn, for any module.

use super::dense::Dense;
use super::last::Last;
use super::passes::{Batch, Passes, blocks};
use crate::features::Features;
use crate::inputs::{Inputs, Scale};
use crate::loss::loss_of_batch;
use crate::parameters;
use crate::tensors::{matrix, numbers};
use burn::tensor::Device;
use cronos::{Error, Matrix};

/// A module, which takes the parameters of every pass.
pub(super) struct Taped<F> {
    features: F,
    of_features: usize,
    device: Device,
}

impl<F: Features> Taped<F> {
    pub fn new(features: F, of_features: usize, device: &Device) -> Self {
        Self {
            features,
            of_features,
            device: device.clone(),
        }
    }

    fn set(&mut self, values: &[f32]) {
        let features = self.features.clone();
        self.features = parameters::write(features, &values[..self.of_features]);
    }
}

impl<F: Features> Passes for Taped<F> {
    fn gradient(
        &mut self,
        values: &[f32],
        dense: Dense,
        batch: &Batch<'_>,
        gradient: &mut [f32],
    ) -> Result<(), Error> {
        self.set(values);
        let rows = batch.y.len() / dense.outputs.max(1);
        let last = parameters::write(Last::new(dense, &self.device), &values[self.of_features..]);
        let x = matrix(batch.x.to_vec(), batch.x.len() / rows.max(1), &self.device);
        let f = last.forward(self.features.forward(x));
        let y = matrix(batch.y.to_vec(), dense.outputs, &self.device);
        let weights = (batch.weights).map(|weights| matrix(weights.to_vec(), 1, &self.device));
        let loss = loss_of_batch(batch.loss, f, y, weights)?;
        let mut gradients = loss.backward();
        let mut found = Vec::with_capacity(values.len());
        parameters::gradient(&self.features, &mut gradients, &mut found);
        if gradient.len() > self.of_features {
            parameters::gradient(&last, &mut gradients, &mut found);
        }
        gradient.copy_from_slice(&found);
        Ok(())
    }

    fn features(
        &mut self,
        values: &[f32],
        inputs: Inputs<'_>,
        scale: &Scale,
    ) -> Result<Matrix<f32>, Error> {
        self.set(values);
        let features = self.features.valid();
        let (mut x, mut h, mut columns) = (Vec::new(), Vec::new(), 0);
        for rows in blocks(inputs.rows()) {
            inputs.gather(&rows, scale, None, &mut x);
            let found = features.forward(matrix(x.clone(), inputs.columns(), &self.device));
            columns = found.dims()[1];
            for row in numbers(found)?.chunks(columns.max(1)) {
                h.extend_from_slice(row);
                h.push(1.0);
            }
        }
        Matrix::from_rows(inputs.rows(), columns + 1, h)
    }
}
