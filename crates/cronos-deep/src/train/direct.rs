//! Passes by kernels, on plain slices.

use super::dense::Dense;
use super::passes::{Batch, Passes, ROWS, blocks};
use crate::inputs::{Inputs, Scale};
use crate::kernels::{Kernels, Rows, Tape};
use cronos::{Error, Matrix};
use rayon::prelude::*;

/// The kernels of the features, and of the whole network.
pub(super) struct Direct {
    features: Kernels,
    whole: Option<(Dense, Kernels)>,
    tape: Tape,
    x: Vec<f32>,
    pull: Vec<f32>,
}

impl Direct {
    pub fn new(features: Kernels) -> Self {
        Self {
            features,
            whole: None,
            tape: Tape::default(),
            x: Vec::new(),
            pull: Vec::new(),
        }
    }
}

impl Passes for Direct {
    fn gradient(
        &mut self,
        values: &[f32],
        dense: Dense,
        batch: &Batch<'_>,
        gradient: &mut [f32],
    ) -> Result<(), Error> {
        let whole = match &mut self.whole {
            Some((of, whole)) if *of == dense => whole,
            other => {
                let mut whole = self.features.clone();
                dense.follow(&mut whole);
                &mut other.insert((dense, whole)).1
            }
        };
        let x = Rows::packed(batch.x, self.features.input());
        let f = whole.forward(values, x, &mut self.tape);
        pulls(batch, f, &mut self.pull);
        whole.backward(values, x, &mut self.tape, &self.pull, gradient);
        Ok(())
    }

    fn features(
        &mut self,
        values: &[f32],
        inputs: Inputs<'_>,
        scale: &Scale,
    ) -> Result<Matrix<f32>, Error> {
        let columns = self.features.output() + 1;
        let mut h = vec![1.0; inputs.rows() * columns];
        for (rows, h) in blocks(inputs.rows()).zip(h.chunks_mut(ROWS * columns)) {
            inputs.gather(&rows, scale, None, &mut self.x);
            let x = Rows::packed(&self.x, inputs.columns());
            let found = self.features.apply(values, x, &mut self.tape);
            h.par_chunks_mut(columns)
                .enumerate()
                .for_each(|(row, h)| h[..columns - 1].copy_from_slice(found.row(row)));
        }
        Matrix::from_rows(inputs.rows(), columns, h)
    }
}

/// The gradient of the mean loss in the outputs.
fn pulls(batch: &Batch<'_>, f: Rows<'_>, pull: &mut Vec<f32>) {
    let outputs = f.width;
    let share = 1.0 / f.count() as f64;
    let mut wide = vec![0.0; 3 * outputs];
    let (prediction, rest) = wide.split_at_mut(outputs);
    let (target, slope) = rest.split_at_mut(outputs);
    pull.clear();
    for (row, y) in batch.y.chunks(outputs).enumerate() {
        for (wide, &f) in prediction.iter_mut().zip(f.row(row)) {
            *wide = f64::from(f);
        }
        for (wide, &y) in target.iter_mut().zip(y) {
            *wide = f64::from(y);
        }
        batch.loss.gradient(prediction, target, slope);
        let weight = batch.weights.map_or(1.0, |weights| f64::from(weights[row]));
        pull.extend(slope.iter().map(|slope| (share * weight * slope) as f32));
    }
}
