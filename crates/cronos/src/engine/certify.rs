//! What a point is worth and what no point can beat, both in `f64`.

use super::{BLOCK, Engine, RowState, SweepStep};
use crate::admm::Split;
use crate::inner::{add_scaled, dot, norm, norm_squared};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::ops::Range;

/// A point of the convex program, in `f64`: d x (signs P C).
pub(crate) type Candidate = Vec<f64>;

/// The worth of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Evaluation {
    /// `loss(F u) + β Σ ‖u_g‖`
    pub objective: f64,
    /// `loss(network(X)) + β Σ ‖u_g‖`, the network with the same weights
    pub network_objective: f64,
    /// `max (−G u)_+`
    pub violation: f64,
}

/// A lower bound on the optimum of one output.
pub(crate) struct OutputBound {
    pub value: f64,
    /// `t`
    scale: f64,
    z: Vec<f64>,
}

impl<T: Real> Engine<'_, T> {
    /// Objective, violation and the objective of the recovered network.
    pub fn evaluate(&self, u: &[f64], y: &Matrix<T>, loss: Loss, beta: f64) -> Evaluation {
        let d = self.features();
        let live: Vec<usize> = (0..u.len() / d)
            .filter(|&column| u[column * d..][..d].iter().any(|&weight| weight != 0.0))
            .collect();
        let weights: Vec<f64> = live
            .iter()
            .flat_map(|&g| &u[g * d..][..d])
            .copied()
            .collect();
        let penalty: f64 = beta * weights.chunks(d).map(norm).sum::<f64>();
        let parts: Vec<Evaluation> = (0..self.chunk_count())
            .into_par_iter()
            .map(|index| {
                let mut part = Evaluation {
                    objective: 0.0,
                    network_objective: 0.0,
                    violation: 0.0,
                };
                let mut wide = Wide::new(self, live.len());
                for block in self.blocks(index) {
                    wide.multiply(self, &block, &weights);
                    self.evaluate_block(&block, &live, &wide.z, y, loss, &mut part);
                }
                part
            })
            .collect();
        let mut total = Evaluation {
            objective: penalty,
            network_objective: penalty,
            violation: 0.0,
        };
        for part in parts {
            total.objective += part.objective;
            total.network_objective += part.network_objective;
            total.violation = total.violation.max(part.violation);
        }
        total
    }

    fn evaluate_block(
        &self,
        block: &Range<usize>,
        live: &[usize],
        z: &[f64],
        y: &Matrix<T>,
        loss: Loss,
        part: &mut Evaluation,
    ) {
        let (gates, signs) = (self.gates.len(), self.activation.signs());
        let mut convex = vec![0.0; block.len() * y.columns()];
        let mut network = convex.clone();
        for (z, &column) in z.chunks(BLOCK).zip(live) {
            let (c, gate) = (column / (signs * gates), column % gates);
            let sign = if column / gates % signs == 0 {
                1.0
            } else {
                -1.0
            };
            for (k, row) in block.clone().enumerate() {
                let active = self.gates.active(gate, row);
                let at = k * y.columns() + c;
                let gated = if active { z[k] } else { 0.0 };
                convex[at] += sign * gated;
                if signs == 2 {
                    network[at] += sign * z[k].max(0.0);
                    let slack = if active { z[k] } else { -z[k] };
                    part.violation = part.violation.max(-slack);
                } else {
                    network[at] += sign * gated;
                }
            }
        }
        for (k, row) in block.clone().enumerate() {
            for (c, target) in y.row(row).iter().enumerate() {
                let at = k * y.columns() + c;
                part.objective += loss.value(convex[at], target.wide());
                part.network_objective += loss.value(network[at], target.wide());
            }
        }
    }

    /// The lower bound on output `c` that the multipliers of the present state
    /// prove, and the dual point behind it.
    ///
    /// With `z` the gradient of the loss and `α = max(−ρν, 0)`, any `t ≥ 0` with
    /// `t ‖F_gᵀ z − G_gᵀ α_g‖ ≤ β` for every group `g` gives the bound
    /// `−loss*(t z)`. Outputs are independent, so each has a `t` of its own.
    pub fn lower_bound(
        &self,
        state: &RowState<T>,
        y: &Matrix<T>,
        step: &SweepStep,
        beta: f64,
        c: usize,
    ) -> OutputBound {
        let z = self.loss_gradient(state, y, step, c);
        let largest = self.largest_group(state, &z, step.rho, c);
        // t ≤ β / max_g ‖F_gᵀ z − G_gᵀ α_g‖
        let limit = match largest {
            _ if beta == 0.0 || !largest.is_finite() => 0.0,
            0.0 => f64::INFINITY,
            _ => beta / largest,
        };
        let (t, value) = step
            .loss
            .dual_bound(norm_squared(&z), dot(&z, &y.column(c)), limit);
        let proved = value.is_finite();
        OutputBound {
            value: if proved { value } else { 0.0 },
            scale: if proved { t } else { 0.0 },
            z,
        }
    }

    /// The dual point of a bound: `t z` (n), and `t α` (n x (2 P)).
    pub fn dual(
        &self,
        state: &RowState<T>,
        bound: &OutputBound,
        rho: f64,
        c: usize,
    ) -> (Vec<f64>, Vec<f64>) {
        let scaled = |z: &f64| {
            if bound.scale == 0.0 {
                0.0
            } else {
                bound.scale * z
            }
        };
        let z = bound.z.iter().map(scaled).collect();
        let mut cone = Vec::new();
        for column in 0..self.columns_per_output() {
            for index in 0..self.chunk_count() {
                for block in self.blocks(index) {
                    let Some(a) = self.wide_column(state, c, column, &block) else {
                        return (z, cone);
                    };
                    let alpha = |a: &T| -rho * bound.scale * a.negative_part().wide();
                    cone.extend(a[..block.len()].iter().map(alpha));
                }
            }
        }
        (z, cone)
    }

    /// `z = ∇loss(f)` in the loss split, `∇loss(F u)` in the paper's: n, for output `c`.
    fn loss_gradient(
        &self,
        state: &RowState<T>,
        y: &Matrix<T>,
        step: &SweepStep,
        c: usize,
    ) -> Vec<f64> {
        let weight = T::of(step.rho * step.weight);
        let mut z = Vec::with_capacity(self.rows());
        for index in 0..self.chunk_count() {
            let rows = self.chunk(index);
            let thin = match step.split {
                Split::Paper => &state.fu[index],
                Split::Loss => &state.e[index],
            };
            for (row, &value) in rows.clone().zip(&thin[c * rows.len()..]) {
                let target = y.at(row, c);
                let f = match step.split {
                    Split::Paper => value,
                    Split::Loss => step.loss.prox(value, target, weight),
                };
                z.push(step.loss.gradient(f.wide(), target.wide()));
            }
        }
        z
    }

    /// `max_g ‖F_gᵀ z − G_gᵀ α_g‖` over the groups of output `c`.
    fn largest_group(&self, state: &RowState<T>, z: &[f64], rho: f64, c: usize) -> f64 {
        let columns = self.columns_per_output();
        let d = self.features();
        let sums: Vec<Vec<f64>> = (0..self.chunk_count())
            .into_par_iter()
            .map(|index| {
                let mut sum = vec![0.0; d * columns];
                let mut wide = Wide::new(self, columns);
                for block in self.blocks(index) {
                    self.fill_dual(state, z, rho, c, &block, &mut wide.z);
                    wide.add_adjoint(self, &block, &mut sum);
                }
                sum
            })
            .collect();
        (0..columns)
            .into_par_iter()
            .map(|column| {
                let mut group = sums[0][column * d..][..d].to_vec();
                for sum in &sums[1..] {
                    add_scaled(&mut group, 1.0, &sum[column * d..][..d]);
                }
                norm(&group)
            })
            .collect::<Vec<f64>>()
            .into_iter()
            // a norm that is not a number proves nothing, so it counts as infinite
            .map(|norm| if norm.is_nan() { f64::INFINITY } else { norm })
            .fold(0.0, f64::max)
    }

    /// `±D_i z − (2 D_i − I) α_i`, for the `v` and `w` columns of output `c`.
    fn fill_dual(
        &self,
        state: &RowState<T>,
        z: &[f64],
        rho: f64,
        c: usize,
        block: &Range<usize>,
        out: &mut [f64],
    ) {
        let gates = self.gates.len();
        for (column, out) in out.chunks_mut(BLOCK).enumerate() {
            let sign = if column < gates { 1.0 } else { -1.0 };
            let cone = self.wide_column(state, c, column, block);
            for (k, row) in block.clone().enumerate() {
                let active = self.gates.active(column % gates, row);
                // α = −ρ ν
                let alpha = cone.map_or(0.0, |a| -rho * a[k].negative_part().wide());
                out[k] = if active { sign * z[row] - alpha } else { alpha };
            }
        }
    }

    /// One column of one block of the wide array; none without cones.
    fn wide_column<'s>(
        &self,
        state: &'s RowState<T>,
        c: usize,
        column: usize,
        block: &Range<usize>,
    ) -> Option<&'s [T]> {
        if state.a.is_empty() {
            return None;
        }
        let per_output = self.columns_per_output();
        let columns = state.a.len() / self.rows().next_multiple_of(BLOCK);
        let at = block.start * columns + (c * per_output + column) * BLOCK;
        Some(&state.a[at..at + BLOCK])
    }
}

/// A block of `X` and of a wide array, in `f64`.
struct Wide {
    x: Vec<f64>,
    z: Vec<f64>,
    columns: usize,
}

impl Wide {
    fn new<T: Real>(engine: &Engine<'_, T>, columns: usize) -> Self {
        Self {
            x: vec![0.0; BLOCK * engine.features()],
            z: vec![0.0; BLOCK * columns],
            columns,
        }
    }

    fn load<T: Real>(&mut self, engine: &Engine<'_, T>, block: &Range<usize>) {
        let d = engine.features();
        let at = block.start * d..block.end * d;
        if let Some(exact) = engine.exact {
            return self.x[..at.len()].copy_from_slice(&exact.values()[at]);
        }
        for (wide, value) in self.x.iter_mut().zip(&engine.x.values()[at]) {
            *wide = value.wide();
        }
    }

    /// `Z = X_block U`
    fn multiply<T: Real>(&mut self, engine: &Engine<'_, T>, block: &Range<usize>, u: &[f64]) {
        self.load(engine, block);
        let d = engine.features();
        matmul(
            MatMut::from_column_major_slice_mut(&mut self.z, BLOCK, self.columns)
                .subrows_mut(0, block.len()),
            Accum::Replace,
            MatRef::from_row_major_slice(&self.x[..block.len() * d], block.len(), d),
            MatRef::from_column_major_slice(u, d, self.columns),
            1.0,
            Par::Seq,
        );
    }

    /// `sum += X_blockᵀ Z`
    fn add_adjoint<T: Real>(
        &mut self,
        engine: &Engine<'_, T>,
        block: &Range<usize>,
        sum: &mut [f64],
    ) {
        self.load(engine, block);
        let d = engine.features();
        matmul(
            MatMut::from_column_major_slice_mut(sum, d, self.columns),
            Accum::Add,
            MatRef::from_row_major_slice(&self.x[..block.len() * d], block.len(), d).transpose(),
            MatRef::from_column_major_slice(&self.z, BLOCK, self.columns).subrows(0, block.len()),
            1.0,
            Par::Seq,
        );
    }
}
