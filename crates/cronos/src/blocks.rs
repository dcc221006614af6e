//! Features as the solver sees them, some rows at a time: in memory, or brought there when they are
//! needed.

use crate::Error;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::scaling::Scaling;
use crate::table::Table;
use std::ops::Range;
use std::sync::Mutex;

/// Features of which some rows can be looked at.
pub trait Blocks<T: Real>: Send + Sync {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// Number of columns.
    fn columns(&self) -> usize;

    /// Rows one after the other. Those that are not in memory are put into `room`.
    fn block<'b>(&'b self, rows: Range<usize>, room: &'b mut Vec<T>) -> &'b [T];

    /// `√w` times the rows.
    fn weighted<'a>(&'a self, roots: &'a [T]) -> Box<dyn Blocks<T> + 'a>;

    /// The whole, if it is in memory.
    fn as_matrix(&self) -> Option<&Matrix<T>> {
        None
    }

    /// Refuses a NaN or infinite entry, naming where it is.
    fn check_finite(&self) -> Result<(), Error>;

    /// Why rows could not be read, if they could not.
    fn failure(&self) -> Option<String> {
        None
    }

    /// The same in the memory of a device, if they are there.
    #[cfg(feature = "device")]
    #[doc(hidden)]
    fn there(&self) -> Option<&crate::device::Resident> {
        None
    }
}

impl<T: Real, X: Blocks<T> + ?Sized> Blocks<T> for &X {
    fn rows(&self) -> usize {
        (**self).rows()
    }

    fn columns(&self) -> usize {
        (**self).columns()
    }

    fn block<'b>(&'b self, rows: Range<usize>, room: &'b mut Vec<T>) -> &'b [T] {
        (**self).block(rows, room)
    }

    fn weighted<'a>(&'a self, roots: &'a [T]) -> Box<dyn Blocks<T> + 'a> {
        (**self).weighted(roots)
    }

    fn as_matrix(&self) -> Option<&Matrix<T>> {
        (**self).as_matrix()
    }

    fn check_finite(&self) -> Result<(), Error> {
        (**self).check_finite()
    }

    fn failure(&self) -> Option<String> {
        (**self).failure()
    }

    #[cfg(feature = "device")]
    fn there(&self) -> Option<&crate::device::Resident> {
        (**self).there()
    }
}

impl<T: Real> Blocks<T> for Matrix<T> {
    fn rows(&self) -> usize {
        Matrix::rows(self)
    }

    fn columns(&self) -> usize {
        Matrix::columns(self)
    }

    fn block<'b>(&'b self, rows: Range<usize>, _: &'b mut Vec<T>) -> &'b [T] {
        let d = Matrix::columns(self);
        &self.values()[rows.start * d..rows.end * d]
    }

    fn weighted<'a>(&'a self, roots: &'a [T]) -> Box<dyn Blocks<T> + 'a> {
        let (n, d) = (Matrix::rows(self), Matrix::columns(self));
        Box::new(Matrix::from_fn(n, d, |row, column| {
            roots[row] * self.at(row, column)
        }))
    }

    fn as_matrix(&self) -> Option<&Matrix<T>> {
        Some(self)
    }

    fn check_finite(&self) -> Result<(), Error> {
        Matrix::check_finite(self, "features")
    }
}

/// Rows that are read at a time, few enough to be in cache when they are scaled.
pub(crate) const TOGETHER: usize = 64;

/// Rows of a table that are scaled each time they are read.
pub(crate) struct Streamed<'a, T> {
    table: &'a dyn Table,
    /// What is subtracted from each column, and what it is then multiplied by.
    shift: Vec<T>,
    factor: Vec<T>,
    bias: bool,
    /// `√w` of the rows, if they are multiplied by it.
    roots: Option<&'a [T]>,
    failure: Mutex<Option<String>>,
}

impl<'a, T: Real> Streamed<'a, T> {
    /// The columns of a table, scaled, with a column of ones behind them if there is a bias.
    pub fn new(table: &'a dyn Table, scaling: &Scaling, bias: bool) -> Self {
        let numbers = |values: &[f64]| values.iter().map(|&value| T::of(value)).collect();
        let factor: Vec<f64> = scaling.scale.iter().map(|scale| 1.0 / scale).collect();
        Self {
            table,
            shift: numbers(&scaling.mean),
            factor: numbers(&factor),
            bias,
            roots: None,
            failure: Mutex::new(None),
        }
    }

    /// Rows as they were read, scaled.
    fn scale(&self, rows: Range<usize>, read: &[T], scaled: &mut [T]) {
        let (d, raw) = (self.columns(), self.table.columns());
        for ((row, read), scaled) in rows
            .zip(read.chunks_exact(raw))
            .zip(scaled.chunks_exact_mut(d))
        {
            let (columns, bias) = scaled.split_at_mut(raw);
            let factors = self.shift.iter().zip(&self.factor);
            for ((scaled, &value), (&shift, &factor)) in columns.iter_mut().zip(read).zip(factors) {
                *scaled = (value - shift) * factor;
            }
            bias.fill(T::ONE);
            if let Some(roots) = self.roots {
                for value in scaled {
                    *value *= roots[row];
                }
            }
        }
    }

    fn fail(&self, why: String) {
        if let Ok(mut failure) = self.failure.lock() {
            failure.get_or_insert(why);
        }
    }
}

impl<T: Real> Blocks<T> for Streamed<'_, T> {
    fn rows(&self) -> usize {
        self.table.rows()
    }

    fn columns(&self) -> usize {
        self.table.columns() + usize::from(self.bias)
    }

    fn block<'b>(&'b self, rows: Range<usize>, room: &'b mut Vec<T>) -> &'b [T] {
        let (d, raw) = (self.columns(), self.table.columns());
        room.resize(rows.len() * d + TOGETHER * raw, T::ZERO);
        let (scaled, read) = room.split_at_mut(rows.len() * d);
        for (at, scaled) in scaled.chunks_mut(TOGETHER * d).enumerate() {
            let from = rows.start + at * TOGETHER;
            let rows = from..from + scaled.len() / d;
            let read = &mut read[..rows.len() * raw];
            match T::read_rows(self.table, rows.clone(), read) {
                Ok(()) => self.scale(rows, read, scaled),
                Err(error) => {
                    self.fail(error.to_string());
                    scaled.fill(T::of(f64::NAN));
                }
            }
        }
        scaled
    }

    fn weighted<'w>(&'w self, roots: &'w [T]) -> Box<dyn Blocks<T> + 'w> {
        Box::new(Streamed {
            table: self.table,
            shift: self.shift.clone(),
            factor: self.factor.clone(),
            bias: self.bias,
            roots: Some(roots),
            failure: Mutex::new(None),
        })
    }

    fn check_finite(&self) -> Result<(), Error> {
        self.table.check_finite()
    }

    fn failure(&self) -> Option<String> {
        self.failure.lock().ok()?.clone()
    }
}
