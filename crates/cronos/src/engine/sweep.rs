//! One pass over the rows for everything an ADMM step does in row space.

use super::products::masked_row_sums;
use super::{BLOCK, Chunk, Engine, Workspace};
use crate::admm::Split;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::real::Real;
use rayon::prelude::*;
use std::ops::Range;

/// Row-space state. The slack and its multiplier are one array, because
/// `s = max(a, 0)` and `ν = min(a, 0)` for `a = G u + ν`; likewise `f` and `μ`
/// are `prox(e)` and `e − prox(e)`.
pub(crate) struct RowState<T> {
    /// n x (2 P C), wide; empty without cones
    pub a: Vec<T>,
    /// chunk by chunk, n x C
    pub e: Vec<Vec<T>>,
    /// `F u`, chunk by chunk, n x C
    pub fu: Vec<Vec<T>>,
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
    /// The state at `u = 0`: no slack, `f = y`, all multipliers zero.
    pub fn row_state(&self, y: &Matrix<T>) -> RowState<T> {
        let columns = self.columns_per_output() * y.columns();
        let padded = self.rows().next_multiple_of(BLOCK);
        let cones = self.activation.signs() == 2;
        let thin = |entry: &dyn Fn(usize, usize) -> T| -> Vec<Vec<T>> {
            (0..self.chunk_count())
                .map(|index| {
                    (0..y.columns())
                        .flat_map(|c| self.chunk(index).map(move |row| entry(row, c)))
                        .collect()
                })
                .collect()
        };
        RowState {
            a: vec![T::ZERO; if cones { padded * columns } else { 0 }],
            e: thin(&|row, c| y.at(row, c)),
            fu: thin(&|_, _| T::ZERO),
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
        self.for_each_chunk(state, work, image, |index, chunk, a, e, fu| {
            let mut sums = SweepSums::default();
            for (at, block) in self.blocks(index).enumerate() {
                self.multiply_block(&block, u, &mut chunk.z);
                self.expand_block(&block, &mut chunk.masks);
                let rows = RowsOf {
                    block: &block,
                    chunk: self.chunk(index),
                };
                let a = block_of(a, at, u.len() / self.features());
                self.update_block(chunk, &rows, y, step, a, e, fu, &mut sums);
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
        self.for_each_chunk(state, work, image, |index, chunk, a, e, _| {
            let per_output = self.columns_per_output() * BLOCK;
            for (at, block) in self.blocks(index).enumerate() {
                self.expand_block(&block, &mut chunk.masks);
                let rows = RowsOf {
                    block: &block,
                    chunk: self.chunk(index),
                };
                let a = block_of(a, at, length / self.features());
                for (c, z) in chunk.z.chunks_mut(per_output).enumerate() {
                    let h = rows.reflected(y, step, e, c);
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

    /// Multiplies the scaled multipliers by `ratio = ρ_old / ρ_new`; `step` holds the old ρ.
    pub fn rescale(&self, y: &Matrix<T>, state: &mut RowState<T>, step: &SweepStep, ratio: f64) {
        let ratio = T::of(ratio);
        state.a.par_iter_mut().for_each(|a| {
            *a = a.positive_part() + ratio * a.negative_part();
        });
        if step.split == Split::Paper {
            return;
        }
        let weight = T::of(step.rho * step.weight);
        for (index, e) in state.e.iter_mut().enumerate() {
            let rows = self.chunk(index);
            for (c, e) in e.chunks_mut(rows.len()).enumerate() {
                for (row, e) in rows.clone().zip(e) {
                    let f = step.loss.prox(*e, y.at(row, c), weight);
                    *e = f + ratio * (*e - f);
                }
            }
        }
    }

    fn for_each_chunk(
        &self,
        state: &mut RowState<T>,
        work: &mut Workspace<T>,
        image: &mut [T],
        run: impl Fn(usize, &mut Chunk<T>, &mut [T], &mut [T], &mut [T]) -> SweepSums + Sync,
    ) -> SweepSums {
        let columns = image.len() / self.features();
        let mut wide: Vec<&mut [T]> = state.a.chunks_mut(self.chunk_rows * columns).collect();
        wide.resize_with(work.chunks.len(), Default::default);
        let parts: Vec<SweepSums> = work
            .chunks
            .par_iter_mut()
            .zip(wide)
            .zip(state.e.par_iter_mut().zip(&mut state.fu))
            .enumerate()
            .map(|(index, ((chunk, a), (e, fu)))| {
                chunk.sum[..image.len()].fill(T::ZERO);
                run(index, chunk, a, e, fu)
            })
            .collect();
        work.reduce(image);
        let mut sums = SweepSums::default();
        for part in &parts {
            sums.add(part);
        }
        sums
    }

    /// Updates `a`, `e`, `fu` on one block and leaves `(2D − I)(s − ν) ± c D (2f − e)` in `z`.
    #[allow(clippy::too_many_arguments)]
    fn update_block(
        &self,
        chunk: &mut Chunk<T>,
        rows: &RowsOf<'_>,
        y: &Matrix<T>,
        step: &SweepStep,
        a: &mut [T],
        e: &mut [T],
        fu: &mut [T],
        sums: &mut SweepSums,
    ) {
        let gates = self.gates.len();
        let per_output = self.columns_per_output() * BLOCK;
        for c in 0..y.columns() {
            let z = &mut chunk.z[c * per_output..][..per_output];
            // f = Σ_i D_i X (v_i − w_i)
            let (v, w) = z.split_at(gates * BLOCK);
            let mut f = masked_row_sums(v, &chunk.masks);
            if !w.is_empty() {
                for (f, g) in f.iter_mut().zip(masked_row_sums(w, &chunk.masks)) {
                    *f -= g;
                }
            }
            rows.update_loss(&f, y, step, e, fu, c, sums);
            let h = rows.reflected(y, step, e, c);
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
                update_slack(z, a, mask, T::of(step.relaxation), sums);
            }
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
    for ((a, z), mask) in a_lanes.zip(z_lanes).zip(mask.as_chunks::<LANES>().0) {
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
            violation[lane] = if -g > violation[lane] {
                -g
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

/// Where a block lies in its chunk.
struct RowsOf<'b> {
    block: &'b Range<usize>,
    chunk: Range<usize>,
}

impl RowsOf<'_> {
    /// The block's part of column `c` of a chunk's thin array.
    fn thin(&self, c: usize) -> Range<usize> {
        let at = c * self.chunk.len() + self.block.start - self.chunk.start;
        at..at + self.block.len()
    }

    /// `f = prox(e)`, then `e = α Fu + (1 − α) f + μ`
    #[allow(clippy::too_many_arguments)]
    fn update_loss<T: Real>(
        &self,
        prediction: &[T; BLOCK],
        y: &Matrix<T>,
        step: &SweepStep,
        e: &mut [T],
        fu: &mut [T],
        c: usize,
        sums: &mut SweepSums,
    ) {
        let at = self.thin(c);
        let prox_weight = T::of(step.rho * step.weight);
        let relaxation = T::of(step.relaxation);
        for (k, row) in self.block.clone().enumerate() {
            let (prediction, target) = (prediction[k], y.at(row, c));
            fu[at.start + k] = prediction;
            sums.loss += step.loss.value(prediction.wide(), target.wide());
            if step.split == Split::Paper {
                continue;
            }
            let e = &mut e[at.start + k];
            let old = step.loss.prox(*e, target, prox_weight);
            *e = relaxation * prediction + (T::ONE - relaxation) * old + (*e - old);
            let new = step.loss.prox(*e, target, prox_weight);
            let squared = |value: T| step.weight * value.wide() * value.wide();
            sums.primal += squared(prediction - new);
            sums.change += squared(new - old);
            sums.image += squared(prediction);
            sums.copy += squared(new);
            sums.multiplier += squared(*e - new);
        }
    }

    /// `h = 2f − e`, or `y` in the paper's split.
    fn reflected<T: Real>(&self, y: &Matrix<T>, step: &SweepStep, e: &[T], c: usize) -> [T; BLOCK] {
        let mut h = [T::ZERO; BLOCK];
        let weight = T::of(step.rho * step.weight);
        for ((h, row), &e) in h.iter_mut().zip(self.block.clone()).zip(&e[self.thin(c)]) {
            let target = y.at(row, c);
            *h = match step.split {
                Split::Paper => target,
                Split::Loss => {
                    let f = step.loss.prox(e, target, weight);
                    f + f - e
                }
            };
        }
        h
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
