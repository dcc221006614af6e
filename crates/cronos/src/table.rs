//! Features as they come: numbers, or bytes as images have them.

use crate::Error;
use crate::matrix::Matrix;
use crate::sparse::Sparse;
use std::borrow::Cow;
use std::ops::Range;

/// Features that can be read in pieces, so that they need not be in memory as `f64`.
pub trait Table: Send + Sync {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// Number of columns.
    fn columns(&self) -> usize;

    /// Bytes that it takes in memory.
    fn bytes(&self) -> u64;

    /// Writes entries of a row into `out`, from the column `from` on.
    fn read(&self, row: usize, from: usize, out: &mut [f64]);

    /// Rows one after the other, all their columns.
    fn read_doubles(&self, rows: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        for (row, out) in rows.zip(out.chunks_mut(self.columns().max(1))) {
            self.read(row, 0, out);
        }
        Ok(())
    }

    /// The same in single precision.
    fn read_singles(&self, rows: Range<usize>, out: &mut [f32]) -> Result<(), Error> {
        let mut wide = vec![0.0; out.len()];
        self.read_doubles(rows, &mut wide)?;
        for (out, wide) in out.iter_mut().zip(wide) {
            *out = wide as f32;
        }
        Ok(())
    }

    /// Whether it is somewhere else and too large to be brought into memory, so that rows are read
    /// over and over.
    fn streams(&self) -> bool {
        false
    }

    /// The same rows, to be read over and over, if that is possible and not so already.
    fn stay(&self) -> Option<Box<dyn Table>> {
        None
    }

    /// Bytes that were read so far of features that are elsewhere.
    fn read_bytes(&self) -> u64 {
        0
    }

    /// The rows with these indices, in this order.
    fn select(&self, rows: &[usize]) -> Box<dyn Table>;

    /// The whole table, if it is a matrix already.
    fn as_matrix(&self) -> Option<&Matrix<f64>> {
        None
    }

    /// The whole table, if it is sparse already.
    fn as_sparse(&self) -> Option<&Sparse> {
        None
    }

    /// The same, also where rows of it must be copied.
    fn to_sparse(&self) -> Option<Cow<'_, Sparse>> {
        self.as_sparse().map(Cow::Borrowed)
    }

    /// Refuses a NaN or infinite entry, naming where it is.
    fn check_finite(&self) -> Result<(), Error>;
}

/// Features of which some rows can be copied.
pub trait Pick: Table + Sized {
    /// The rows with these indices, in this order.
    fn pick(&self, rows: &[usize]) -> Self;
}

impl dyn Table + '_ {
    /// The whole table as a matrix.
    pub fn to_matrix(&self) -> Cow<'_, Matrix<f64>> {
        match self.as_matrix() {
            Some(matrix) => Cow::Borrowed(matrix),
            None => Cow::Owned(self.part(0, self.columns())),
        }
    }

    /// Some columns of all rows.
    pub(crate) fn part(&self, from: usize, columns: usize) -> Matrix<f64> {
        let mut values = vec![0.0; self.rows() * columns];
        for (row, out) in values.chunks_mut(columns.max(1)).enumerate() {
            self.read(row, from, out);
        }
        Matrix::of(self.rows(), columns, values)
    }
}

impl Table for Matrix<f64> {
    fn rows(&self) -> usize {
        Matrix::rows(self)
    }

    fn columns(&self) -> usize {
        Matrix::columns(self)
    }

    fn bytes(&self) -> u64 {
        size_of_val(self.values()) as u64
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.row(row)[from..][..out.len()]);
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        Box::new(Matrix::select(self, rows))
    }

    fn as_matrix(&self) -> Option<&Matrix<f64>> {
        Some(self)
    }

    fn check_finite(&self) -> Result<(), Error> {
        Matrix::check_finite(self, "features")
    }
}

impl Pick for Matrix<f64> {
    fn pick(&self, rows: &[usize]) -> Self {
        self.select(rows)
    }
}

/// Rows of another table, without a copy of them.
pub struct Chosen<'a> {
    /// The other table.
    pub table: &'a dyn Table,
    /// Which rows, and in which order.
    pub rows: Vec<usize>,
}

impl Table for Chosen<'_> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self) -> usize {
        self.table.columns()
    }

    fn bytes(&self) -> u64 {
        size_of_val(&self.rows[..]) as u64
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        self.table.read(self.rows[row], from, out);
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        let rows: Vec<usize> = rows.iter().map(|&row| self.rows[row]).collect();
        self.table.select(&rows)
    }

    fn to_sparse(&self) -> Option<Cow<'_, Sparse>> {
        let table = self.table.to_sparse()?;
        Some(Cow::Owned(Sparse::select(&table, &self.rows)))
    }

    fn check_finite(&self) -> Result<(), Error> {
        self.table.check_finite()
    }
}

/// Whole numbers from 0 to 255, one byte each, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    rows: usize,
    columns: usize,
    values: Vec<u8>,
}

impl Bytes {
    /// Wraps `values`, which must hold `rows * columns` bytes.
    pub fn from_rows(rows: usize, columns: usize, values: Vec<u8>) -> Result<Self, Error> {
        if rows.checked_mul(columns) != Some(values.len()) {
            return Err(Error::Shape {
                what: "bytes",
                expected: format!("{rows} x {columns} bytes"),
                found: format!("{} bytes", values.len()),
            });
        }
        Ok(Self {
            rows,
            columns,
            values,
        })
    }
}

impl Table for Bytes {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn bytes(&self) -> u64 {
        self.values.len() as u64
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        let bytes = &self.values[row * self.columns + from..][..out.len()];
        for (out, byte) in out.iter_mut().zip(bytes) {
            *out = f64::from(*byte);
        }
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        let row = |&row: &usize| &self.values[row * self.columns..][..self.columns];
        Box::new(Self {
            rows: rows.len(),
            columns: self.columns,
            values: rows.iter().flat_map(row).copied().collect(),
        })
    }

    fn check_finite(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Numbers in single precision, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Singles(Matrix<f32>);

impl Singles {
    /// Wraps `values`, which must hold `rows * columns` numbers.
    pub fn from_rows(rows: usize, columns: usize, values: Vec<f32>) -> Result<Self, Error> {
        Matrix::from_rows(rows, columns, values).map(Self)
    }
}

impl Table for Singles {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn columns(&self) -> usize {
        self.0.columns()
    }

    fn bytes(&self) -> u64 {
        size_of_val(self.0.values()) as u64
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        let values = &self.0.row(row)[from..][..out.len()];
        for (out, &value) in out.iter_mut().zip(values) {
            *out = f64::from(value);
        }
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        Box::new(Self(self.0.select(rows)))
    }

    fn check_finite(&self) -> Result<(), Error> {
        self.0.check_finite("features")
    }
}

impl Table for Box<dyn Table> {
    fn rows(&self) -> usize {
        self.as_ref().rows()
    }

    fn columns(&self) -> usize {
        self.as_ref().columns()
    }

    fn bytes(&self) -> u64 {
        self.as_ref().bytes()
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        self.as_ref().read(row, from, out);
    }

    fn read_doubles(&self, rows: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        self.as_ref().read_doubles(rows, out)
    }

    fn read_singles(&self, rows: Range<usize>, out: &mut [f32]) -> Result<(), Error> {
        self.as_ref().read_singles(rows, out)
    }

    fn streams(&self) -> bool {
        self.as_ref().streams()
    }

    fn stay(&self) -> Option<Box<dyn Table>> {
        self.as_ref().stay()
    }

    fn read_bytes(&self) -> u64 {
        self.as_ref().read_bytes()
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        self.as_ref().select(rows)
    }

    fn as_matrix(&self) -> Option<&Matrix<f64>> {
        self.as_ref().as_matrix()
    }

    fn as_sparse(&self) -> Option<&Sparse> {
        self.as_ref().as_sparse()
    }

    fn to_sparse(&self) -> Option<Cow<'_, Sparse>> {
        self.as_ref().to_sparse()
    }

    fn check_finite(&self) -> Result<(), Error> {
        self.as_ref().check_finite()
    }
}
