//! Products for the u-solvers: masked sums, their adjoint, and the normal operator.

use super::{BLOCK, Chunk, Engine, Workspace};
use crate::inner::vectorized;
use crate::loss::Loss;
use crate::real::Real;
use rayon::prelude::*;
use std::ops::Range;

/// `H`: the curvature of the loss between `Fᵀ` and `F`.
#[derive(Clone, Copy)]
pub(crate) enum Curvature<'c, T> {
    /// The identity.
    One,
    /// The same diagonal for every output: n
    Shared(&'c [T]),
    /// What a loss makes of n x C numbers, column by column.
    Of(Loss, &'c [T]),
}

impl<T: Real> Curvature<'_, T> {
    /// `f ← H f` on a block of rows, one column for each output.
    fn apply(&self, block: &Range<usize>, n: usize, f: &mut [[T; BLOCK]]) {
        match self {
            Self::One => {}
            Self::Shared(diagonal) => {
                for f in f {
                    for (f, &h) in f.iter_mut().zip(&diagonal[block.clone()]) {
                        *f *= h;
                    }
                }
            }
            Self::Of(loss, values) => {
                let mut row_of = vec![T::ZERO; f.len()];
                for (k, row) in block.clone().enumerate() {
                    for (out, f) in row_of.iter_mut().zip(f.iter()) {
                        *out = f[k];
                    }
                    loss.apply_curvature(|c| values[c * n + row], &mut row_of);
                    for (f, out) in f.iter_mut().zip(&row_of) {
                        f[k] = *out;
                    }
                }
            }
        }
    }
}

impl<T: Real> Engine<'_, T> {
    /// `r_c = Σ_i D_i X q_ic`
    ///
    /// q: d x (P C), r: n x C
    pub fn masked_sum(&self, q: &[T], r: &mut [T], work: &mut Workspace<T>) {
        let gates = self.gates.len();
        let columns = q.len() / self.features();
        work.chunks
            .par_iter_mut()
            .enumerate()
            .for_each(|(index, chunk)| {
                let chunk_start = self.chunk(index).start;
                let chunk_len = self.chunk(index).len();
                let Chunk {
                    room,
                    z,
                    masks,
                    thin,
                    ..
                } = chunk;
                for block in self.blocks(index) {
                    self.multiply_block(self.x.block(block.clone(), room), q, z);
                    vectorized(
                        #[inline(always)]
                        || {
                            self.expand_block(&block, masks);
                            for c in 0..columns / gates {
                                let z = &z[c * gates * BLOCK..][..gates * BLOCK];
                                let sum = masked_row_sums(z, masks);
                                let at = c * chunk_len + block.start - chunk_start;
                                thin[at..at + block.len()].copy_from_slice(&sum[..block.len()]);
                            }
                        },
                    );
                }
            });
        self.collect_thin(work, r);
    }

    /// `out_ic = Xᵀ D_i t_c`
    ///
    /// t: n x C, out: d x (P C)
    pub fn masked_spread(&self, t: &[T], out: &mut [T], work: &mut Workspace<T>) {
        let (rows, gates) = (self.rows(), self.gates.len());
        work.chunks
            .par_iter_mut()
            .enumerate()
            .for_each(|(index, chunk)| {
                let Chunk {
                    room,
                    z,
                    masks,
                    sum,
                    ..
                } = chunk;
                let sum = &mut sum[..out.len()];
                sum.fill(T::ZERO);
                for block in self.blocks(index) {
                    vectorized(
                        #[inline(always)]
                        || {
                            self.expand_block(&block, masks);
                            for (z, t) in z.chunks_mut(gates * BLOCK).zip(t.chunks(rows)) {
                                let t = &t[block.clone()];
                                for (z, mask) in z.chunks_mut(BLOCK).zip(masks.chunks(BLOCK)) {
                                    for ((z, &mask), &t) in z.iter_mut().zip(mask).zip(t) {
                                        *z = mask * t;
                                    }
                                }
                            }
                        },
                    );
                    self.add_adjoint_block(self.x.block(block, room), z, sum);
                }
            });
        work.reduce(out);
    }

    /// `out = (c FᵀHF + GᵀG) u`
    ///
    /// u, out: d x (signs P C)
    pub fn normal(
        &self,
        u: &[T],
        weight: f64,
        curvature: Curvature<'_, T>,
        out: &mut [T],
        work: &mut Workspace<T>,
    ) {
        let gates = self.gates.len();
        let relu = self.activation.signs() == 2;
        let per_output = self.columns_per_output() * BLOCK;
        let outputs = u.len() / self.weights_per_output();
        let weight = T::of(weight);
        work.chunks
            .par_iter_mut()
            .enumerate()
            .for_each(|(index, chunk)| {
                let Chunk {
                    room,
                    z,
                    masks,
                    sum,
                    ..
                } = chunk;
                let sum = &mut sum[..out.len()];
                let z = &mut z[..outputs * per_output];
                sum.fill(T::ZERO);
                let mut thin = vec![[T::ZERO; BLOCK]; outputs];
                for block in self.blocks(index) {
                    let x = self.x.block(block.clone(), room);
                    self.multiply_block(x, u, z);
                    vectorized(
                        #[inline(always)]
                        || {
                            self.expand_block(&block, masks);
                            // f = Σ_i D_i X (v_i − w_i)
                            for (f, z) in thin.iter_mut().zip(z.chunks(per_output)) {
                                let (v, w) = z.split_at(gates * BLOCK);
                                *f = masked_row_sums(v, masks);
                                if relu {
                                    for (f, g) in f.iter_mut().zip(masked_row_sums(w, masks)) {
                                        *f -= g;
                                    }
                                }
                            }
                        },
                    );
                    curvature.apply(&block, self.rows(), &mut thin);
                    vectorized(
                        #[inline(always)]
                        || {
                            for (f, z) in thin.iter().zip(z.chunks_mut(per_output)) {
                                let (v, w) = z.split_at_mut(gates * BLOCK);
                                // (2D − I)² = I, so the G part of Z is Z itself; without cones it is absent
                                let keep = if relu { T::ONE } else { T::ZERO };
                                add_masked(v, masks, keep, weight, f);
                                add_masked(w, masks, keep, -weight, f);
                            }
                        },
                    );
                    self.add_adjoint_block(x, z, sum);
                }
            });
        work.reduce(out);
    }

    /// Gathers the thin results of the chunks into `out` (n x C).
    fn collect_thin(&self, work: &Workspace<T>, out: &mut [T]) {
        for (c, out) in out.chunks_mut(self.rows()).enumerate() {
            for (index, chunk) in work.chunks.iter().enumerate() {
                let rows = self.chunk(index);
                let thin = &chunk.thin[c * rows.len()..][..rows.len()];
                out[rows].copy_from_slice(thin);
            }
        }
    }

    /// Most outputs a workspace can serve at a time.
    pub fn batch(&self, work: &Workspace<T>) -> usize {
        work.outputs
    }
}

/// `Σ_i D_i z_i` over the rows of a block.
#[inline(always)]
pub(super) fn masked_row_sums<T: Real>(z: &[T], masks: &[T]) -> [T; BLOCK] {
    let mut sums = [T::ZERO; BLOCK];
    let (z, _) = z.as_chunks::<BLOCK>();
    let (masks, _) = masks.as_chunks::<BLOCK>();
    for (z, mask) in z.iter().zip(masks) {
        for row in 0..BLOCK {
            sums[row] += mask[row] * z[row];
        }
    }
    sums
}

/// `z_i = keep z_i + weight D_i f`
#[inline(always)]
fn add_masked<T: Real>(z: &mut [T], masks: &[T], keep: T, weight: T, f: &[T; BLOCK]) {
    let (z, _) = z.as_chunks_mut::<BLOCK>();
    let (masks, _) = masks.as_chunks::<BLOCK>();
    for (z, mask) in z.iter_mut().zip(masks) {
        for row in 0..BLOCK {
            z[row] = keep * z[row] + weight * mask[row] * f[row];
        }
    }
}
