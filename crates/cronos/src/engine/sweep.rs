//! One pass over the rows for everything an ADMM step does in row space.

use super::products::masked_row_sums;
use super::slack::Slacks;
use super::thin::{RowsOf, ThinState};
use super::{BLOCK, Chunk, Engine, Workspace};
use crate::admm::Split;
use crate::inner::vectorized;
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
#[derive(Clone)]
pub(crate) struct RowState<T> {
    /// n x (2 P C), wide; empty without cones
    pub a: Vec<T>,
    /// How stiffly each slack is held to `G u`, laid out as `a`; empty if all are 1
    pub stiffness: Vec<T>,
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
    /// `‖G u − s‖² + c ‖F u − f‖²`, each slack times its stiffness; so below
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
    fn numbers(&self) -> [f64; 7] {
        [
            self.primal,
            self.change,
            self.image,
            self.copy,
            self.multiplier,
            self.loss,
            self.violation,
        ]
    }

    fn add(&mut self, numbers: &[f64; 7]) {
        let [primal, change, image, copy, multiplier, loss, violation] = numbers;
        self.primal += primal;
        self.change += change;
        self.image += image;
        self.copy += copy;
        self.multiplier += multiplier;
        self.loss += loss;
        self.violation = self.violation.max(*violation);
    }
}

#[cfg(feature = "device")]
impl<T: Real> Engine<'_, T> {
    /// A state from arrays row by row: `a` and its stiffness n x (2 P C) or empty, `e`, `f` and
    /// `F u` n x C.
    pub fn state_of(&self, [a, stiffness]: [&[T]; 2], thin: [&[T]; 3]) -> RowState<T> {
        let (n, padded) = (self.rows(), self.rows().next_multiple_of(BLOCK));
        let blocked = |values: &[T], beyond: T| {
            let columns = values.len() / n;
            let mut out = vec![beyond; padded * columns];
            for (row, values) in values.chunks(columns.max(1)).enumerate() {
                let first = row / BLOCK * BLOCK * columns + row % BLOCK;
                for (column, &value) in values.iter().enumerate() {
                    out[first + column * BLOCK] = value;
                }
            }
            out
        };
        let softest = stiffness
            .iter()
            .copied()
            .reduce(|a, b| if b < a { b } else { a });
        let softest = softest.unwrap_or(T::ONE);
        let outputs = thin[0].len() / n;
        let chunks = (0..self.chunk_count()).map(|index| {
            let rows = self.chunk(index);
            let [e, f, fu] =
                thin.map(|values| values[rows.start * outputs..rows.end * outputs].to_vec());
            ThinState { e, f, fu }
        });
        RowState {
            a: blocked(a, T::ZERO),
            // rows beyond the last are as soft as the softest
            stiffness: blocked(stiffness, softest),
            thin: chunks.collect(),
        }
    }

    /// `a` and its stiffness row by row; the inverse.
    pub fn slacks_of(&self, state: &RowState<T>) -> [Vec<T>; 2] {
        let n = self.rows();
        let padded = n.next_multiple_of(BLOCK);
        [&state.a, &state.stiffness].map(|values| {
            let columns = values.len() / padded;
            let of_row = |row: usize| {
                let first = row / BLOCK * BLOCK * columns + row % BLOCK;
                (0..columns).map(move |column| values[first + column * BLOCK])
            };
            (0..n).flat_map(of_row).collect()
        })
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
            stiffness: Vec::new(),
            thin,
        }
    }

    /// The row half of an ADMM step, fused:
    ///
    /// ```text
    /// s = (Gu + ν)_+ ,  f = prox(Fu + μ) ,  ν, μ updated
    /// image = Gᵀ R (s − ν) + c Fᵀ(2f − e)          for the next u-step
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
        self.for_each_chunk(state, work, image, |index, chunk, mut slacks, thin| {
            let mut sums = SweepSums::default();
            let mut room = std::mem::take(&mut chunk.room);
            for (at, block) in self.blocks(index).enumerate() {
                let x = self.x.block(block.clone(), &mut room);
                self.multiply_block(x, u, &mut chunk.z);
                let rows = self.rows_of(index, &block);
                let slacks = slacks.block(at, u.len() / self.features());
                vectorized(
                    #[inline(always)]
                    || {
                        self.expand_block(&block, &mut chunk.masks);
                        self.update_block(chunk, &rows, y, step, slacks, thin, &mut sums);
                    },
                );
                self.add_adjoint_block(x, &chunk.z, &mut chunk.sum[..u.len()]);
            }
            chunk.room = room;
            sums
        })
    }

    /// `image = Gᵀ R (s − ν) + c Fᵀ(2f − e)` for the state as it is.
    pub fn image(
        &self,
        y: &Matrix<T>,
        state: &mut RowState<T>,
        step: &SweepStep,
        image: &mut [T],
        work: &mut Workspace<T>,
    ) {
        let length = image.len();
        self.for_each_chunk(state, work, image, |index, chunk, mut slacks, thin| {
            let per_output = self.columns_per_output() * BLOCK;
            for (at, block) in self.blocks(index).enumerate() {
                self.expand_block(&block, &mut chunk.masks);
                let rows = self.rows_of(index, &block);
                let mut slacks = slacks.block(at, length / self.features());
                for (c, z) in chunk.z.chunks_mut(per_output).enumerate() {
                    let h = rows.reflected(y.columns(), step.split, thin, c);
                    let slacks = slacks.output(c, per_output);
                    let part = self.loss_parts(&chunk.masks, step.weight, &h);
                    let columns = z.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate();
                    columns.for_each(|(column, z)| slacks.fill(column, z, part(column)));
                }
                let x = self.x.block(block, &mut chunk.room);
                self.add_adjoint_block(x, &chunk.z, &mut chunk.sum[..length]);
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
        run: impl Fn(usize, &mut Chunk<T>, Slacks<'_, T>, &mut ThinState<T>) -> SweepSums + Sync,
    ) -> SweepSums {
        let columns = image.len() / self.features();
        let length = self.chunk_rows * columns;
        let mut wide: Vec<&mut [T]> = state.a.chunks_mut(length).collect();
        let mut stiffness: Vec<&[T]> = state.stiffness.chunks(length).collect();
        wide.resize_with(work.chunks.len(), Default::default);
        stiffness.resize_with(work.chunks.len(), Default::default);
        let parts: Vec<SweepSums> = work
            .chunks
            .par_iter_mut()
            .zip(wide.into_par_iter().zip(stiffness))
            .zip(&mut state.thin)
            .enumerate()
            .map(|(index, ((chunk, (a, stiffness)), thin))| {
                chunk.sum[..image.len()].fill(T::ZERO);
                run(index, chunk, Slacks { a, stiffness }, thin)
            })
            .collect();
        work.reduce(image);
        let parts: Vec<[f64; 7]> = parts.iter().map(SweepSums::numbers).collect();
        let mut sums = SweepSums::default();
        for part in self.team.gather(parts.as_flattened()).as_chunks().0 {
            sums.add(part);
        }
        sums
    }

    /// Updates the state on one block and leaves `(2D − I) R (s − ν) ± c D (2f − e)` in `z`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn update_block(
        &self,
        chunk: &mut Chunk<T>,
        rows: &RowsOf<'_, T>,
        y: &Matrix<T>,
        step: &SweepStep,
        mut slacks: Slacks<'_, T>,
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
        let (inverse, relaxation) = (rows.inverse_roots(), T::of(step.relaxation));
        for (c, z) in chunk.z.chunks_mut(per_output).take(y.columns()).enumerate() {
            let mut slacks = slacks.output(c, per_output);
            let h = rows.reflected(y.columns(), step.split, thin, c);
            let part = self.loss_parts(&chunk.masks, step.weight, &h);
            for (column, z) in z.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
                slacks.update(column, z, part(column), &inverse, relaxation, sums);
            }
        }
    }
}
