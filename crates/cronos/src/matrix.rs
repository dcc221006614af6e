//! A dense table of numbers, stored row by row.

use crate::Error;
use crate::real::Real;
use faer::MatRef;
use rayon::prelude::*;

/// A dense matrix, row-major: row `i` is `values[i * columns..][..columns]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix<T> {
    rows: usize,
    columns: usize,
    values: Vec<T>,
}

impl<T: Real> Matrix<T> {
    /// Wraps `values`, which must hold `rows * columns` numbers.
    pub fn from_rows(rows: usize, columns: usize, values: Vec<T>) -> Result<Self, Error> {
        if rows.checked_mul(columns) != Some(values.len()) {
            return Err(Error::Shape {
                what: "matrix values",
                expected: format!("{rows} x {columns} numbers"),
                found: format!("{} numbers", values.len()),
            });
        }
        Ok(Self {
            rows,
            columns,
            values,
        })
    }

    /// Wraps numbers of which there are as many as there should be.
    pub(crate) fn of(rows: usize, columns: usize, values: Vec<T>) -> Self {
        debug_assert_eq!(rows * columns, values.len());
        Self {
            rows,
            columns,
            values,
        }
    }

    /// A matrix whose entry at row `i`, column `j` is `entry(i, j)`.
    pub fn from_fn(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> T) -> Self {
        let mut values = Vec::with_capacity(rows.saturating_mul(columns));
        for i in 0..rows {
            values.extend((0..columns).map(|j| entry(i, j)));
        }
        Self {
            rows,
            columns,
            values,
        }
    }

    /// A matrix whose rows `fill(i, row)` writes, in parallel.
    pub(crate) fn from_each_row(
        rows: usize,
        columns: usize,
        fill: impl Fn(usize, &mut [T]) + Sync,
    ) -> Self {
        let mut values = vec![T::ZERO; rows * columns];
        values
            .par_chunks_mut(columns.max(1))
            .with_min_len(64)
            .enumerate()
            .for_each(|(i, row)| fill(i, row));
        Self {
            rows,
            columns,
            values,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All numbers, row by row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.columns..][..self.columns]
    }

    /// The entry at row `i`, column `j`.
    pub fn at(&self, i: usize, j: usize) -> T {
        self.row(i)[j]
    }

    /// Column `j`, copied.
    pub fn column(&self, j: usize) -> Vec<T> {
        (0..self.rows).map(|i| self.at(i, j)).collect()
    }

    /// The rows with these indices, in this order.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self::from_each_row(rows.len(), self.columns, |at, row| {
            row.copy_from_slice(self.row(rows[at]));
        })
    }

    /// The same numbers in another precision.
    pub fn cast<U: Real>(&self) -> Matrix<U> {
        Matrix {
            rows: self.rows,
            columns: self.columns,
            values: self
                .values
                .iter()
                .map(|value| U::of(value.wide()))
                .collect(),
        }
    }

    /// The rows `from..to` as a view for matrix products.
    pub(crate) fn view(&self, from: usize, to: usize) -> MatRef<'_, T> {
        MatRef::from_row_major_slice(
            &self.values[from * self.columns..to * self.columns],
            to - from,
            self.columns,
        )
    }

    /// Refuses a NaN or infinite entry, naming where it is.
    pub fn check_finite(&self, what: &'static str) -> Result<(), Error> {
        match self
            .values
            .iter()
            .position(|value| !value.wide().is_finite())
        {
            None => Ok(()),
            Some(at) => Err(Error::NotFinite {
                what,
                row: at / self.columns,
                column: at % self.columns,
                value: self.values[at].wide(),
            }),
        }
    }
}
