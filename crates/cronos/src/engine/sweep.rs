//! One pass over the rows for everything an ADMM step does in row space.

use super::products::masked_row_sums;
use super::thin::{RowsOf, ThinState};
use super::{BLOCK, Chunk, Engine, Workspace};
use crate::admm::Split;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::real::Real;
use rayon::prelude::*;
use std::ops::Range;

/// Row-space state. The slack and its multiplier are one array, because
/// `s = max(a, 0)` and `ν = min(a, 0)` for `a = G u + ν`.
///
/// A row of weight `w` has `√w` times its rows in `F` and `G`, so that it counts
/// as `w` rows. Thin arrays are per unit weight: they hold predictions.
pub(crate) struct RowState<T> {
    /// n x (2 P C), wide; empty without cones
    pub a: Vec<T>,
    /// one for each chunk
    pub thin: Vec<ThinState<T>>,
}

/// What a sweep needs to know of the outer loop.
#[derive(Clone, Copy)]
pub(crate) struct SweepStep {
    pub loss: Loss,
    pub split: Split,
    pub rho: f64,
    /// `c`, the weight of `F u = f`
    pub weight: f64,
    pub relaxation: f64,
}

/// Sums over the rows, for residuals and history.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweepSums {
    /// `‖G u − s‖² + c ‖F u − f‖²`
    pub primal: f64,
    /// `‖s − s_old‖² + c ‖f − f_old‖²`
    pub change: f64,
    /// `‖G u‖² + c ‖F u‖²`
    pub image: f64,
    /// `‖s‖² + c ‖f‖²`
    pub copy: f64,
    /// `‖ν‖² + c ‖μ‖²`
    pub multiplier: f64,
    /// `Σ loss(F u, y)`
    pub loss: f64,
    /// `max (−G u)_+`
    pub violation: f64,
}

impl SweepSums {
    fn add(&mut self, other: &Self) {
        self.primal += other.primal;
        self.change += other.change;
        self.image += other.image;
        self.copy += other.copy;
        self.multiplier += other.multiplier;
        self.loss += other.loss;
        self.violation = self.violation.max(other.violation);
    }
}

impl<T: Real> Engine<'_, T> {
    /// The state at `u = 0`: no slack, multipliers zero, `f` at the target or at 0.
    pub fn row_state(&self, y: &Matrix<T>, step: &SweepStep) -> RowState<T> {
        let columns = self.columns_per_output() * y.columns();
        let padded = self.rows().next_multiple_of(BLOCK);
        let cones = self.activation.signs() == 2;
        let thin = (0..self.chunk_count())
            .map(|index| {
                let rows = self.chunk(index);
                let targets = y.values()[rows.start * y.columns()..rows.end * y.columns()].iter();
                let e: Vec<T> = match step.loss {
                    Loss::Squared | Loss::Huber { .. } | Loss::Quantile { .. } => {
                        targets.copied().collect()
                    }
                    _ => targets.map(|_| T::ZERO).collect(),
                };
                let mut state = ThinState {
                    f: e.clone(),
                    fu: vec![T::ZERO; e.len()],
                    e,
                };
                let mut scratch = vec![0.0; 4 * y.columns()];
                for (k, row) in rows.enumerate() {
                    match step.split {
                        Split::Loss => state.prox(k, y.row(row), step, &mut scratch),
                        Split::Paper => state.model(k, y.row(row), step, &mut scratch),
                    }
                }
                state
            })
            .collect();
        RowState {
            a: vec![T::ZERO; if cones { padded * columns } else { 0 }],
            thin,
        }
    }

    /// The row half of an ADMM step, fused:
    ///
    /// ```text
    /// s = (Gu + ν)_+ ,  f = prox(Fu + μ) ,  ν, μ updated
    /// image = Gᵀ(s − ν) + c Fᵀ(2f − e)          for the next u-step
    /// ```
    ///
    /// u, image: d x (signs P C)
    pub fn sweep(
        &self,
        u: &[T],
        y: &Matrix<T>,
        state: &mut RowState<T>,
        step: &SweepStep,
        image: &mut [T],
        work: &mut Workspace<T>,
    ) -> SweepSums {
        self.for_each_chunk(state, work, image, |index, chunk, a, thin| {
            let mut sums = SweepSums::default();
            for (at, block) in self.blocks(index).enumerate() {
                self.multiply_block(&block, u, &mut chunk.z);
                self.expand_block(&block, &mut chunk.masks);
                let rows = self.rows_of(index, &block);
                let a = block_of(a, at, u.len() / self.features());
                self.update_block(chunk, &rows, y, step, a, thin, &mut sums);
                self.add_adjoint_block(&block, &chunk.z, &mut chunk.sum[..u.len()]);
            }
            sums
        })
    }

    /// `image = Gᵀ(s − ν) + c Fᵀ(2f − e)` for the state as it is.
    pub fn image(
        &self,
        y: &Matrix<T>,
        state: &mut RowState<T>,
        step: &SweepStep,
        image: &mut [T],
        work: &mut Workspace<T>,
    ) {
        let length = image.len();
        self.for_each_chunk(state, work, image, |index, chunk, a, thin| {
            let per_output = self.columns_per_output() * BLOCK;
            for (at, block) in self.blocks(index).enumerate() {
                self.expand_block(&block, &mut chunk.masks);
                let rows = self.rows_of(index, &block);
                let a = block_of(a, at, length / self.features());
                for (c, z) in chunk.z.chunks_mut(per_output).enumerate() {
                    let h = rows.reflected(y.columns(), step.split, thin, c);
                    let a = if a.is_empty() {
                        &[][..]
                    } else {
                        &a[c * per_output..][..per_output]
                    };
                    self.fill(z, &chunk.masks, a, step.weight, &h);
                }
                self.add_adjoint_block(&block, &chunk.z, &mut chunk.sum[..length]);
            }
            SweepSums::default()
        });
    }

    /// Multiplies the scaled multipliers by `ratio = ρ_old / ρ_new`.
    pub fn rescale(&self, state: &mut RowState<T>, step: &SweepStep, ratio: f64) {
        let ratio = T::of(ratio);
        state.a.par_iter_mut().for_each(|a| {
            *a = a.positive_part() + ratio * a.negative_part();
        });
        if step.split == Split::Paper {
            return;
        }
        for ThinState { e, f, .. } in &mut state.thin {
            for (e, &f) in e.iter_mut().zip(f.iter()) {
                *e = f + ratio * (*e - f);
            }
        }
    }

    /// The curvatures of the paper's model of the loss: n x C, column by column.
    pub fn curvature(&self, state: &RowState<T>, outputs: usize, out: &mut Vec<T>) {
        out.clear();
        for c in 0..outputs {
            for thin in &state.thin {
                out.extend(thin.f.iter().skip(c).step_by(outputs));
            }
        }
    }

    fn rows_of<'b>(&'b self, index: usize, block: &'b Range<usize>) -> RowsOf<'b, T> {
        RowsOf {
            block,
            first: block.start - self.chunk(index).start,
            roots: self.roots.map(|roots| &roots[block.clone()]),
        }
    }

    fn for_each_chunk(
        &self,
        state: &mut RowState<T>,
        work: &mut Workspace<T>,
        image: &mut [T],
        run: impl Fn(usize, &mut Chunk<T>, &mut [T], &mut ThinState<T>) -> SweepSums + Sync,
    ) -> SweepSums {
        let columns = image.len() / self.features();
        let mut wide: Vec<&mut [T]> = state.a.chunks_mut(self.chunk_rows * columns).collect();
        wide.resize_with(work.chunks.len(), Default::default);
        let parts: Vec<SweepSums> = work
            .chunks
            .par_iter_mut()
            .zip(wide)
            .zip(&mut state.thin)
            .enumerate()
            .map(|(index, ((chunk, a), thin))| {
                chunk.sum[..image.len()].fill(T::ZERO);
                run(index, chunk, a, thin)
            })
            .collect();
        work.reduce(image);
        let mut sums = SweepSums::default();
        for part in &parts {
            sums.add(part);
        }
        sums
    }

    /// Updates the state on one block and leaves `(2D − I)(s − ν) ± c D (2f − e)` in `z`.
    #[allow(clippy::too_many_arguments)]
    fn update_block(
        &self,
        chunk: &mut Chunk<T>,
        rows: &RowsOf<'_, T>,
        y: &Matrix<T>,
        step: &SweepStep,
        a: &mut [T],
        thin: &mut ThinState<T>,
        sums: &mut SweepSums,
    ) {
        let gates = self.gates.len();
        let per_output = self.columns_per_output() * BLOCK;
        for (c, z) in chunk.z.chunks(per_output).take(y.columns()).enumerate() {
            // f = Σ_i D_i X (v_i − w_i)
            let (v, w) = z.split_at(gates * BLOCK);
            let mut f = masked_row_sums(v, &chunk.masks);
            if !w.is_empty() {
                for (f, g) in f.iter_mut().zip(masked_row_sums(w, &chunk.masks)) {
                    *f -= g;
                }
            }
            for (k, f) in f.into_iter().take(rows.block.len()).enumerate() {
                thin.fu[(rows.first + k) * y.columns() + c] = f / rows.root(k);
            }
        }
        rows.update_loss(y, step, thin, &mut chunk.scratch, sums);
        let inverse = rows.inverse_roots();
        for (c, z) in chunk.z.chunks_mut(per_output).take(y.columns()).enumerate() {
            let a = if a.is_empty() {
                &mut [][..]
            } else {
                &mut a[c * per_output..][..per_output]
            };
            for ((z, a), i) in z
                .as_chunks::<BLOCK>()
                .0
                .iter()
                .zip(a.as_chunks_mut::<BLOCK>().0)
                .zip((0..gates).cycle())
            {
                let mask = &chunk.masks.as_chunks::<BLOCK>().0[i];
                update_slack(z, a, mask, &inverse, T::of(step.relaxation), sums);
            }
            let h = rows.reflected(y.columns(), step.split, thin, c);
            self.fill(z, &chunk.masks, a, step.weight, &h);
        }
    }

    /// `z_i = (2 D_i − I) |a_i| ± c D_i h`
    fn fill(&self, z: &mut [T], masks: &[T], a: &[T], weight: f64, h: &[T; BLOCK]) {
        let gates = self.gates.len();
        let (masks, _) = masks.as_chunks::<BLOCK>();
        let (a, _) = a.as_chunks::<BLOCK>();
        for (column, z) in z.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            let mask = &masks[column % gates];
            let weight = T::of(if column < gates { weight } else { -weight });
            for row in 0..BLOCK {
                z[row] = weight * mask[row] * h[row];
            }
            if let Some(a) = a.get(column) {
                for row in 0..BLOCK {
                    let sign = mask[row] + mask[row] - T::ONE;
                    let slack = a[row].positive_part() - a[row].negative_part();
                    z[row] += sign * slack;
                }
            }
        }
    }
}

/// `a = α Gu + (1 − α) s + ν` on one column of a block; `z` holds `X u`.
#[inline(always)]
fn update_slack<T: Real>(
    z: &[T; BLOCK],
    a: &mut [T; BLOCK],
    mask: &[T; BLOCK],
    inverse_roots: &[T; BLOCK],
    relaxation: T,
    sums: &mut SweepSums,
) {
    const LANES: usize = 8;
    let mut primal = [T::ZERO; LANES];
    let mut change = [T::ZERO; LANES];
    let mut image = [T::ZERO; LANES];
    let mut copy = [T::ZERO; LANES];
    let mut multiplier = [T::ZERO; LANES];
    let mut violation = [T::ZERO; LANES];
    let a_lanes = a.as_chunks_mut::<LANES>().0.iter_mut();
    let z_lanes = z.as_chunks::<LANES>().0.iter();
    let given = mask
        .as_chunks::<LANES>()
        .0
        .iter()
        .zip(inverse_roots.as_chunks::<LANES>().0);
    for ((a, z), (mask, inverse)) in a_lanes.zip(z_lanes).zip(given) {
        for lane in 0..LANES {
            let g = (mask[lane] + mask[lane] - T::ONE) * z[lane];
            let old = a[lane].positive_part();
            let new = relaxation * g + (T::ONE - relaxation) * old + a[lane].negative_part();
            let (s, nu) = (new.positive_part(), new.negative_part());
            a[lane] = new;
            primal[lane] += (g - s) * (g - s);
            change[lane] += (s - old) * (s - old);
            image[lane] += g * g;
            copy[lane] += s * s;
            multiplier[lane] += nu * nu;
            let outside = -g * inverse[lane];
            violation[lane] = if outside > violation[lane] {
                outside
            } else {
                violation[lane]
            };
        }
    }
    let total = |lanes: [T; LANES]| lanes.iter().copied().sum::<T>().wide();
    sums.primal += total(primal);
    sums.change += total(change);
    sums.image += total(image);
    sums.copy += total(copy);
    sums.multiplier += total(multiplier);
    for lane in violation {
        sums.violation = sums.violation.max(lane.wide());
    }
}

/// Block number `at` of a chunk's wide array; empty when there are no cones.
fn block_of<T>(a: &mut [T], at: usize, columns: usize) -> &mut [T] {
    if a.is_empty() {
        a
    } else {
        &mut a[at * BLOCK * columns..][..BLOCK * columns]
    }
}
