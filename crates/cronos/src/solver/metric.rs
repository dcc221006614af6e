//! `M = I + XᵀX`, its inverse, and `X` in the coordinates where `K = X M⁻¹ Xᵀ` is a plain product.

use crate::Error;
use crate::cholesky::Tiled;
use crate::engine::{BLOCK, Engine, multiply_tiles};
use crate::matrix::Matrix;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns handled by one task.
const TILE: usize = 64;

/// The inverse of `M`. Without cones `M = I` and nothing is stored.
///
/// Both the sum `XᵀX` and the factorisation run in `f64`: they happen once, and
/// rounding here would be felt in every iteration.
pub(crate) struct Metric<T> {
    inverse: Option<Mat<T>>,
    factor: Option<Tiled<f64>>,
}

impl<T: Real> Metric<T> {
    pub fn new(engine: &Engine<'_, T>) -> Result<Self, Error> {
        if engine.activation.signs() == 1 {
            return Ok(Self {
                inverse: None,
                factor: None,
            });
        }
        let d = engine.features();
        let gram = gram(engine.x);
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
        let mut inverse = Mat::<f64>::identity(d, d);
        inverse
            .as_mut()
            .par_col_chunks_mut(TILE)
            .for_each(|mut columns| {
                factor.solve_lower(columns.rb_mut());
                factor.solve_upper(columns);
            });
        // The two halves differ by rounding; the product must be symmetric.
        let inverse = Mat::from_fn(d, d, |i, j| {
            T::of(0.5 * (inverse[(i, j)] + inverse[(j, i)]))
        });
        Ok(Self {
            inverse: Some(inverse),
            factor: Some(factor),
        })
    }

    /// `out = M⁻¹ b` (d x k)
    pub fn solve(&self, b: &[T], out: &mut [T]) {
        match &self.inverse {
            Some(inverse) => multiply_tiles(inverse.as_ref(), b, out),
            None => out.copy_from_slice(b),
        }
    }

    /// `W = X L⁻ᵀ`, so that `W Wᵀ = X M⁻¹ Xᵀ = K`.
    pub fn whiten(&self, x: &Matrix<T>) -> Vec<T> {
        let (rows, d) = (x.rows(), x.columns());
        let mut white = x.values().to_vec();
        if let Some(factor) = &self.factor {
            white.par_chunks_mut(BLOCK * d).for_each(|block| {
                let count = block.len() / d;
                let mut wide = Mat::from_fn(d, count, |i, j| block[j * d + i].wide());
                factor.solve_lower(wide.as_mut());
                for (j, row) in block.chunks_mut(d).enumerate() {
                    for (i, entry) in row.iter_mut().enumerate() {
                        *entry = T::of(wide[(i, j)]);
                    }
                }
            });
        }
        debug_assert_eq!(white.len(), rows * d);
        white
    }
}

/// The lower half of `XᵀX`, summed in `f64` block by block.
fn gram<T: Real>(x: &Matrix<T>) -> Mat<f64> {
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
