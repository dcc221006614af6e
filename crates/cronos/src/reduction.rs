//! More features than rows: solve in the row space of `X`, which is exact.
//!
//! The penalty is rotation invariant and only `X v` matters, so with the thin
//! factorisation `X = L Qᵀ` (L is n x n) the program in `L` has the same optimum
//! and `v = Q v̂` carries a solution back.

use crate::dense::Qr;
use crate::matrix::Matrix;
use crate::real::Real;
use faer::{Mat, MatRef};

/// The thin factorisation of a wide `X`.
pub(crate) struct Reduction {
    qr: Qr<f64>,
}

impl Reduction {
    /// Factors `X`, or does nothing when it has no more columns than rows.
    pub fn new<T: Real>(x: &Matrix<T>) -> Option<(Matrix<T>, Self)> {
        let (n, d) = (x.rows(), x.columns());
        if d <= n {
            return None;
        }
        // Xᵀ = Q R, so X = Rᵀ Qᵀ
        let qr = Qr::new(Mat::from_fn(d, n, |i, j| x.at(j, i).wide()));
        let r = qr.r();
        let lower = Matrix::from_fn(n, n, |i, j| T::of(r[(j, i)]));
        Some((lower, Self { qr }))
    }

    /// `v = Q v̂` for every column.
    pub fn restore(&self, reduced: &[f64], rows: usize) -> Vec<f64> {
        let columns = reduced.len() / rows;
        let full = self
            .qr
            .apply(MatRef::from_column_major_slice(reduced, rows, columns));
        (0..columns)
            .flat_map(|j| full.as_ref().col(j).iter().copied().collect::<Vec<f64>>())
            .collect()
    }

    /// Bytes the factorisation of an n x d matrix takes.
    pub fn bytes(n: usize, d: usize) -> u64 {
        ((n * d + 2 * n * n) * size_of::<f64>()) as u64
    }
}
