//! Numbers that stay in their file and are read when they are needed.

use crate::error::DataError;
use crate::fingerprint::Fingerprint;
use std::fs::File;
use std::io;
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
        let (stride, columns) = (self.width * self.kind.size(), self.columns());
        let together = (PIECE / stride.max(1)).max(1);
        let mut bytes = Vec::new();
        let mut row = rows.start;
        while row < rows.end {
            let place = self.rows.at(row);
            // rows that lie side by side are read at once
            let most = together.min(rows.end - row);
            let count = match &self.rows {
                Rows::Run(_) => most,
                Rows::Some(_) => (1..most)
                    .take_while(|&more| self.rows.at(row + more) == place + more)
                    .count()
                    .saturating_add(1),
            };
            bytes.resize(count * stride, 0);
            let at = self.start + (place * stride) as u64;
            read_at(&self.file, &mut bytes, at).map_err(|e| DataError::reading(&self.name, e))?;
            let first = (row - rows.start) * columns;
            let out = &mut out[first..first + count * columns];
            for (bytes, out) in bytes
                .chunks(stride.max(1))
                .zip(out.chunks_mut(columns.max(1)))
            {
                self.decode(bytes, out);
            }
            row += count;
        }
        Ok(())
    }

    /// A row of the file as numbers.
    fn decode(&self, bytes: &[u8], out: &mut [f64]) {
        let number = |place: usize| -> f64 {
            let at = place * self.kind.size();
            match self.kind {
                Kind::U8 => f64::from(bytes[at]),
                Kind::F32 => f32::from_le_bytes(four(&bytes[at..])).into(),
                Kind::F64 => f64::from_le_bytes(eight(&bytes[at..])),
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
                    *out = f32::from_le_bytes(*bytes).into();
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

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                at += count as u64;
            }
        }
    }
    Ok(())
}
