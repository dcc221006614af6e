//! The engine: products with `F`, `G` and their transposes, on the CPU.
//!
//! Rows are cut into blocks that stay in cache, blocks into chunks that run in
//! parallel. Both cuts depend on the shape alone and sums over chunks are added
//! in chunk order, so the result is the same bits for any number of threads.
//!
//! Arrays:
//! - feature space: `d x k`, column by column. `u` has `k = signs * P * C`
//!   columns, ordered output, then sign (`v`, `w`), then gate.
//! - thin row space: `n x C`, column by column.
//! - wide row space: `n x k`, block by block, each block column by column and
//!   padded to `BLOCK` rows.

mod bound;
mod evaluate;
mod products;
mod slack;
mod sweep;
mod thin;
mod wide;

pub(crate) use bound::OutputBound;
pub(crate) use evaluate::{Candidate, Evaluation, Multipliers};
pub(crate) use products::Curvature;
pub(crate) use sweep::{RowState, SweepStep, SweepSums};
pub(crate) use thin::ThinState;

use crate::Error;
use crate::blocks::Blocks;
use crate::gates::Gates;
use crate::inner::{dot, norm_squared};
use crate::matrix::Matrix;
use crate::program::Activation;
use crate::real::Real;
use crate::team::Team;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// Rows in a block; a multiple of 64, so that a block starts at a word of the gates.
pub(crate) const BLOCK: usize = 256;

/// Data, gates and the fixed partition of the rows.
pub(crate) struct Engine<'a, T> {
    pub x: &'a dyn Blocks<T>,
    pub gates: &'a Gates,
    pub activation: Activation,
    /// `X` before it was rounded to `T`, if it was: what the certificate is about.
    exact: Option<&'a Matrix<f64>>,
    /// `√w` of the rows, if they are weighted; `x` is multiplied by it already.
    roots: Option<&'a [T]>,
    chunk_rows: usize,
    /// Who has the other rows.
    team: Team,
}

/// Scratch arrays of one chunk of rows.
pub(crate) struct Chunk<T> {
    /// Rows of `X` that are not in memory: `BLOCK x d`, and as they were read
    room: Vec<T>,
    /// `X_block U`: `BLOCK x k`
    z: Vec<T>,
    /// gates of the block as zeros and ones: `BLOCK x P`
    masks: Vec<T>,
    /// `Σ X_blockᵀ Z` over the blocks of the chunk: `d x k`
    sum: Vec<T>,
    /// thin results: `chunk rows x C`
    thin: Vec<T>,
    /// `4 C` numbers for the loss of one row
    scratch: Vec<f64>,
}

/// Scratch arrays of all chunks, for up to `outputs` columns at a time.
pub(crate) struct Workspace<T> {
    chunks: Vec<Chunk<T>>,
    outputs: usize,
    team: Team,
}

impl<'a, T: Real> Engine<'a, T> {
    pub fn new(x: &'a dyn Blocks<T>, gates: &'a Gates, activation: Activation) -> Self {
        let chunk_rows = chunk_rows(x.rows(), x.columns());
        Self {
            x,
            gates,
            activation,
            exact: None,
            roots: None,
            chunk_rows,
            team: Team::default(),
        }
    }

    /// Says that others have rows, too: these begin where a chunk of all rows does.
    pub fn shared(self, team: &Team) -> Result<Self, Error> {
        let all = team.all_rows(self.rows(), self.features())?;
        Ok(Self {
            chunk_rows: chunk_rows(all, self.features()),
            team: team.clone(),
            ..self
        })
    }

    /// `X` as a whole.
    pub fn matrix(&self) -> Cow<'_, Matrix<T>> {
        match self.x.as_matrix() {
            Some(x) => Cow::Borrowed(x),
            None => {
                let mut room = Vec::new();
                let rows = self.x.block(0..self.rows(), &mut room).to_vec();
                Cow::Owned(Matrix::of(self.rows(), self.features(), rows))
            }
        }
    }

    /// Who has the other rows.
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// Says that the rows of `x` are `√w` times the data's.
    pub fn weighted(self, roots: Option<&'a [T]>) -> Self {
        Self { roots, ..self }
    }

    /// `√w` of the rows, if they are weighted.
    #[cfg(feature = "device")]
    pub fn roots(&self) -> Option<&[T]> {
        self.roots
    }

    /// `√w` of a row.
    fn root(&self, row: usize) -> f64 {
        self.roots.map_or(1.0, |roots| roots[row].wide())
    }

    /// Makes the certificate speak of `exact`, which `x` is a rounding of.
    pub fn certify_for(self, exact: Option<&'a Matrix<f64>>) -> Self {
        Self { exact, ..self }
    }

    /// Weights of all rows together; `n` when they are not weighted.
    pub fn total_weight(&self) -> f64 {
        let of_chunk = |rows: Range<usize>| match self.roots {
            Some(roots) => norm_squared(&roots[rows]),
            None => rows.len() as f64,
        };
        self.sum_over_chunks(of_chunk)
    }

    /// `‖X‖²`
    pub fn squared_norm(&self) -> f64 {
        let d = self.features();
        self.sum_over_chunks(|rows| match self.x.as_matrix() {
            Some(x) => norm_squared(&x.values()[rows.start * d..rows.end * d]),
            None => {
                let mut room = Vec::new();
                let blocks = blocks_of(rows);
                let squares = blocks.map(|block| norm_squared(self.x.block(block, &mut room)));
                squares.sum()
            }
        })
    }

    /// A sum over the rows of all ranks, chunk by chunk.
    fn sum_over_chunks(&self, of_chunk: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
        let chunks = (0..self.chunk_count()).into_par_iter();
        let parts: Vec<[f64; 1]> = chunks.map(|at| [of_chunk(self.chunk(at))]).collect();
        let [sum] = self.team.sums(&parts);
        sum
    }

    /// `aᵀb` for each column of two arrays of the rows: n x C.
    pub fn dots(&self, a: &[T], b: &[T]) -> Vec<f64> {
        let (n, columns) = (self.rows(), a.len() / self.rows());
        let parts: Vec<f64> = (0..self.chunk_count())
            .into_par_iter()
            .flat_map_iter(|at| {
                let rows = self.chunk(at);
                (0..columns).map(move |c| {
                    let own = c * n + rows.start..c * n + rows.end;
                    dot(&a[own.clone()], &b[own])
                })
            })
            .collect();
        let mut sums = vec![0.0; columns];
        for of_chunk in self.team.gather(&parts).chunks(columns) {
            for (sum, part) in sums.iter_mut().zip(of_chunk) {
                *sum += part;
            }
        }
        sums
    }

    /// `n`
    pub fn rows(&self) -> usize {
        self.x.rows()
    }

    /// `d`
    pub fn features(&self) -> usize {
        self.x.columns()
    }

    /// Columns of `u` for one output: `P` or `2P`.
    pub fn columns_per_output(&self) -> usize {
        self.activation.signs() * self.gates.len()
    }

    /// Length of `u` for one output.
    pub fn weights_per_output(&self) -> usize {
        self.columns_per_output() * self.features()
    }

    pub fn workspace(&self, outputs: usize) -> Workspace<T> {
        let columns = self.columns_per_output() * outputs;
        let chunks = (0..self.chunk_count())
            .map(|index| Chunk {
                room: Vec::new(),
                z: vec![T::ZERO; BLOCK * columns],
                masks: vec![T::ZERO; BLOCK * self.gates.len()],
                sum: vec![T::ZERO; self.features() * columns],
                thin: vec![T::ZERO; self.chunk(index).len() * outputs],
                scratch: vec![0.0; 4 * outputs],
            })
            .collect();
        Workspace {
            chunks,
            outputs,
            team: self.team.clone(),
        }
    }

    fn chunk_count(&self) -> usize {
        self.rows().div_ceil(self.chunk_rows)
    }

    /// The rows of a chunk.
    fn chunk(&self, index: usize) -> Range<usize> {
        let from = index * self.chunk_rows;
        from..self.rows().min(from + self.chunk_rows)
    }

    /// The rows of all chunks.
    pub fn chunks(&self) -> Vec<Range<usize>> {
        (0..self.chunk_count()).map(|at| self.chunk(at)).collect()
    }

    /// The rows of each block of a chunk.
    fn blocks(&self, index: usize) -> impl Iterator<Item = Range<usize>> + use<T> {
        blocks_of(self.chunk(index))
    }

    /// `Z = X_block U`, rows past the end of the data set to zero.
    ///
    /// x: the rows of the block
    fn multiply_block(&self, x: &[T], u: &[T], z: &mut [T]) {
        let (rows, columns) = (x.len() / self.features(), u.len() / self.features());
        let z = &mut z[..BLOCK * columns];
        if rows < BLOCK {
            z.fill(T::ZERO);
        }
        matmul(
            MatMut::from_column_major_slice_mut(z, BLOCK, columns).subrows_mut(0, rows),
            Accum::Replace,
            MatRef::from_row_major_slice(x, rows, self.features()),
            MatRef::from_column_major_slice(u, self.features(), columns),
            T::ONE,
            Par::Seq,
        );
    }

    /// `sum += X_blockᵀ Z`
    fn add_adjoint_block(&self, x: &[T], z: &[T], sum: &mut [T]) {
        let (rows, columns) = (x.len() / self.features(), sum.len() / self.features());
        matmul(
            MatMut::from_column_major_slice_mut(sum, self.features(), columns),
            Accum::Add,
            MatRef::from_row_major_slice(x, rows, self.features()).transpose(),
            MatRef::from_column_major_slice(&z[..BLOCK * columns], BLOCK, columns).subrows(0, rows),
            T::ONE,
            Par::Seq,
        );
    }

    /// All gates of a block as zeros and ones.
    #[inline(always)]
    fn expand_block(&self, block: &Range<usize>, masks: &mut [T]) {
        for (i, mask) in masks.chunks_mut(BLOCK).enumerate() {
            self.gates.expand(i, block.start, mask);
        }
    }
}

impl<T: Real> Workspace<T> {
    /// `out = Σ sums of the chunks`, added in chunk order.
    fn reduce(&self, out: &mut [T]) {
        let sums: Vec<&[T]> = (self.chunks.iter())
            .map(|chunk| &chunk.sum[..out.len()])
            .collect();
        self.team.add_up(&sums, out);
    }
}

/// The rows of each block of a chunk.
fn blocks_of(chunk: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = chunk.end;
    chunk
        .step_by(BLOCK)
        .map(move |from| from..end.min(from + BLOCK))
}

/// Rows in a chunk: whole blocks, in at most 32 chunks, fewer when `d` is large
/// because every chunk keeps a `d x k` sum of its own; more where rows are for many machines.
pub(crate) fn chunk_rows(rows: usize, features: usize) -> usize {
    let chunks = (rows / (2 * features)).clamp(8, 32.max(rows >> 18));
    rows.div_ceil(chunks).next_multiple_of(BLOCK)
}

/// Number of chunks that the rows are cut into.
pub(crate) fn chunk_count(rows: usize, features: usize) -> usize {
    rows.div_ceil(chunk_rows(rows, features))
}
