//! `M = I + XᵀX`, its inverse, and `X` in the coordinates where `K = X M⁻¹ Xᵀ`
//! is a plain product.

use super::shared;
use crate::Error;
use crate::blocks::Blocks;
use crate::cholesky::Tiled;
use crate::engine::{BLOCK, Engine};
use crate::matrix::Matrix;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::prelude::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Blocks of rows that are read at a time.
const BLOCKS: usize = 4;
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
    kappa: f64,
}

/// `κ` in `M = κI + XᵀX`: how stiffly groups are held to begin with, where rows are held by 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kappa {
    Given(f64),
    /// Follows the spectrum of `XᵀX`.
    OfSpectrum,
}

/// `κ` relative to the geometric mean of the eigenvalues of `XᵀX`.
const SHARE: f64 = 0.12;
/// The least eigenvalue that counts there, relative to the sum of all.
const LEAST: f64 = 1e-6;

impl<T: Real> Metric<T> {
    pub fn new(engine: &Engine<'_, T>, kappa: Kappa) -> Result<Self, Error> {
        if engine.activation.signs() == 1 {
            return Ok(Self {
                root: None,
                kappa: 1.0,
            });
        }
        Self::of_gram(&shared::gram(engine), kappa)
    }

    /// With cones, from the lower half of `XᵀX`.
    pub fn of_gram(gram: &Mat<f64>, kappa: Kappa) -> Result<Self, Error> {
        let d = gram.nrows();
        let kappa = match kappa {
            Kappa::Given(kappa) => kappa,
            Kappa::OfSpectrum => kappa_of_spectrum(gram)?,
        };
        let factor = shifted(gram, kappa).factor()?;
        let root = inverse(&factor, d);
        Ok(Self {
            root: Some(Mat::from_fn(d, d, |i, j| T::of(root[(i, j)]))),
            kappa,
        })
    }

    /// `κ`
    pub fn kappa(&self) -> f64 {
        self.kappa
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
        // W is lower triangular: rows from..to reach up to column to, columns down from row from;
        // so strips differ in their work, and each is shared out by itself
        half.as_mut()
            .par_row_chunks_mut(STRIP)
            .with_max_len(1)
            .enumerate()
            .for_each(|(at, out)| {
                let (from, to) = (at * STRIP, (at * STRIP + STRIP).min(d));
                let root = root.as_ref().subrows(from, to - from).subcols(0, to);
                let b = b.subrows(0, to);
                matmul(out, Accum::Replace, root, b, T::ONE, Par::Seq);
            });
        MatMut::from_column_major_slice_mut(out, d, columns)
            .par_row_chunks_mut(STRIP)
            .with_max_len(1)
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

/// `A + κI` for the lower half of `A`.
fn shifted(lower: &Mat<f64>, kappa: f64) -> Tiled<f64> {
    Tiled::from_tiles(lower.nrows(), |row, column, mut tile| {
        for j in 0..tile.ncols() {
            for i in 0..tile.nrows() {
                let (i, j) = (row + i, column + j);
                let more = if i == j { kappa } else { 0.0 };
                tile[(i - row, j - column)] = lower[(i.max(j), i.min(j))] + more;
            }
        }
    })
}

/// A share of the geometric mean of the eigenvalues `λ` that are not 0, and at least 1. With the
/// factor of `A + εI` and the root of its inverse:
///
/// ```text
/// Σ ln(1 + λ/ε) = ln det(A + εI) − d ln ε        Σ λ/(λ + ε) = d − ε tr (A + εI)⁻¹     their number
/// ```
fn kappa_of_spectrum(gram: &Mat<f64>) -> Result<f64, Error> {
    let d = gram.nrows();
    let least = LEAST * (0..d).map(|i| gram[(i, i)]).sum::<f64>();
    if !(least > 0.0 && least.is_finite()) {
        return Ok(1.0);
    }
    let factor = shifted(gram, least).factor()?;
    let above = 2.0 * factor.diagonal_logarithms() - d as f64 * least.ln();
    let number = d as f64 - least * inverse(&factor, d).squared_norm_l2();
    let mean = least * (above / number).exp();
    Ok((SHARE * mean).max(1.0))
}

/// `L⁻¹`
fn inverse(factor: &Tiled<f64>, d: usize) -> Mat<f64> {
    let mut root = Mat::<f64>::identity(d, d);
    root.as_mut()
        .par_col_chunks_mut(TILE)
        .for_each(|columns| factor.solve_lower(columns));
    root
}

/// The lower half of `XᵀX`, summed in `f64` block by block; each block is read once.
pub(crate) fn gram<T: Real>(x: &dyn Blocks<T>) -> Mat<f64> {
    let d = x.columns();
    let (mut gram, mut room) = (Mat::<f64>::zeros(d, d), Vec::new());
    for start in (0..x.rows()).step_by(BLOCKS * BLOCK) {
        let rows = start..x.rows().min(start + BLOCKS * BLOCK);
        let count = rows.len();
        let wide: Vec<f64> = (x.block(rows, &mut room).iter())
            .map(|value| value.wide())
            .collect();
        let block = MatRef::from_row_major_slice(&wide, count, d);
        gram.as_mut()
            .par_col_chunks_mut(TILE)
            .enumerate()
            .for_each(|(at, columns)| {
                let from = at * TILE;
                let (_, mut lower) = columns.split_at_row_mut(from);
                let (height, width) = (lower.nrows(), lower.ncols());
                for start in (0..count).step_by(BLOCK) {
                    let block = block.subrows(start, BLOCK.min(count - start));
                    matmul(
                        lower.rb_mut(),
                        Accum::Add,
                        block.subcols(from, height).transpose(),
                        block.subcols(from, width),
                        1.0,
                        Par::Seq,
                    );
                }
            });
    }
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
