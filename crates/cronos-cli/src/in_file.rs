//! Features that stay in their file.

use cronos::{Error, Table};
use cronos_data::{DataError, Stored};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows that are looked over at a time.
const TOGETHER: usize = 256;

/// Rows that are read when they are needed. What cannot be read any more is missing.
pub struct InFile {
    pub numbers: Stored,
    /// Whether they are too many to be brought into memory.
    pub streams: bool,
    read: Arc<AtomicU64>,
}

impl InFile {
    pub fn new(numbers: Stored, streams: bool) -> Self {
        Self {
            numbers,
            streams,
            read: Arc::default(),
        }
    }

    fn count<T>(&self, numbers: &[T]) {
        let bytes = numbers.len() * self.numbers.number_size();
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

impl Table for InFile {
    fn rows(&self) -> usize {
        self.numbers.rows()
    }

    fn columns(&self) -> usize {
        self.numbers.columns()
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        let numbers = self.numbers.numbers(row..row + 1);
        out.copy_from_slice(&numbers[from..][..out.len()]);
    }

    fn read_doubles(&self, rows: Range<usize>, out: &mut [f64]) -> Result<(), Error> {
        self.count(out);
        self.numbers.read(rows, out).map_err(failed)
    }

    fn read_singles(&self, rows: Range<usize>, out: &mut [f32]) -> Result<(), Error> {
        self.count(out);
        self.numbers.read_singles(rows, out).map_err(failed)
    }

    fn streams(&self) -> bool {
        self.streams
    }

    fn stay(&self) -> Option<Box<dyn Table>> {
        (!self.streams).then(|| -> Box<dyn Table> {
            Box::new(Self {
                numbers: self.numbers.clone(),
                streams: true,
                read: self.read.clone(),
            })
        })
    }

    fn read_bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        Box::new(Self {
            numbers: self.numbers.select(rows),
            streams: self.streams,
            read: self.read.clone(),
        })
    }

    fn check_finite(&self) -> Result<(), Error> {
        let d = self.columns().max(1);
        let mut numbers = vec![0.0; TOGETHER * d];
        for from in (0..self.rows()).step_by(TOGETHER) {
            let rows = from..self.rows().min(from + TOGETHER);
            let numbers = &mut numbers[..rows.len() * d];
            self.read_doubles(rows, numbers)?;
            if let Some(at) = numbers.iter().position(|value| !value.is_finite()) {
                return Err(Error::Data(format!(
                    "{}: row {}, feature {} (counting from 0) is {}; every entry must be finite; \
                     impute it or drop the row",
                    self.numbers.name(),
                    self.numbers.place(from + at / d) + 1,
                    at % d,
                    numbers[at]
                )));
            }
        }
        Ok(())
    }
}

fn failed(error: DataError) -> Error {
    Error::Data(error.to_string())
}
