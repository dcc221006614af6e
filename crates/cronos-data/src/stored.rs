//! Numbers that stay in their file and are read when they are needed.

use crate::ahead::read_at;
use crate::error::DataError;
use crate::fingerprint::Fingerprint;
use std::cell::RefCell;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that are read at a time where all are.
const PIECE: usize = 1 << 22;

/// The type of numbers in a file, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    F32,
    F64,
    U8,
}

impl Kind {
    /// Bytes of a number.
    pub(crate) fn size(self) -> usize {
        match self {
            Kind::F32 => 4,
            Kind::F64 => 8,
            Kind::U8 => 1,
        }
    }
}

/// A number that numbers of a file become.
trait Number: Copy {
    fn of_byte(byte: u8) -> Self;
    fn of_single(single: f32) -> Self;
    fn of_double(double: f64) -> Self;
}

impl Number for f32 {
    fn of_byte(byte: u8) -> Self {
        byte.into()
    }
    fn of_single(single: f32) -> Self {
        single
    }
    fn of_double(double: f64) -> Self {
        double as f32
    }
}

impl Number for f64 {
    fn of_byte(byte: u8) -> Self {
        byte.into()
    }
    fn of_single(single: f32) -> Self {
        single.into()
    }
    fn of_double(double: f64) -> Self {
        double
    }
}

thread_local! {
    /// Bytes as they were read, before they are numbers.
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Rows of numbers in a file: some of its rows and some of its columns.
#[derive(Debug, Clone)]
pub struct Stored {
    file: Arc<File>,
    name: Arc<str>,
    /// Where the first number is.
    start: u64,
    kind: Kind,
    /// Numbers of a row in the file.
    width: usize,
    rows: Rows,
    /// Which of them are seen; `None`: all.
    columns: Option<Arc<[usize]>>,
}

/// Rows of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rows {
    Run(Range<usize>),
    Some(Arc<[usize]>),
}

impl Rows {
    fn len(&self) -> usize {
        match self {
            Rows::Run(range) => range.len(),
            Rows::Some(rows) => rows.len(),
        }
    }

    /// The place of a row in the file.
    fn at(&self, row: usize) -> usize {
        match self {
            Rows::Run(range) => range.start + row,
            Rows::Some(rows) => rows[row],
        }
    }
}

impl PartialEq for Stored {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file)
            && self.rows == other.rows
            && self.columns == other.columns
    }
}

impl Stored {
    /// The rows of a file, from the byte `start` on.
    pub(crate) fn new(
        file: File,
        name: &str,
        start: u64,
        kind: Kind,
        [rows, width]: [usize; 2],
    ) -> Self {
        Self {
            file: Arc::new(file),
            name: name.into(),
            start,
            kind,
            width,
            rows: Rows::Run(0..rows),
            columns: None,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns.as_ref().map_or(self.width, |own| own.len())
    }

    /// Bytes of a number in the file.
    pub fn number_size(&self) -> usize {
        self.kind.size()
    }

    /// The file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The place of a row in the file.
    pub fn place(&self, row: usize) -> usize {
        self.rows.at(row)
    }

    /// The named rows, in the order named.
    pub fn select(&self, rows: &[usize]) -> Self {
        let places: Vec<usize> = rows.iter().map(|&row| self.rows.at(row)).collect();
        let run = places.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        Self {
            rows: match places.first() {
                Some(&first) if run => Rows::Run(first..first + places.len()),
                _ => Rows::Some(places.into()),
            },
            ..self.clone()
        }
    }

    /// The named columns of every row, in the order named.
    pub(crate) fn with_columns(&self, columns: &[usize]) -> Self {
        let place = |&column: &usize| self.columns.as_ref().map_or(column, |own| own[column]);
        Self {
            columns: Some(columns.iter().map(place).collect()),
            ..self.clone()
        }
    }

    /// Rows one after the other, all their columns.
    ///
    /// # Errors
    /// When the file cannot be read, or has become shorter.
    pub fn read(&self, rows: Range<usize>, out: &mut [f64]) -> Result<(), DataError> {
        self.read_as(rows, out)
    }

    /// The same in single precision.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn read_singles(&self, rows: Range<usize>, out: &mut [f32]) -> Result<(), DataError> {
        if let (Rows::Run(run), None, Kind::F32) = (&self.rows, &self.columns, self.kind)
            && cfg!(target_endian = "little")
        {
            // the file has just these bytes
            let count = rows.len() * self.width;
            let bytes = bytemuck::cast_slice_mut(&mut out[..count]);
            return self.fetch(run.start + rows.start, bytes);
        }
        self.read_as(rows, out)
    }

    fn read_as<N: Number>(&self, rows: Range<usize>, out: &mut [N]) -> Result<(), DataError> {
        let (stride, columns) = (self.width * self.kind.size(), self.columns());
        let together = (PIECE / stride.max(1)).max(1);
        BYTES.with_borrow_mut(|bytes| {
            let mut row = rows.start;
            while row < rows.end {
                let first = self.rows.at(row);
                // rows are read at once if little lies between them
                let count = self.near(row..rows.end.min(row + together), together);
                let last = self.rows.at(row + count - 1);
                bytes.resize((last + 1 - first) * stride, 0);
                self.fetch(first, bytes)?;
                for more in 0..count {
                    let at = (self.rows.at(row + more) - first) * stride;
                    let out = &mut out[(row + more - rows.start) * columns..][..columns];
                    self.decode(&bytes[at..at + stride], out);
                }
                row += count;
            }
            Ok(())
        })
    }

    /// How many of some rows lie in the file one behind the other, at most so many places apart, and
    /// at least half of what lies there.
    fn near(&self, rows: Range<usize>, most: usize) -> usize {
        if let Rows::Run(_) = self.rows {
            return rows.len();
        }
        let (first, mut last) = (self.rows.at(rows.start), self.rows.at(rows.start));
        let mut count = 1;
        for row in rows.start + 1..rows.end {
            let place = self.rows.at(row);
            let spread = (place + 1).saturating_sub(first);
            if place <= last || spread > most || spread > 2 * (count + 1) {
                break;
            }
            (last, count) = (place, count + 1);
        }
        count
    }

    /// Bytes from the beginning of a row of the file on.
    fn fetch(&self, row: usize, bytes: &mut [u8]) -> Result<(), DataError> {
        let at = self.start + (row * self.width * self.kind.size()) as u64;
        read_at(&self.file, bytes, at).map_err(|e| DataError::reading(&self.name, e))
    }

    /// A row of the file as numbers.
    fn decode<N: Number>(&self, bytes: &[u8], out: &mut [N]) {
        let number = |place: usize| -> N {
            let at = place * self.kind.size();
            match self.kind {
                Kind::U8 => N::of_byte(bytes[at]),
                Kind::F32 => N::of_single(f32::from_le_bytes(four(&bytes[at..]))),
                Kind::F64 => N::of_double(f64::from_le_bytes(eight(&bytes[at..]))),
            }
        };
        match (&self.columns, self.kind) {
            (Some(columns), _) => {
                for (out, &column) in out.iter_mut().zip(columns.iter()) {
                    *out = number(column);
                }
            }
            (None, Kind::F32) => {
                for (out, bytes) in out.iter_mut().zip(bytes.as_chunks().0) {
                    *out = N::of_single(f32::from_le_bytes(*bytes));
                }
            }
            (None, _) => {
                for (column, out) in out.iter_mut().enumerate() {
                    *out = number(column);
                }
            }
        }
    }

    /// The same; NaN where the file cannot be read.
    pub fn numbers(&self, rows: Range<usize>) -> Vec<f64> {
        let mut numbers = vec![f64::NAN; rows.len() * self.columns()];
        match self.read(rows, &mut numbers) {
            Ok(()) => numbers,
            Err(_) => vec![f64::NAN; numbers.len()],
        }
    }

    /// One column of all rows.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn column(&self, column: usize) -> Result<Vec<f64>, DataError> {
        let own = self.with_columns(&[column]);
        let mut values = vec![0.0; self.rows()];
        own.read(0..self.rows(), &mut values)?;
        Ok(values)
    }

    /// Adds all numbers to a hash, as if they were in memory.
    pub(crate) fn hash(&self, hash: &mut Fingerprint) -> Result<(), DataError> {
        let (columns, mut left) = (self.columns(), Vec::new());
        let together = (PIECE / size_of::<f64>() / columns.max(1)).max(1);
        let mut numbers = Vec::new();
        for from in (0..self.rows()).step_by(together) {
            let rows = from..self.rows().min(from + together);
            numbers.resize(rows.len() * columns, 0.0);
            self.read(rows, &mut numbers)?;
            if self.kind != Kind::U8 {
                hash.numbers(&numbers);
                continue;
            }
            // bytes count by eights
            left.extend(numbers.iter().map(|&number| number as u8));
            let whole = left.len() / 8 * 8;
            hash.words(&left[..whole]);
            left.drain(..whole);
        }
        hash.words(&left);
        Ok(())
    }
}

fn four(bytes: &[u8]) -> [u8; 4] {
    bytes.first_chunk().copied().unwrap_or_default()
}

fn eight(bytes: &[u8]) -> [u8; 8] {
    bytes.first_chunk().copied().unwrap_or_default()
}
