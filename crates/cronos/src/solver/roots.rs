//! `M_g = κ_g I + Xᵀ R_g X` of every group, by the roots of their inverses.

use crate::Error;
use crate::dense;
use crate::engine::{Engine, RowState};
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, ColMut, ColRef, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that are added to a matrix at a time.
const ROWS: usize = 1024;

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
        let soft = (state.stiffness.iter()).fold(f64::INFINITY, |least, r| least.min(r.wide()));
        let d = engine.features();
        let roots = kappa.par_iter().enumerate().map(|(group, kappa)| {
            let mut matrix = Mat::from_fn(d, d, |i, j| {
                soft * gram[(i, j)] + if i == j { *kappa } else { 0.0 }
            });
            let stiffness = engine.stiffness_of(state, group);
            let stiff: Vec<usize> = (0..stiffness.len())
                .filter(|&row| stiffness[row].wide() > soft)
                .collect();
            let mut scaled = Vec::with_capacity(ROWS.min(stiff.len()) * d);
            for rows in stiff.chunks(ROWS) {
                scaled.clear();
                for &row in rows {
                    let extra = (stiffness[row].wide() - soft).sqrt();
                    scaled.extend(engine.x.row(row).iter().map(|x| extra * x.wide()));
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
                let Root(root) = &groups[at % groups.len()];
                let mut half = vec![T::ZERO; d];
                let (root, b) = (root.as_ref(), ColRef::from_slice(b));
                let mut half = ColMut::from_slice_mut(&mut half);
                matmul(half.as_mut(), Accum::Replace, root, b, T::ONE, Par::Seq);
                let out = ColMut::from_slice_mut(out);
                matmul(
                    out,
                    Accum::Replace,
                    root.transpose(),
                    half.as_ref(),
                    T::ONE,
                    Par::Seq,
                );
            });
    }
}

impl<T: Real> Root<T> {
    fn new(mut matrix: Mat<f64>) -> Result<Self, Error> {
        dense::cholesky(matrix.as_mut())?;
        let d = matrix.nrows();
        let mut root = Mat::<f64>::identity(d, d);
        solve_lower_triangular_in_place(matrix.as_ref(), root.as_mut(), Par::Seq);
        Ok(Self(Mat::from_fn(d, d, |i, j| T::of(root[(i, j)]))))
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
