//! Outputs and scores of all rows.

use super::Goal;
use super::dense::Dense;
use super::passes::ROWS;
use crate::kernels::{Kernels, Rows, Tape};
use cronos::{Loss, Matrix};

/// The outputs of the last layers on features with a column of ones: rows x outputs.
pub(super) fn outputs_of(values: &[f32], dense: Dense, h: &Matrix<f32>) -> Matrix<f64> {
    let mut kernels = Kernels::new(dense.features);
    dense.follow(&mut kernels);
    let stride = dense.features + 1;
    let mut tape = Tape::default();
    let mut outputs = Vec::with_capacity(h.rows() * dense.outputs);
    for block in h.values().chunks(ROWS * stride) {
        let h = Rows {
            values: block,
            offset: 0,
            stride,
            width: dense.features,
        };
        let f = kernels.apply(values, h, &mut tape);
        outputs.extend((0..h.count()).flat_map(|i| f.row(i)).map(|&f| f64::from(f)));
    }
    Matrix::from_fn(h.rows(), dense.outputs, |i, c| {
        outputs[i * dense.outputs + c]
    })
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
