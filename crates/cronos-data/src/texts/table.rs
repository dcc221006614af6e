//! A table with names, of which one column is the texts.

use super::{Rows, TextOptions, Texts, choose};
use crate::cell::Cells;
use crate::delimiter::Delimiter;
use crate::error::{DataError, counted, quoted};
use crate::header;
use crate::parquet::{self, Parquet};
use crate::records::{Records, Row};
use crate::stream;

pub(super) fn read(path: &str, options: &TextOptions) -> Result<Texts, DataError> {
    let (head, stream) = stream::peek(path, stream::open(path)?)?;
    let tabs = path.to_lowercase().contains(".tsv");
    let delimiter = if tabs {
        Delimiter::Tab
    } else {
        Delimiter::Comma
    };
    let mut records = Records::new(path, stream, delimiter.resolve(&head));
    let mut row = Row::default();
    if !records.next(&mut row)? {
        return Err(DataError::content(
            path,
            "it is empty; a table needs at least one row",
        ));
    }
    let names = header::names_of(path, &row)?;
    let mut table = Table::new(Rows::new(path), names, options);
    while records.next(&mut row)? {
        if row.cells.len() != table.names.len() {
            let message = format!(
                "line {} has {}, but the header has {}; put texts with a separator in quotes",
                row.line,
                counted(row.cells.len(), "cell"),
                table.names.len()
            );
            return Err(DataError::content(path, message));
        }
        table.push(&row)?;
    }
    table.finish()
}

pub(super) fn read_parquet(path: &str, options: &TextOptions) -> Result<Texts, DataError> {
    let mut file = Parquet::open(path)?;
    let rows = Rows::called(parquet::NOUN, path);
    let mut table = Table::new(rows, file.names(), options);
    while let Some(batch) = file.next()? {
        for row in batch.rows() {
            table.push(&row)?;
        }
        // from the second batch on
        if let Some((text, target)) = table.chosen {
            let used: Vec<usize> = [Some(text), target].into_iter().flatten().collect();
            file.read_only(&used);
        }
    }
    table.finish()
}

/// The rows so far, and which columns are taken of them.
struct Table<'a> {
    rows: Rows<'a>,
    names: Vec<String>,
    options: &'a TextOptions,
    /// The texts and the target; known with the first row.
    chosen: Option<(usize, Option<usize>)>,
}

impl<'a> Table<'a> {
    fn new(rows: Rows<'a>, names: Vec<String>, options: &'a TextOptions) -> Self {
        Self {
            rows,
            names,
            options,
            chosen: None,
        }
    }

    fn push(&mut self, row: &impl Cells) -> Result<(), DataError> {
        let (text, target) = match self.chosen {
            Some(chosen) => chosen,
            None => {
                let texts = (0..self.names.len()).filter(|&place| row.other(place).is_none());
                let long = texts.max_by_key(|&place| row.text(place).len());
                let is_text = |place: &usize| row.text(*place).parse::<f64>().is_err();
                let long = long.filter(is_text);
                let found = choose(self.rows.file, &self.names, long, self.options)?;
                *self.chosen.insert(found)
            }
        };
        let column = |place: usize| format!("column {}", quoted(&self.names[place]));
        let cell = |place: usize| {
            let cell = row.text_or_number(place);
            cell.map_err(|what| {
                let called = self.rows.places.called(row.place());
                let message = format!("{called}, {}: {what}", column(place));
                DataError::content(self.rows.file, message)
            })
        };
        let cells = (cell(text)?, target.map(cell).transpose()?);
        let columns = (column(text), target.map(column));
        self.rows.push_text(&cells.0, row.place(), &columns.0)?;
        if let (Some(target), Some(column)) = (cells.1, columns.1) {
            self.rows.push_target(&target, row.place(), &column)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Texts, DataError> {
        let (text, target) = self.chosen.unzip();
        let named = |place: usize| self.names[place].clone();
        self.rows
            .finish(text.map(named), target.flatten().map(named))
    }
}
