//! Features and scores of all rows.

use super::Goal;
use crate::features::Features;
use crate::inputs::{Inputs, Scale};
use crate::tensors::{matrix, numbers};
use burn::tensor::Device;
use cronos::{Error, Loss, Matrix, Network};

/// Rows that go through the features together.
const ROWS: usize = 512;

/// The features of all rows, with a column of ones behind them.
pub(super) fn features_of<F: Features>(
    features: &F,
    inputs: Inputs<'_>,
    scale: &Scale,
    device: &Device,
) -> Result<Matrix<f32>, Error> {
    let features = features.valid();
    let mut values = Vec::new();
    let mut columns = 0;
    for from in (0..inputs.rows()).step_by(ROWS) {
        let rows: Vec<usize> = (from..inputs.rows().min(from + ROWS)).collect();
        let x = matrix(inputs.gather(&rows, scale, None), inputs.columns(), device);
        let h = features.forward(x);
        columns = h.dims()[1];
        for row in numbers(h).chunks(columns.max(1)) {
            values.extend_from_slice(row);
            values.push(1.0);
        }
    }
    Matrix::from_rows(inputs.rows(), columns + 1, values)
}

/// The outputs of the last layers: rows x outputs, row by row.
pub(super) fn outputs_of(network: &Network, h: &Matrix<f32>) -> Result<Matrix<f64>, Error> {
    network.predict(&without_ones(h))
}

/// Features without the column of ones.
pub(super) fn without_ones(h: &Matrix<f32>) -> Matrix<f64> {
    Matrix::from_fn(h.rows(), h.columns() - 1, |i, j| f64::from(h.at(i, j)))
}

/// The mean of the losses of all rows.
pub(super) fn mean_loss(loss: Loss, f: &Matrix<f64>, y: &Matrix<f32>) -> f64 {
    let mut target = vec![0.0; y.columns()];
    let row = |i: usize| {
        let pairs = target.iter_mut().zip(y.row(i));
        pairs.for_each(|(wide, &y)| *wide = f64::from(y));
        loss.value(f.row(i), &target)
    };
    (0..y.rows()).map(row).sum::<f64>() / y.rows().max(1) as f64
}

/// Accuracy or R².
pub(super) fn score(goal: Goal, f: &Matrix<f64>, y: &Matrix<f32>) -> f64 {
    let rows = y.rows();
    let targets = |i: usize| y.row(i).iter().map(|&y| f64::from(y));
    match goal {
        Goal::Classes => {
            let chosen = cronos::chosen_classes(f);
            let wanted = Matrix::from_fn(rows, y.columns(), |i, c| f64::from(y.at(i, c)));
            let wanted = cronos::chosen_classes(&wanted);
            let right = chosen.iter().zip(&wanted).filter(|(a, b)| a == b).count();
            right as f64 / rows.max(1) as f64
        }
        Goal::Numbers => {
            let mut mean = vec![0.0; y.columns()];
            for i in 0..rows {
                mean.iter_mut()
                    .zip(targets(i))
                    .for_each(|(m, y)| *m += y / rows as f64);
            }
            let (mut left, mut all) = (0.0, 0.0);
            for i in 0..rows {
                for ((y, f), mean) in targets(i).zip(f.row(i)).zip(&mean) {
                    left += (y - f) * (y - f);
                    all += (y - mean) * (y - mean);
                }
            }
            if all > 0.0 { 1.0 - left / all } else { 0.0 }
        }
    }
}
