//! Arrays in and out, without a copy where that is possible.

use crate::failure::refused;
use cronos::{Error, Matrix, Table};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// Rows of an array that belongs to Python.
pub struct Borrowed<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
}

/// A number that an array may be made of.
pub trait Number: Copy + Send + Sync + 'static {
    fn wide(self) -> f64;
}

impl Number for f32 {
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f64 {
    fn wide(self) -> f64 {
        self
    }
}

impl Number for u8 {
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl<T: Number> Table for Borrowed<'_, T> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn bytes(&self) -> u64 {
        // it was there before, and stays
        0
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        let values = &self.values[row * self.columns + from..][..out.len()];
        out.iter_mut()
            .zip(values)
            .for_each(|(out, value)| *out = value.wide());
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        Box::new(Matrix::from_fn(rows.len(), self.columns, |i, j| {
            self.values[rows[i] * self.columns + j].wide()
        }))
    }

    fn check_finite(&self) -> Result<(), Error> {
        let wrong = |value: &T| !value.wide().is_finite();
        match self.values.iter().position(wrong) {
            None => Ok(()),
            Some(at) => Err(Error::Data(format!(
                "features: row {}, column {} is {}; every number must be finite",
                at / self.columns,
                at % self.columns,
                self.values[at].wide()
            ))),
        }
    }
}

/// An array of one of the kinds that are read as they are.
#[derive(FromPyObject)]
pub enum Features<'py> {
    Single(PyReadonlyArray2<'py, f32>),
    Double(PyReadonlyArray2<'py, f64>),
    Bytes(PyReadonlyArray2<'py, u8>),
}

impl Features<'_> {
    pub fn rows(&self) -> usize {
        match self {
            Self::Single(array) => array.shape()[0],
            Self::Double(array) => array.shape()[0],
            Self::Bytes(array) => array.shape()[0],
        }
    }

    /// What `work` makes of the rows.
    pub fn with<R>(&self, work: impl FnOnce(&dyn Table) -> R) -> PyResult<R> {
        Ok(match self {
            Self::Single(array) => work(&borrow(array)?),
            Self::Double(array) => work(&borrow(array)?),
            Self::Bytes(array) => work(&borrow(array)?),
        })
    }
}

fn borrow<'a, T: Number + Element>(
    array: &'a PyReadonlyArray2<'_, T>,
) -> PyResult<Borrowed<'a, T>> {
    let &[rows, columns] = array.shape() else {
        return Err(refused("an array of two dimensions is expected"));
    };
    let values = array
        .as_slice()
        .map_err(|_| refused("an array whose rows stand one behind the other is expected"))?;
    Ok(Borrowed {
        values,
        rows,
        columns,
    })
}

/// An array as a matrix.
pub fn matrix(array: &PyReadonlyArray2<'_, f64>) -> Matrix<f64> {
    let view = array.as_array();
    let (rows, columns) = view.dim();
    Matrix::from_fn(rows, columns, |i, j| view[[i, j]])
}

/// A matrix as an array.
pub fn array<'py>(py: Python<'py>, matrix: &Matrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let values = PyArray1::from_slice(py, matrix.values());
    values.reshape([matrix.rows(), matrix.columns()])
}
