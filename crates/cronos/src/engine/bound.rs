//! What no point can beat, in `f64`.

use super::wide::{Wide, widen};
use super::{BLOCK, Engine, RowState, SweepStep};
use crate::admm::Split;
use crate::inner::{norm, vectorized};
use crate::loss::{DualRows, Row};
use crate::matrix::Matrix;
use crate::real::Real;
use rayon::prelude::*;
use std::ops::Range;

/// What rounding may do to a sum of products, relative to the largest that the sum could be.
const ROUNDED: f64 = 8.0 * f64::EPSILON;

/// A lower bound on the optimum of the outputs that the loss couples.
pub(crate) struct OutputBound {
    pub value: f64,
    /// `t`
    scale: f64,
    /// gradient of the loss per unit weight: n x outputs, row by row
    z: Vec<f64>,
}

#[cfg(feature = "device")]
impl OutputBound {
    /// What a device says of features that only it has; there is no dual point.
    pub fn estimated(value: f64) -> Self {
        Self {
            value,
            scale: 0.0,
            z: Vec::new(),
        }
    }
}

impl<T: Real> Engine<'_, T> {
    /// The lower bound on a range of outputs that the multipliers of the present
    /// state prove, and the dual point behind it.
    ///
    /// With `z` the gradient of the loss and `α = max(−ρν, 0)`, any `t ≥ 0` with
    /// `t ‖F_gᵀ z − G_gᵀ α_g‖ ≤ β` for every group `g` gives the bound
    /// `−Σ loss*(t z)`. Outputs that the loss does not couple have a `t` each.
    pub fn lower_bound(
        &self,
        state: &RowState<T>,
        y: &Matrix<T>,
        step: &SweepStep,
        beta: f64,
        outputs: Range<usize>,
    ) -> OutputBound {
        let count = outputs.len();
        let z = self.loss_gradient(state, y, step, outputs.clone());
        let mut largest: f64 = 0.0;
        for (at, c) in outputs.clone().enumerate() {
            let of_output: Vec<f64> = (0..self.rows())
                .map(|row| self.root(row) * z[row * count + at])
                .collect();
            largest = largest.max(self.largest_group(state, &of_output, step.rho, c));
        }
        // t ≤ β / max_g ‖F_gᵀ z − G_gᵀ α_g‖
        let limit = match largest {
            _ if beta == 0.0 || !largest.is_finite() => 0.0,
            0.0 => f64::INFINITY,
            _ => beta / largest,
        };
        let mut targets = vec![0.0; z.len()];
        for (row, targets) in targets.chunks_mut(count).enumerate() {
            widen(&y.row(row)[outputs.clone()], targets);
        }
        let of_row = |row: usize| Row {
            weight: self.root(row) * self.root(row),
            z: &z[row * count..][..count],
            y: &targets[row * count..][..count],
        };
        let rows = DualRows {
            chunks: self.chunks(),
            row: of_row,
            team: self.team.clone(),
        };
        let (t, value) = rows.bound(step.loss, limit);
        let proved = value.is_finite();
        OutputBound {
            value: if proved { value } else { 0.0 },
            scale: if proved { t } else { 0.0 },
            z,
        }
    }

    /// The dual point of a bound on `outputs`: `t w z` and `t √w α`, column by column.
    pub fn dual(
        &self,
        state: &RowState<T>,
        bound: &OutputBound,
        rho: f64,
        outputs: Range<usize>,
    ) -> (Vec<f64>, Vec<f64>) {
        let count = outputs.len();
        let of_loss = |at: usize, row: usize| match bound.scale {
            0.0 => 0.0,
            t => t * self.root(row) * self.root(row) * bound.z[row * count + at],
        };
        let z = (0..count)
            .flat_map(|at| (0..self.rows()).map(move |row| of_loss(at, row)))
            .collect();
        let mut cone = Vec::new();
        for c in outputs {
            for column in 0..self.columns_per_output() {
                for block in (0..self.chunk_count()).flat_map(|index| self.blocks(index)) {
                    if state.a.is_empty() {
                        return (z, cone);
                    }
                    let alpha = self.cone_multipliers(state, rho, c, column, &block);
                    cone.extend(
                        block
                            .zip(alpha)
                            .map(|(row, alpha)| bound.scale * self.root(row) * alpha),
                    );
                }
            }
        }
        (z, cone)
    }

    /// `z = ∇loss(f)` in the loss split, `∇loss(F u)` in the paper's, of some
    /// outputs: n x outputs, row by row.
    fn loss_gradient(
        &self,
        state: &RowState<T>,
        y: &Matrix<T>,
        step: &SweepStep,
        outputs: Range<usize>,
    ) -> Vec<f64> {
        let all = y.columns();
        let mut z = Vec::with_capacity(self.rows() * outputs.len());
        let mut row_of = [(); 4].map(|()| vec![0.0; all]);
        let [e, f, target, gradient] = &mut row_of;
        for (index, thin) in state.thin.iter().enumerate() {
            for (k, row) in self.chunk(index).enumerate() {
                let at = k * all..(k + 1) * all;
                widen(y.row(row), target);
                match step.split {
                    Split::Paper => {
                        widen(&thin.fu[at], f);
                        step.loss.gradient(f, target, gradient);
                    }
                    Split::Loss => {
                        widen(&thin.e[at.clone()], e);
                        widen(&thin.f[at], f);
                        let weight = step.rho * step.weight;
                        step.loss.dual_point(e, f, target, weight, gradient);
                    }
                }
                z.extend_from_slice(&gradient[outputs.clone()]);
            }
        }
        z
    }

    /// `max_g ‖F_gᵀ z − G_gᵀ α_g‖` over the groups of output `c`, and as much more as rounding may
    /// have taken away: `Σ_b ‖X_b‖ ‖h_b‖` over blocks of rows, times a few units in the last place,
    /// where `h` is what `Xᵀ` is multiplied with.
    fn largest_group(&self, state: &RowState<T>, z: &[f64], rho: f64, c: usize) -> f64 {
        let columns = self.columns_per_output();
        let d = self.features();
        let sums: Vec<Vec<f64>> = (0..self.chunk_count())
            .into_par_iter()
            .map(|index| {
                let mut sum = vec![0.0; d * columns + columns];
                let (of_groups, sizes) = sum.split_at_mut(d * columns);
                let mut wide = Wide::new(self, columns);
                for block in self.blocks(index) {
                    self.fill_dual(state, z, rho, c, &block, &mut wide.z);
                    let length = wide.add_adjoint(self, &block, of_groups);
                    for (size, h) in sizes.iter_mut().zip(wide.z.chunks(BLOCK)) {
                        *size += length * norm(&h[..block.len()]);
                    }
                }
                sum
            })
            .collect();
        let sums: Vec<&[f64]> = sums.iter().map(Vec::as_slice).collect();
        let mut groups = vec![0.0; d * columns + columns];
        self.team.add_up(&sums, &mut groups);
        let (groups, sizes) = groups.split_at(d * columns);
        (groups.chunks(d).zip(sizes))
            .map(|(group, size)| norm(group) + ROUNDED * size)
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
        let mut mask = [0.0; BLOCK];
        let mut of_rows = [0.0; BLOCK];
        of_rows[..block.len()].copy_from_slice(&z[block.clone()]);
        vectorized(
            #[inline(always)]
            || {
                for (column, out) in out.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
                    let sign = if column < gates { 1.0 } else { -1.0 };
                    let alpha = self.cone_multipliers(state, rho, c, column, block);
                    self.gates.expand(column % gates, block.start, &mut mask);
                    for row in 0..BLOCK {
                        let active = sign * of_rows[row] - alpha[row];
                        out[row] = if mask[row] != 0.0 { active } else { alpha[row] };
                    }
                }
            },
        );
    }

    /// `α = −ρ R ν` on one column of one block; zeros without cones.
    #[inline(always)]
    pub(super) fn cone_multipliers(
        &self,
        state: &RowState<T>,
        rho: f64,
        c: usize,
        column: usize,
        block: &Range<usize>,
    ) -> [f64; BLOCK] {
        let mut alpha = [0.0; BLOCK];
        let columns = state.a.len() / self.rows().next_multiple_of(BLOCK);
        let from = block.start * columns + (c * self.columns_per_output() + column) * BLOCK;
        let rows = from..from + block.len();
        let a = state.a.get(rows.clone()).unwrap_or_default();
        for (alpha, a) in alpha.iter_mut().zip(a) {
            *alpha = -rho * a.negative_part().wide();
        }
        let stiffness = state.stiffness.get(rows).unwrap_or_default();
        for (alpha, r) in alpha.iter_mut().zip(stiffness) {
            *alpha *= r.wide();
        }
        alpha
    }
}
