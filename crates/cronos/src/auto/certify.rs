//! The certificate of a learned network: how close it is to the best network
//! whose units have the gates it found.

use super::path::Seen;
use crate::certificate::{Certificate, relative_gap};
use crate::learn::{Hidden, penalty};
use crate::loss::{Loss, Row, dual_bound};
use crate::matrix::Matrix;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par, Side};
use rayon::prelude::*;

/// Objective and lower bound at the penalty `beta`, in `f64`.
///
/// With `Z` the gradient of the loss in the predictions, any `t ≥ 0` for which the
/// largest singular value of `t Xᵀ D_i Z` is at most β for every gate gives the
/// bound `−Σ loss*(t Z)`: no network whose units have these gates lies below it.
pub(super) fn certificate<T: Real>(
    rows: &Seen<T>,
    loss: Loss,
    beta: f64,
    units: &Hidden<T>,
) -> Certificate {
    let (wide, units) = (rows.wide(), units.wide());
    let (value, pull) = wide.objective(loss, beta).pull(&units);
    let objective = value + penalty(&units, beta);
    let outputs = units.outputs;
    let inner: Vec<&[f64]> = units.units().map(|(w, _)| w).collect();
    let largest = inner
        .par_iter()
        .map(|gate| largest_singular(&wide.x, gate, &pull, outputs))
        .collect::<Vec<f64>>()
        .into_iter()
        // a number that is not one proves nothing
        .map(|value| if value.is_nan() { f64::INFINITY } else { value })
        .fold(0.0, f64::max);
    let limit = match largest {
        _ if beta == 0.0 || !largest.is_finite() => 0.0,
        0.0 => f64::INFINITY,
        _ => beta / largest,
    };
    // per unit weight, as the conjugate wants it
    let weight = |row: usize| wide.weights.as_ref().map_or(1.0, |weights| weights[row]);
    let unit_pull: Vec<f64> = pull
        .chunks(outputs)
        .enumerate()
        .flat_map(|(row, z)| z.iter().map(move |z| z / weight(row)))
        .collect();
    let bound_rows = unit_pull.chunks(outputs).enumerate().map(|(row, z)| Row {
        weight: weight(row),
        z,
        y: wide.y.row(row),
    });
    let (_, bound) = dual_bound(loss, bound_rows, limit);
    let lower_bound = if bound.is_finite() {
        bound.max(0.0)
    } else {
        0.0
    };
    Certificate {
        objective,
        lower_bound,
        gap: relative_gap(objective, lower_bound),
        violation: 0.0,
        network_objective: objective,
    }
}

/// The largest singular value of `Xᵀ D Z`, with `D` the gate of the direction.
fn largest_singular(x: &Matrix<f64>, direction: &[f64], pull: &[f64], outputs: usize) -> f64 {
    let mut masked = pull.to_vec();
    for (row, z) in masked.chunks_mut(outputs).enumerate() {
        if crate::inner::dot(x.row(row), direction) < 0.0 {
            z.fill(0.0);
        }
    }
    let mut product = Mat::zeros(x.columns(), outputs);
    matmul(
        product.as_mut(),
        Accum::Replace,
        x.view(0, x.rows()).transpose(),
        MatRef::from_row_major_slice(&masked, x.rows(), outputs),
        1.0,
        Par::Seq,
    );
    let gram = product.transpose() * &product;
    match gram.self_adjoint_eigenvalues(Side::Lower) {
        Ok(values) => values.last().map_or(0.0, |value| value.max(0.0).sqrt()),
        // the Frobenius norm is never smaller
        Err(_) => product.norm_l2(),
    }
}
