//! Numbers of a text, row after row: in memory, or in a temporary file.

use crate::error::DataError;
use crate::stored::{Kind, Stored};
use crate::values::Values;
use std::fs::File;
use std::io::Write;

/// Numbers that are written at a time.
const PIECE: usize = 1 << 19;

/// The numbers read so far.
#[derive(Debug)]
pub(crate) struct Spill {
    /// Those that are in memory.
    numbers: Vec<f64>,
    /// Where the others are. The file has no name, so nothing is left of it.
    file: Option<File>,
}

impl Spill {
    /// In memory, or in the system's folder of temporary files.
    pub(crate) fn new(in_file: bool) -> Result<Self, DataError> {
        let open = || tempfile::tempfile().map_err(unwritten);
        Ok(Spill {
            numbers: Vec::new(),
            file: in_file.then(open).transpose()?,
        })
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: &[f64]) -> Result<(), DataError> {
        self.numbers.extend_from_slice(row);
        match self.file.is_some() && self.numbers.len() >= PIECE {
            true => self.write(),
            false => Ok(()),
        }
    }

    fn write(&mut self) -> Result<(), DataError> {
        if let Some(file) = &mut self.file {
            let bytes: Vec<u8> = self.numbers.iter().flat_map(|v| v.to_le_bytes()).collect();
            file.write_all(&bytes).map_err(unwritten)?;
            self.numbers.clear();
        }
        Ok(())
    }

    /// All numbers, so many rows and columns of them; `of` is the text they were read from.
    pub(crate) fn finish(mut self, of: &str, shape: [usize; 2]) -> Result<Values, DataError> {
        self.write()?;
        let name = format!("the temporary file for {of}");
        Ok(match self.file {
            Some(file) => Values::Stored(Stored::new(file, &name, 0, Kind::F64, shape)),
            None => Values::Numbers(self.numbers),
        })
    }
}

/// What a user should know of a file of so many numbers.
pub(crate) fn remark(of: &str, numbers: usize) -> String {
    let mebibytes = (numbers * size_of::<f64>()) >> 20;
    format!(
        "{of}: its numbers take {mebibytes} MiB and stay in a temporary file in {}; the variable TMPDIR names another \
         folder, and features in an npy file need no copy",
        std::env::temp_dir().display()
    )
}

fn unwritten(error: std::io::Error) -> DataError {
    let folder = std::env::temp_dir();
    let place = format!(
        "a temporary file in {} (the variable TMPDIR names another folder)",
        folder.display()
    );
    DataError::io("write", place, error)
}
