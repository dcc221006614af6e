//! Dense factorisations on one thread, so that their bits never depend on the
//! number of threads. Parallel work is cut into tiles by the callers.

use crate::Error;
use crate::real::Real;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::householder;
use faer::linalg::qr::no_pivoting::factor;
use faer::linalg::svd;
use faer::{Conj, Mat, MatMut, MatRef, Par};

/// Replaces the lower triangle of `a` by its Cholesky factor.
pub(crate) fn cholesky<T: Real>(a: MatMut<'_, T>) -> Result<(), Error> {
    let scratch =
        llt::factor::cholesky_in_place_scratch::<T>(a.nrows(), Par::Seq, Default::default());
    llt::factor::cholesky_in_place(
        a,
        Default::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map(|_| ())
    .map_err(|error| Error::Numerical(format!(
            "a Cholesky factorisation failed ({error:?}): features are too large, too small or too much alike for \
             the precision; standardise them, or use double precision"
        )))
}

/// Householder factors of a tall matrix.
pub(crate) struct Qr<T> {
    /// Householder vectors below the diagonal, `R` on and above it.
    packed: Mat<T>,
    coefficients: Mat<T>,
}

impl<T: Real> Qr<T> {
    /// Factors `a` (tall: at least as many rows as columns).
    pub fn new(mut a: Mat<T>) -> Self {
        let (rows, columns) = a.shape();
        let block = factor::recommended_block_size::<T>(rows, columns);
        let mut coefficients = Mat::zeros(block, columns);
        let scratch =
            factor::qr_in_place_scratch::<T>(rows, columns, block, Par::Seq, Default::default());
        factor::qr_in_place(
            a.as_mut(),
            coefficients.as_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        Self {
            packed: a,
            coefficients,
        }
    }

    /// `R`: columns x columns, upper triangular.
    pub fn r(&self) -> Mat<T> {
        let columns = self.packed.ncols();
        Mat::from_fn(columns, columns, |i, j| {
            if i <= j { self.packed[(i, j)] } else { T::ZERO }
        })
    }

    /// `Q b` for `b` with as many rows as `R`.
    pub fn apply(&self, b: MatRef<'_, T>) -> Mat<T> {
        let rows = self.packed.nrows();
        let mut out = Mat::zeros(rows, b.ncols());
        out.as_mut().subrows_mut(0, b.nrows()).copy_from(b);
        let scratch = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(
            rows,
            self.coefficients.nrows(),
            b.ncols(),
        );
        householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
            self.packed.as_ref(),
            self.coefficients.as_ref(),
            Conj::No,
            out.as_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
        out
    }

    /// The thin `Q`.
    pub fn q(&self) -> Mat<T> {
        let columns = self.packed.ncols();
        self.apply(Mat::identity(columns, columns).as_ref())
    }
}

/// Left singular vectors and singular values, largest first, of a tall matrix.
pub(crate) fn left_singular(a: Mat<f64>) -> Result<(Mat<f64>, Vec<f64>), Error> {
    let columns = a.ncols();
    let qr = Qr::new(a);
    let r = qr.r();
    let mut left = Mat::zeros(columns, columns);
    let mut values = Diag::zeros(columns);
    let scratch = svd::svd_scratch::<f64>(
        columns,
        columns,
        svd::ComputeSvdVectors::Full,
        svd::ComputeSvdVectors::No,
        Par::Seq,
        Default::default(),
    );
    svd::svd(
        r.as_ref(),
        values.as_mut(),
        Some(left.as_mut()),
        None,
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|error| Error::Numerical(format!("singular values did not converge: {error:?}")))?;
    let values = (0..columns).map(|i| values[i]).collect();
    Ok((qr.apply(left.as_ref()), values))
}
