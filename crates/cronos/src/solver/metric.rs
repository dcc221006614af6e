//! `M = I + XᵀX`, its inverse, and `X` in the coordinates where `K = X M⁻¹ Xᵀ`
//! is a plain product.

use super::shared;
use crate::Error;
use crate::cholesky::Tiled;
use crate::engine::{BLOCK, Engine};
use crate::matrix::Matrix;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns handled by one task.
const TILE: usize = 32;
/// Rows handled by one task where the root is applied.
const STRIP: usize = 96;

/// `M⁻¹ = WᵀW` by its root `W = L⁻¹`, where `M = L Lᵀ`. Without cones `M = I`
/// and nothing is stored.
///
/// The sum `XᵀX` and the factorisation run in `f64`; only the root is rounded
/// to `T`. The inverse itself must not be: its smallest eigenvalues, which
/// belong to the directions with the most data, would drown in the rounding
/// error of the largest.
pub(crate) struct Metric<T> {
    root: Option<Mat<T>>,
}

impl<T: Real> Metric<T> {
    pub fn new(engine: &Engine<'_, T>) -> Result<Self, Error> {
        if engine.activation.signs() == 1 {
            return Ok(Self { root: None });
        }
        let d = engine.features();
        let gram = shared::gram(engine);
        let factor = Tiled::from_tiles(d, |row, column, mut tile| {
            for j in 0..tile.ncols() {
                for i in 0..tile.nrows() {
                    let (i, j) = (row + i, column + j);
                    let one = if i == j { 1.0 } else { 0.0 };
                    tile[(i - row, j - column)] = gram[(i.max(j), i.min(j))] + one;
                }
            }
        })
        .factor()?;
        let mut root = Mat::<f64>::identity(d, d);
        root.as_mut()
            .par_col_chunks_mut(TILE)
            .for_each(|columns| factor.solve_lower(columns));
        Ok(Self {
            root: Some(Mat::from_fn(d, d, |i, j| T::of(root[(i, j)]))),
        })
    }

    /// `W`, if there is one.
    #[cfg(feature = "device")]
    pub fn roots(&self) -> Vec<MatRef<'_, T>> {
        self.root.iter().map(|root| root.as_ref()).collect()
    }

    /// `out = M⁻¹ b` (d x k)
    pub fn solve(&self, b: &[T], out: &mut [T]) {
        let Some(root) = &self.root else {
            return out.copy_from_slice(b);
        };
        let d = root.nrows();
        let columns = b.len() / d;
        let b = MatRef::from_column_major_slice(b, d, columns);
        let mut half = Mat::<T>::zeros(d, columns);
        // W is lower triangular: rows from..to reach up to column to, columns down from row from
        half.as_mut()
            .par_row_chunks_mut(STRIP)
            .enumerate()
            .for_each(|(at, out)| {
                let (from, to) = (at * STRIP, (at * STRIP + STRIP).min(d));
                let root = root.as_ref().subrows(from, to - from).subcols(0, to);
                let b = b.subrows(0, to);
                matmul(out, Accum::Replace, root, b, T::ONE, Par::Seq);
            });
        MatMut::from_column_major_slice_mut(out, d, columns)
            .par_row_chunks_mut(STRIP)
            .enumerate()
            .for_each(|(at, out)| {
                let (from, to) = (at * STRIP, (at * STRIP + STRIP).min(d));
                let root = root
                    .as_ref()
                    .subcols(from, to - from)
                    .subrows(from, d - from);
                let half = half.as_ref().subrows(from, d - from);
                matmul(
                    out,
                    Accum::Replace,
                    root.transpose(),
                    half,
                    T::ONE,
                    Par::Seq,
                );
            });
    }

    /// `X Wᵀ`, row by row, so that its product with itself is `K = X M⁻¹ Xᵀ`.
    pub fn whiten(&self, x: &Matrix<T>) -> Vec<T> {
        let Some(root) = &self.root else {
            return x.values().to_vec();
        };
        let d = x.columns();
        let mut white = vec![T::ZERO; x.values().len()];
        white
            .par_chunks_mut(BLOCK * d)
            .zip(x.values().par_chunks(BLOCK * d))
            .for_each(|(white, rows)| {
                let count = rows.len() / d;
                matmul(
                    MatMut::from_row_major_slice_mut(white, count, d),
                    Accum::Replace,
                    MatRef::from_row_major_slice(rows, count, d),
                    root.transpose(),
                    T::ONE,
                    Par::Seq,
                );
            });
        white
    }
}

/// The lower half of `XᵀX`, summed in `f64` block by block.
pub(crate) fn gram<T: Real>(x: &Matrix<T>) -> Mat<f64> {
    let d = x.columns();
    let mut gram = Mat::<f64>::zeros(d, d);
    gram.as_mut()
        .par_col_chunks_mut(TILE)
        .enumerate()
        .for_each(|(at, columns)| {
            let from = at * TILE;
            let (_, mut lower) = columns.split_at_row_mut(from);
            let width = lower.ncols();
            let mut wide = vec![0.0; BLOCK * (d - from)];
            for start in (0..x.rows()).step_by(BLOCK) {
                let rows = BLOCK.min(x.rows() - start);
                for (wide, i) in wide.chunks_mut(d - from).zip(start..start + rows) {
                    for (wide, value) in wide.iter_mut().zip(&x.row(i)[from..]) {
                        *wide = value.wide();
                    }
                }
                let block =
                    MatRef::from_row_major_slice(&wide[..rows * (d - from)], rows, d - from);
                matmul(
                    lower.rb_mut(),
                    Accum::Add,
                    block.transpose(),
                    block.subcols(0, width),
                    1.0,
                    Par::Seq,
                );
            }
        });
    gram
}

/// `W_a W_bᵀ` for two runs of rows of a row-major matrix.
pub(crate) fn outer_tile<T: Real>(
    white: &[T],
    d: usize,
    row: usize,
    column: usize,
    out: MatMut<'_, T>,
) {
    let rows = |from: usize, count: usize| {
        MatRef::from_row_major_slice(&white[from * d..(from + count) * d], count, d)
    };
    let (left, right) = (rows(row, out.nrows()), rows(column, out.ncols()));
    matmul(
        out,
        Accum::Replace,
        left,
        right.transpose(),
        T::ONE,
        Par::Seq,
    );
}
