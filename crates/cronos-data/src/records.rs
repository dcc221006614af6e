//! The rows of a table with their physical line numbers.

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use std::borrow::Cow;

use crate::cell::Cells;
use crate::error::DataError;
use crate::lines::{Lines, WrongQuote};
use crate::stream::Stream;

/// A row that was read and its line, counted from 1.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) cells: ByteRecord,
    pub(crate) line: u64,
}

impl Row {
    /// The text of a cell, trimmed; rows were checked to be UTF-8.
    pub(crate) fn cell(&self, column: usize) -> &str {
        let bytes = self.cells.get(column).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default().trim()
    }
}

impl Cells for Row {
    fn place(&self) -> u64 {
        self.line
    }

    fn count(&self) -> usize {
        self.cells.len()
    }

    fn text(&self, column: usize) -> Cow<'_, str> {
        self.cell(column).into()
    }
}

/// Reads row after row.
pub(crate) struct Records<'a> {
    file: &'a str,
    reader: Reader<Lines<Stream<'a>>>,
}

impl<'a> Records<'a> {
    pub(crate) fn new(file: &'a str, stream: Stream<'a>, delimiter: u8) -> Self {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(Lines::new(stream, delimiter));
        Records { file, reader }
    }

    /// Reads the next row into `row`; `false` at the end.
    pub(crate) fn next(&mut self, row: &mut Row) -> Result<bool, DataError> {
        let found = self
            .reader
            .read_byte_record(&mut row.cells)
            .map_err(|error| self.refuse(error))?;
        if !found {
            return Ok(false);
        }
        // The reader stands behind the line feed that ends the row, and counts from 1; a row
        // may span lines by line feeds inside quotes.
        let inner = row.cells.as_slice().iter().filter(|&&b| b == b'\n').count() as u64;
        row.line = self
            .reader
            .position()
            .line()
            .saturating_sub(1 + inner)
            .max(1);
        for (column, cell) in row.cells.iter().enumerate() {
            if std::str::from_utf8(cell).is_err() {
                return Err(DataError::content(
                    self.file,
                    format!(
                        "line {}, column {column} (counting from 0): not UTF-8 text; save the \
                         file as UTF-8",
                        row.line
                    ),
                ));
            }
        }
        Ok(true)
    }

    fn refuse(&self, error: csv::Error) -> DataError {
        let text = error.to_string();
        match error.into_kind() {
            ErrorKind::Io(source) => match source.get_ref() {
                Some(wrong) if wrong.is::<WrongQuote>() => DataError::content(self.file, wrong),
                _ => DataError::reading(self.file, source),
            },
            _ => DataError::content(self.file, text),
        }
    }
}
