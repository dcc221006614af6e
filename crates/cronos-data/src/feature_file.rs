//! Features written row by row to an npy file, so that work that was broken off goes on.
//!
//! Until all rows are there they stand in a file of another name, which says what they are
//! features of; its length says how many there are.

use crate::error::DataError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A matrix of single-precision numbers that grows.
#[derive(Debug)]
pub struct FeatureFile {
    path: PathBuf,
    part: PathBuf,
    file: File,
    rows: usize,
    columns: usize,
    done: usize,
}

impl FeatureFile {
    /// Begins a file of so many rows, or goes on with one that was begun for the same `key`.
    ///
    /// # Errors
    /// When files cannot be written.
    pub fn open(path: &Path, rows: usize, columns: usize, key: &str) -> Result<Self, DataError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = path.with_file_name(format!(".{name}.{key}.part"));
        let failed = |error| DataError::io("write", part.display(), error);
        let header = header(rows, columns);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&part)
            .map_err(failed)?;
        let mut found = vec![0; header.len()];
        let same = file.read_exact(&mut found).is_ok() && found == header;
        let done = match same {
            true => {
                let bytes = file.metadata().map_err(failed)?.len() - header.len() as u64;
                (bytes as usize / row_bytes(columns).max(1)).min(rows)
            }
            false => {
                file.set_len(0).map_err(failed)?;
                file.seek(SeekFrom::Start(0)).map_err(failed)?;
                file.write_all(&header).map_err(failed)?;
                0
            }
        };
        // a row that was begun is written again
        let end = (header.len() + done * row_bytes(columns)) as u64;
        file.set_len(end).map_err(failed)?;
        file.seek(SeekFrom::Start(end)).map_err(failed)?;
        Ok(FeatureFile {
            path: path.to_owned(),
            part,
            file,
            rows,
            columns,
            done,
        })
    }

    /// Rows that are there.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Adds rows.
    ///
    /// # Errors
    /// When they are no whole rows, are more than there should be, or cannot be written.
    pub fn append(&mut self, values: &[f32]) -> Result<(), DataError> {
        let rows = values.len() / self.columns.max(1);
        if rows * self.columns != values.len() || self.done + rows > self.rows {
            return Err(DataError::request(format!(
                "{} numbers are not whole rows of {} in a file of {} rows that has {}",
                values.len(),
                self.columns,
                self.rows,
                self.done
            )));
        }
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let written = self.file.write_all(&bytes);
        written.map_err(|error| DataError::io("write", self.part.display(), error))?;
        self.done += rows;
        Ok(())
    }

    /// Gives the file its name once all rows are there.
    ///
    /// # Errors
    /// When rows are missing, or the file cannot be written.
    pub fn finish(self) -> Result<(), DataError> {
        if self.done < self.rows {
            return Err(DataError::request(format!(
                "{} of {} rows are missing in {}",
                self.rows - self.done,
                self.rows,
                self.path.display()
            )));
        }
        let failed = |error: io::Error| DataError::io("write", self.path.display(), error);
        self.file.sync_all().map_err(failed)?;
        fs::rename(&self.part, &self.path).map_err(failed)
    }
}

/// All numbers of a file that [`FeatureFile`] wrote, of which the size is known.
///
/// # Errors
/// When it cannot be read, or has another size.
pub fn read_features(path: &Path, rows: usize, columns: usize) -> Result<Vec<f32>, DataError> {
    let failed = |error| DataError::io("read", path.display(), error);
    let other = || {
        let message = format!("it does not hold {rows} x {columns} numbers; remove it");
        DataError::content(path.display(), message)
    };
    let mut file = File::open(path).map_err(failed)?;
    let header = header(rows, columns);
    let expected = (rows.checked_mul(row_bytes(columns))).and_then(|n| n.checked_add(header.len()));
    if Some(file.metadata().map_err(failed)?.len()) != expected.map(|bytes| bytes as u64) {
        return Err(other());
    }
    let mut found = vec![0; header.len()];
    file.read_exact(&mut found).map_err(failed)?;
    if found != header {
        return Err(other());
    }
    let mut values = Vec::with_capacity(rows * columns);
    let mut bytes = vec![0; row_bytes(columns)];
    for _ in 0..rows {
        file.read_exact(&mut bytes).map_err(failed)?;
        let numbers = bytes.as_chunks().0.iter();
        values.extend(numbers.map(|&number| f32::from_le_bytes(number)));
    }
    Ok(values)
}

fn row_bytes(columns: usize) -> usize {
    columns * size_of::<f32>()
}

/// The head of an npy file of version 1.
fn header(rows: usize, columns: usize) -> Vec<u8> {
    let text =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // magic, version and length take 10 bytes; the whole is a multiple of 64, a line feed last
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header.resize(10 + length - 1, b' ');
    header.push(b'\n');
    header
}
