//! What learning asks of features, and dense ones.

use super::hidden::Hidden;
use super::objective::{Objective, Part, product};
use crate::matrix::Matrix;
use crate::real::Real;
use faer::{Accum, MatMut, MatRef};

/// Rows of features, dense or sparse. Matrices are column by column: `V` is d x k, `Z` is n x k.
pub(crate) trait Features<T: Real>: Send + Sync + Sized {
    fn rows(&self) -> usize;

    /// With the column of ones, if there is one.
    fn columns(&self) -> usize;

    /// The rows with these indices, in this order.
    fn select(&self, rows: &[usize]) -> Self;

    /// Whether a column has an entry other than 0.
    fn used(&self) -> Vec<bool>;

    /// `out = X V`
    fn times(&self, v: &[T], out: &mut [T]);

    /// `out = Xᵀ Z`
    fn times_back(&self, z: &[T], out: &mut [T]);

    /// What the rows add to the objective, in order; in parts of `rows` rows, if in parts.
    fn parts(
        objective: &Objective<'_, T, Self>,
        units: &Hidden<T>,
        with_gradient: bool,
        rows: usize,
    ) -> Vec<Part<T>>;

    /// The predictions: n x C, row by row.
    fn predict(&self, units: &Hidden<T>) -> Vec<f64>;
}

impl<T: Real> Features<T> for Matrix<T> {
    fn rows(&self) -> usize {
        self.rows()
    }

    fn columns(&self) -> usize {
        self.columns()
    }

    fn select(&self, rows: &[usize]) -> Self {
        self.select(rows)
    }

    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.columns()];
        for row in 0..self.rows() {
            for (used, value) in used.iter_mut().zip(self.row(row)) {
                *used |= *value != T::ZERO;
            }
        }
        used
    }

    fn times(&self, v: &[T], out: &mut [T]) {
        let (n, d) = (self.rows(), self.columns());
        product(
            MatMut::from_column_major_slice_mut(out, n, v.len() / d),
            self.view(0, n),
            MatRef::from_column_major_slice(v, d, v.len() / d),
            Accum::Replace,
        );
    }

    fn times_back(&self, z: &[T], out: &mut [T]) {
        let (n, d) = (self.rows(), self.columns());
        product(
            MatMut::from_column_major_slice_mut(out, d, z.len() / n),
            self.view(0, n).transpose(),
            MatRef::from_column_major_slice(z, n, z.len() / n),
            Accum::Replace,
        );
    }

    fn parts(
        objective: &Objective<'_, T, Self>,
        units: &Hidden<T>,
        with_gradient: bool,
        rows: usize,
    ) -> Vec<Part<T>> {
        objective.dense_parts(units, with_gradient, rows)
    }

    fn predict(&self, units: &Hidden<T>) -> Vec<f64> {
        super::objective::predict(self, units)
    }
}
