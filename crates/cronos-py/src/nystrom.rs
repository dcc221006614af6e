//! Randomized low-rank approximation of a symmetric operator.

use crate::arrays::{array, matrix};
use crate::failure::{exception, refused};
use crate::options::Sketch;
use cronos::Matrix;
use cronos::nystrom::{Nystrom, Operator};
use numpy::{PyArray1, PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// A matrix, or a function from a block of columns to its product.
#[derive(FromPyObject)]
pub enum Symmetric<'py> {
    Matrix(PyReadonlyArray2<'py, f64>),
    Function(Bound<'py, PyAny>),
}

/// `U` and `Λ`.
type Sketched<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// `U` (size x rank) and `Λ` of `H ≈ U Λ Uᵀ`, largest first.
#[pyfunction]
pub fn nystrom<'py>(
    py: Python<'py>,
    operator: Symmetric<'py>,
    size: usize,
    rank: Sketch,
    mu: f64,
    seed: u64,
) -> PyResult<Sketched<'py>> {
    let rank = rank.rank()?;
    let sketch = match operator {
        Symmetric::Matrix(dense) => {
            let mut dense = Dense(matrix(&dense));
            py.detach(|| Nystrom::new(&mut dense, rank, mu, seed))
                .map_err(exception)?
        }
        Symmetric::Function(function) => {
            let mut called = Called {
                function,
                size,
                failed: None,
            };
            let sketch = Nystrom::new(&mut called, rank, mu, seed);
            if let Some(error) = called.failed {
                return Err(error);
            }
            sketch.map_err(exception)?
        }
    };
    let vectors = Matrix::from_fn(size, sketch.rank(), |i, j| sketch.vector(j)[i]);
    let eigenvalues = PyArray1::from_slice(py, sketch.eigenvalues());
    Ok((array(py, &vectors)?, eigenvalues))
}

struct Dense(Matrix<f64>);

impl Operator<f64> for Dense {
    fn size(&self) -> usize {
        self.0.rows()
    }

    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        let size = self.size();
        for (x, out) in x.chunks(size).zip(out.chunks_mut(size)) {
            for (row, out) in out.iter_mut().enumerate() {
                let terms = self.0.row(row).iter().zip(x);
                *out = terms.map(|(h, x)| h * x).sum();
            }
        }
    }
}

struct Called<'py> {
    function: Bound<'py, PyAny>,
    size: usize,
    /// What the function raised first.
    failed: Option<PyErr>,
}

impl Called<'_> {
    fn product(&self, x: &[f64], out: &mut [f64]) -> PyResult<()> {
        let py = self.function.py();
        let count = x.len() / self.size;
        let block = Matrix::from_fn(self.size, count, |i, j| x[j * self.size + i]);
        let product = self.function.call1((array(py, &block)?,))?;
        let product: PyReadonlyArray2<'_, f64> = product.extract()?;
        if product.shape() != [self.size, count] {
            return Err(refused(&format!(
                "the operator gave an array of {:?} for one of {:?}",
                product.shape(),
                [self.size, count]
            )));
        }
        let product = product.as_array();
        for (at, out) in out.iter_mut().enumerate() {
            *out = product[[at % self.size, at / self.size]];
        }
        Ok(())
    }
}

impl Operator<f64> for Called<'_> {
    fn size(&self) -> usize {
        self.size
    }

    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if self.failed.is_none() {
            self.failed = self.product(x, out).err();
        }
    }
}
