//! The certificate of a learned network: how close it is to the best network
//! whose units have the gates it found.

use super::path::Seen;
use crate::certificate::{Certificate, relative_gap};
use crate::cone::{Cone, scales};
use crate::gates::Gates;
use crate::learn::{Hidden, penalty};
use crate::loss::{Loss, Row, dual_bound};
use crate::matrix::Matrix;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par, Side};
use rayon::prelude::*;
use std::ops::Range;

/// Columns of the products that are made together, and rows that add to them at a time.
const COLUMNS: usize = 64;
const ROWS: usize = 1024;

/// Objective and lower bound at the penalty `beta`, in `f64`.
///
/// With `Z` the gradient of the loss in the predictions, any `t ≥ 0` with
/// `t ‖Zᵀ D_i X v‖ ≤ β` for every gate `i` and every `v` of its cone with `‖v‖ ≤ 1`
/// gives the bound `−Σ loss*(t Z)`: no network whose units have these gates lies
/// below it. The norm is at most the largest singular value of `Xᵀ D_i Z`; and with
/// `work` left for it, also at most that of the largest entries over the cone.
pub(super) fn certificate<T: Real>(
    rows: &Seen<T>,
    loss: Loss,
    beta: f64,
    units: &Hidden<T>,
    work: f64,
) -> Certificate {
    let (wide, units) = (rows.wide(), units.wide());
    let (value, pull) = wide.objective(loss, beta).pull(&units);
    let objective = value + penalty(&units, beta);
    let outputs = units.outputs;
    let largest = match gates(&wide.x, &units) {
        Some(gates) => {
            let pulls = Pulls {
                x: &wide.x,
                scales: scales(&wide.x),
                gates: &gates,
                pull: &pull,
                outputs,
                beta,
            };
            pulls.largest(work)
        }
        // without units there is nothing to hold
        None => 0.0,
    };
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

/// The distinct gates of the units.
fn gates(x: &Matrix<f64>, units: &Hidden<f64>) -> Option<Gates> {
    let inner = units.inner();
    let d = units.features;
    let directions = Matrix::from_fn(d, units.len(), |i, j| inner[j * d + i]);
    Gates::from_directions(x, &directions).ok()
}

/// What pulls at units with the gates: `B_i = Xᵀ D_i Z`.
struct Pulls<'a> {
    x: &'a Matrix<f64>,
    /// `1 / ‖x_j‖`
    scales: Vec<f64>,
    gates: &'a Gates,
    pull: &'a [f64],
    outputs: usize,
    beta: f64,
}

impl Pulls<'_> {
    /// An upper bound of `‖B_iᵀ v‖` over all gates and the `v` of their cones.
    fn largest(&self, work: f64) -> f64 {
        let (n, d) = (self.x.rows(), self.x.columns());
        // what a projection onto a cone costs, or so
        let one = 10.0 * (n * d) as f64 + 2.0 * (d * d * d) as f64;
        let cones = one * (2 * self.outputs * self.gates.len()) as f64 <= work;
        let of_gate = |gate: usize, b: MatRef<'_, f64>| {
            let free = largest_singular(b);
            let value = match free > self.beta && cones {
                true => free.min(self.within_cone(gate, b)),
                false => free,
            };
            // a number that is not one proves nothing
            if value.is_nan() { f64::INFINITY } else { value }
        };
        let together = COLUMNS.div_ceil(self.outputs);
        let panels = (0..self.gates.len().div_ceil(together)).into_par_iter();
        let of_panel = |panel: usize| {
            let first = panel * together;
            let gates = first..self.gates.len().min(first + together);
            let products = self.products(gates.clone());
            let products = |gate: usize| {
                let from = (gate - first) * self.outputs;
                products.as_ref().subcols(from, self.outputs)
            };
            let values = gates.map(|gate| of_gate(gate, products(gate)));
            values.fold(0.0, f64::max)
        };
        panels.map(of_panel).reduce(|| 0.0, f64::max)
    }

    /// `Xᵀ D_i Z` of several gates, side by side.
    fn products(&self, gates: Range<usize>) -> Mat<f64> {
        let width = gates.len() * self.outputs;
        let mut products = Mat::zeros(self.x.columns(), width);
        let mut masked = vec![0.0; ROWS * width];
        for from in (0..self.x.rows()).step_by(ROWS) {
            let to = self.x.rows().min(from + ROWS);
            for (masked, row) in masked.chunks_mut(width).zip(from..to) {
                let z = &self.pull[row * self.outputs..][..self.outputs];
                for (masked, gate) in masked.chunks_mut(self.outputs).zip(gates.clone()) {
                    match self.gates.active(gate, row) {
                        true => masked.copy_from_slice(z),
                        false => masked.fill(0.0),
                    }
                }
            }
            matmul(
                products.as_mut(),
                Accum::Add,
                self.x.view(from, to).transpose(),
                MatRef::from_row_major_slice(&masked[..(to - from) * width], to - from, width),
                1.0,
                Par::Seq,
            );
        }
        products
    }

    /// `‖Bᵀv‖² ≤ Σ_c max_v (b_cᵀv)²`, each maximum by a projection onto the cone.
    fn within_cone(&self, gate: usize, b: MatRef<'_, f64>) -> f64 {
        let cone = Cone {
            x: self.x,
            scales: &self.scales,
            gates: self.gates,
            gate,
        };
        // entries this small do not decide
        let enough = match self.outputs {
            1 => self.beta,
            outputs => 0.3 * self.beta / (outputs as f64).sqrt(),
        };
        let squares = (0..self.outputs).map(|c| {
            let up: Vec<f64> = (0..b.nrows()).map(|i| b[(i, c)]).collect();
            let down: Vec<f64> = up.iter().map(|b| -b).collect();
            let [up, down] = [up, down].map(|b| cone.projection_norm(&b, enough));
            up.max(down).powi(2)
        });
        squares.sum::<f64>().sqrt()
    }
}

fn largest_singular(b: MatRef<'_, f64>) -> f64 {
    let gram = b.transpose() * b;
    match gram.self_adjoint_eigenvalues(Side::Lower) {
        Ok(values) => values.last().map_or(0.0, |value| value.max(0.0).sqrt()),
        // the Frobenius norm is never smaller
        Err(_) => b.norm_l2(),
    }
}
