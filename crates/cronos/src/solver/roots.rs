//! `M_g = κ_g I + Xᵀ R_g X` of every group, by the roots of their inverses.

use super::shared;
use crate::Error;
use crate::dense;
use crate::engine::{Engine, RowState};
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Accum, ColMut, ColRef, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that are added to a matrix at a time.
const ROWS: usize = 1024;
/// Columns of a root that are read at a time.
const STRIP: usize = 64;

/// `W = L⁻¹` for `M = L Lᵀ`, so that `M⁻¹ = WᵀW`.
pub(crate) struct Root<T>(Mat<T>);

/// Those of all groups.
pub(crate) struct Roots<T>(pub Vec<Root<T>>);

impl<T: Real> Roots<T> {
    /// `R` has two values, so `XᵀRX = soft XᵀX + (stiff − soft) X_AᵀX_A` with `A` the
    /// stiff rows, which are few.
    ///
    /// gram: `XᵀX`, lower half; kappa: one for each group
    pub fn new(
        engine: &Engine<'_, T>,
        gram: &Mat<f64>,
        kappa: &[f64],
        state: &RowState<T>,
    ) -> Result<Self, Error> {
        let soft = engine.softest(state);
        let d = engine.features();
        if !engine.team().is_alone() {
            // ranks add up one matrix after the other
            let roots = kappa.iter().enumerate().map(|(group, kappa)| {
                let extra = shared::stiff_gram(engine, &engine.stiffness_of(state, group), soft);
                Root::new(Mat::from_fn(d, d, |i, j| {
                    soft * gram[(i, j)] + extra[(i, j)] + if i == j { *kappa } else { 0.0 }
                }))
            });
            return Ok(Self(roots.collect::<Result<_, _>>()?));
        }
        let roots = kappa.par_iter().enumerate().map(|(group, kappa)| {
            let mut matrix = Mat::from_fn(d, d, |i, j| {
                soft * gram[(i, j)] + if i == j { *kappa } else { 0.0 }
            });
            let stiffness = engine.stiffness_of(state, group);
            let stiff: Vec<usize> = (0..stiffness.len())
                .filter(|&row| stiffness[row].wide() > soft)
                .collect();
            let mut scaled = Vec::with_capacity(ROWS.min(stiff.len()) * d);
            let mut room = Vec::new();
            for rows in stiff.chunks(ROWS) {
                scaled.clear();
                for &row in rows {
                    let extra = (stiffness[row].wide() - soft).sqrt();
                    let x = engine.x.block(row..row + 1, &mut room);
                    scaled.extend(x.iter().map(|x| extra * x.wide()));
                }
                let rows = MatRef::from_row_major_slice(&scaled, rows.len(), d);
                add_gram(matrix.as_mut(), rows);
            }
            Root::new(matrix)
        });
        Ok(Self(roots.collect::<Result<_, _>>()?))
    }

    /// `out_g = M_g⁻¹ b_g` for some groups, over and over if there are more columns.
    pub fn solve(&self, groups: Range<usize>, b: &[T], out: &mut [T]) {
        let (d, groups) = (self.0[0].0.nrows(), &self.0[groups]);
        (out.par_chunks_mut(d).zip(b.par_chunks(d)))
            .enumerate()
            .for_each(|(at, (out, b))| {
                groups[at % groups.len()].solve(b, out);
            });
    }
}

impl<T: Real> Root<T> {
    /// `W`
    #[cfg(feature = "device")]
    pub fn matrix(&self) -> MatRef<'_, T> {
        self.0.as_ref()
    }

    fn new(mut matrix: Mat<f64>) -> Result<Self, Error> {
        dense::cholesky(matrix.as_mut())?;
        let d = matrix.nrows();
        let mut root = Mat::<f64>::zeros(d, d);
        invert_lower_triangular(root.as_mut(), matrix.as_ref(), Par::Seq);
        Ok(Self(Mat::from_fn(d, d, |i, j| T::of(root[(i, j)]))))
    }

    /// `out = Wᵀ W b`. `W` is lower triangular, so that its columns are read from the
    /// diagonal down.
    fn solve(&self, b: &[T], out: &mut [T]) {
        let d = b.len();
        let strip = |from: usize, width: usize| {
            let columns = self.0.as_ref().subcols(from, width);
            columns.subrows(from, d - from)
        };
        let mut half = vec![T::ZERO; d];
        let mut half = ColMut::from_slice_mut(&mut half);
        let b = ColRef::from_slice(b);
        let mut out = ColMut::from_slice_mut(out);
        for from in (0..d).step_by(STRIP) {
            let width = STRIP.min(d - from);
            let b = b.subrows(from, width);
            let half = half.as_mut().subrows_mut(from, d - from);
            matmul(half, Accum::Add, strip(from, width), b, T::ONE, Par::Seq);
        }
        for from in (0..d).step_by(STRIP) {
            let width = STRIP.min(d - from);
            let root = strip(from, width).transpose();
            let out = out.as_mut().subrows_mut(from, width);
            let half = half.as_ref().subrows(from, d - from);
            matmul(out, Accum::Replace, root, half, T::ONE, Par::Seq);
        }
    }

    /// `X Wᵀ` for rows of `X`, row by row, into a run of columns of a wider matrix.
    pub fn whiten(&self, rows: &[T], out: MatMut<'_, T>) {
        let (count, d) = (out.nrows(), out.ncols());
        let rows = MatRef::from_row_major_slice(rows, count, d);
        matmul(
            out,
            Accum::Replace,
            rows,
            self.0.transpose(),
            T::ONE,
            Par::Seq,
        );
    }
}

/// `lower half of matrix += AᵀA`
fn add_gram(mut matrix: MatMut<'_, f64>, a: MatRef<'_, f64>) {
    use faer::linalg::matmul::triangular::{BlockStructure, matmul};
    matmul(
        matrix.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Add,
        a.transpose(),
        BlockStructure::Rectangular,
        a,
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}
