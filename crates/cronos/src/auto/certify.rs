//! The certificate of a learned network: how close it is to the best network
//! whose units have the gates it found.

use super::path::Seen;
use crate::certificate::{Certificate, relative_gap};
use crate::cone::{Cone, scales};
use crate::gates::Gates;
use crate::learn::{Hidden, penalty};
use crate::loss::{DualRows, Loss, Row};
use crate::matrix::Matrix;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par, Side};
use rayon::prelude::*;

/// Columns of the products that are made together, and rows that add to them at a time.
const COLUMNS: usize = 120;
const ROWS: usize = 512;
/// A gate whose pull is this close to the largest, in the precision of the rows, may have
/// the largest.
const NEAR: f64 = 0.99;

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
            pulls.largest(&rows.x, work)
        }
        // without units there is nothing to hold
        None => 0.0,
    };
    let proof = Proof {
        objective: value + penalty(&units, beta),
        loss,
        y: &wide.y,
        weights: wide.weights.as_deref(),
        pull: &pull,
        beta,
    };
    proof.certificate(largest)
}

/// What is known at some units: their objective, and `Z` row by row.
pub(super) struct Proof<'a> {
    pub objective: f64,
    pub loss: Loss,
    pub y: &'a Matrix<f64>,
    pub weights: Option<&'a [f64]>,
    pub pull: &'a [f64],
    pub beta: f64,
}

impl Proof<'_> {
    /// What it proves where no gate pulls harder than `largest`.
    pub fn certificate(&self, largest: f64) -> Certificate {
        let outputs = self.y.columns();
        let limit = match largest {
            _ if self.beta == 0.0 || !largest.is_finite() => 0.0,
            0.0 => f64::INFINITY,
            _ => self.beta / largest,
        };
        // per unit weight, as the conjugate wants it
        let weight = |row: usize| self.weights.map_or(1.0, |weights| weights[row]);
        let unit_pull: Vec<f64> = (self.pull.chunks(outputs).enumerate())
            .flat_map(|(row, z)| z.iter().map(move |z| z / weight(row)))
            .collect();
        let bound_rows = DualRows::here(self.y.rows(), |row| Row {
            weight: weight(row),
            z: &unit_pull[row * outputs..][..outputs],
            y: self.y.row(row),
        });
        let (_, bound) = bound_rows.bound(self.loss, limit);
        let lower_bound = if bound.is_finite() {
            bound.max(0.0)
        } else {
            0.0
        };
        holds(self.objective, lower_bound)
    }
}

/// What is certain without any work: no objective is below 0.
pub(super) fn nothing(objective: f64) -> Certificate {
    holds(objective, 0.0)
}

fn holds(objective: f64, lower_bound: f64) -> Certificate {
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
    ///
    /// rows: X as it was learned from
    fn largest<T: Real>(&self, rows: &Matrix<T>, work: f64) -> f64 {
        let (n, d) = (self.x.rows(), self.x.columns());
        // what a projection onto a cone costs, or so
        let one = 10.0 * (n * d) as f64 + 2.0 * (d * d * d) as f64;
        let cones = one * (2 * self.outputs * self.gates.len()) as f64 <= work;
        let all: Vec<usize> = (0..self.gates.len()).collect();
        let largest_free = |_: usize, b: MatRef<'_, f64>| largest_singular(b);
        let in_cone = |gate: usize, b: MatRef<'_, f64>| {
            let free = largest_singular(b);
            match free > self.beta {
                true => free.min(self.within_cone(gate, b)),
                false => free,
            }
        };
        let widest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        if cones {
            return widest(&self.of_gates(self.x, &all, in_cone));
        }
        // first roughly, then exactly where it may be the largest
        let rough = self.of_gates(rows, &all, largest_free);
        let top = widest(&rough);
        let near: Vec<usize> = (all.iter().copied())
            .filter(|&gate| rough[gate] >= NEAR * top)
            .collect();
        let exact = self.of_gates(self.x, &near, largest_free);
        let off = |(&gate, exact): (&usize, &f64)| (exact - rough[gate]).abs();
        match widest(&near.iter().zip(&exact).map(off).collect::<Vec<_>>()) {
            error if error <= 0.1 * (1.0 - NEAR) * top => widest(&exact),
            // the precision of the rows does not tell the gates apart
            _ => widest(&self.of_gates(self.x, &all, largest_free)),
        }
    }

    /// What `measure` makes of `B_i`, for each of the gates.
    fn of_gates<T: Real>(
        &self,
        x: &Matrix<T>,
        gates: &[usize],
        measure: impl Fn(usize, MatRef<'_, f64>) -> f64 + Sync,
    ) -> Vec<f64> {
        let panels = gates.par_chunks(COLUMNS.div_ceil(self.outputs));
        let of_panel = |gates: &[usize]| -> Vec<f64> {
            let products = self.products(x, gates);
            let value = |(at, &gate): (usize, &usize)| {
                let own = (products.as_ref()).subcols(at * self.outputs, self.outputs);
                let value = measure(gate, own);
                // a number that is not one proves nothing
                if value.is_nan() { f64::INFINITY } else { value }
            };
            gates.iter().enumerate().map(value).collect()
        };
        panels.flat_map_iter(of_panel).collect()
    }

    /// `Xᵀ D_i Z` of several gates, side by side; blocks of rows are summed in `f64`.
    fn products<T: Real>(&self, x: &Matrix<T>, gates: &[usize]) -> Mat<f64> {
        let width = gates.len() * self.outputs;
        let mut products = Mat::<f64>::zeros(x.columns(), width);
        let mut of_block = Mat::<T>::zeros(x.columns(), width);
        let mut masked = vec![T::ZERO; ROWS * width];
        for from in (0..x.rows()).step_by(ROWS) {
            let to = x.rows().min(from + ROWS);
            for (masked, row) in masked.chunks_mut(width).zip(from..to) {
                let z = &self.pull[row * self.outputs..][..self.outputs];
                for (masked, &gate) in masked.chunks_mut(self.outputs).zip(gates) {
                    let open = self.gates.active(gate, row);
                    for (masked, &z) in masked.iter_mut().zip(z) {
                        *masked = if open { T::of(z) } else { T::ZERO };
                    }
                }
            }
            matmul(
                of_block.as_mut(),
                Accum::Replace,
                x.view(from, to).transpose(),
                MatRef::from_row_major_slice(&masked[..(to - from) * width], to - from, width),
                T::ONE,
                Par::Seq,
            );
            for (sum, of_block) in products.col_iter_mut().zip(of_block.col_iter()) {
                sum.iter_mut()
                    .zip(of_block.iter())
                    .for_each(|(sum, &value)| *sum += value.wide());
            }
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

pub(super) fn largest_singular(b: MatRef<'_, f64>) -> f64 {
    let gram = b.transpose() * b;
    match gram.self_adjoint_eigenvalues(Side::Lower) {
        Ok(values) => values.last().map_or(0.0, |value| value.max(0.0).sqrt()),
        // the Frobenius norm is never smaller
        Err(_) => b.norm_l2(),
    }
}
