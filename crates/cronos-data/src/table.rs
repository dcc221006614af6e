//! Text tables: csv, tsv and txt.

use crate::answers::{self, TargetCells};
use crate::cell::{self, Cell};
use crate::columns::{Columns, Layout};
use crate::dataset::{Dataset, Features};
use crate::delimiter::Delimiter;
use crate::error::{DataError, counted, quoted};
use crate::options::{Missing, ReadOptions};
use crate::records::{Records, Row};
use crate::stream::{self, Stream};

/// A table to be read.
pub(crate) struct Table<'a> {
    pub(crate) file: &'a str,
    pub(crate) name: String,
    pub(crate) stream: Stream<'a>,
    pub(crate) delimiter: Delimiter,
    /// Names of the columns when the table is known to have no header of its own.
    pub(crate) names: Option<Vec<String>>,
}

impl<'a> Table<'a> {
    /// Reads the rows one by one; only the target is held as text.
    pub(crate) fn read(self, options: &ReadOptions) -> Result<Dataset, DataError> {
        let (head, stream) = stream::peek(self.file, self.stream)?;
        let delimiter = self.delimiter.resolve(&head);
        let mut records = Records::new(self.file, stream, delimiter);
        let (mut row, mut next) = (Row::default(), Row::default());
        if !records.next(&mut row)? {
            return Err(DataError::content(
                self.file,
                "it is empty; a table needs at least one row",
            ));
        }
        let mut more = records.next(&mut next)?;
        let mut names = self.names;
        if names.is_none() && is_header(&row, more.then_some(&next)) {
            names = Some(header(self.file, &row)?);
            if !more {
                return Err(DataError::content(
                    self.file,
                    "it has a header but no rows; a table needs at least one row",
                ));
            }
            std::mem::swap(&mut row, &mut next);
            more = records.next(&mut next)?;
        }
        let count = names.as_ref().map_or(row.cells.len(), Vec::len);
        let columns = Columns {
            file: self.file,
            count,
            names: names.as_deref(),
        };
        let layout = columns.layout(options)?;
        let mut rows = Rows::new(&columns, &layout, options.missing);
        rows.push(&row)?;
        while more {
            rows.push(&next)?;
            more = records.next(&mut next)?;
        }
        rows.finish(self.name)
    }
}

/// A first row is a header when it holds text and no numbers. When it holds both it is still
/// one if a text stands above a number, or if its numbers only count up (0, 1, 2, …) as
/// data frames without names are written; else it is a row with a class name in it.
fn is_header(first: &Row, second: Option<&Row>) -> bool {
    let cells: Vec<Cell> = columns_of(first)
        .map(|c| cell::parse(first.cell(c)))
        .collect();
    if !cells.contains(&Cell::Text) {
        return false;
    }
    let numbers: Vec<f64> = cells
        .iter()
        .filter_map(|cell| match cell {
            Cell::Number(value) => Some(*value),
            _ => None,
        })
        .collect();
    if numbers.is_empty() {
        return true;
    }
    let Some(second) = second else {
        return false;
    };
    let names_a_number = columns_of(first).any(|column| {
        cells[column] == Cell::Text && matches!(cell::parse(second.cell(column)), Cell::Number(_))
    });
    let counts = numbers.len() > 1 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1.0);
    names_a_number || counts
}

fn columns_of(row: &Row) -> std::ops::Range<usize> {
    0..row.cells.len()
}

fn header(file: &str, row: &Row) -> Result<Vec<String>, DataError> {
    let mut seen = std::collections::HashSet::new();
    let mut names = Vec::with_capacity(row.cells.len());
    for column in columns_of(row) {
        let name = match row.cell(column) {
            "" => format!("x{column}"),
            name => name.to_owned(),
        };
        if !seen.insert(name.clone()) {
            return Err(DataError::content(
                file,
                format!(
                    "line {}, column {column} (counting from 0): the name {} appears twice; \
                     give every column its own name",
                    row.line,
                    quoted(&name)
                ),
            ));
        }
        names.push(name);
    }
    Ok(names)
}

/// The rows read so far.
struct Rows<'a> {
    columns: &'a Columns<'a>,
    layout: &'a Layout,
    missing: Missing,
    values: Vec<f64>,
    target: TargetCells,
    count: usize,
}

impl<'a> Rows<'a> {
    fn new(columns: &'a Columns<'a>, layout: &'a Layout, missing: Missing) -> Self {
        Rows {
            columns,
            layout,
            missing,
            values: Vec::new(),
            target: TargetCells::default(),
            count: 0,
        }
    }

    fn push(&mut self, row: &Row) -> Result<(), DataError> {
        if row.cells.len() != self.columns.count {
            return Err(DataError::content(
                self.columns.file,
                format!(
                    "line {}: expected {} but found {}; check the delimiter and the quotes",
                    row.line,
                    counted(self.columns.count, "field"),
                    row.cells.len()
                ),
            ));
        }
        for &column in &self.layout.features {
            let text = row.cell(column);
            let value = match cell::parse(text) {
                Cell::Number(value) => value,
                Cell::Missing if self.missing == Missing::Keep => f64::NAN,
                Cell::Missing => return Err(self.refuse(row, column, cell::MISSING)),
                Cell::Infinite => {
                    let what = format!(
                        "{} is infinite or too large; use a finite number or leave it empty",
                        quoted(text)
                    );
                    return Err(self.refuse(row, column, &what));
                }
                Cell::Text => {
                    let what = format!(
                        "{} is not a number; encode the column as numbers or drop it",
                        quoted(text)
                    );
                    return Err(self.refuse(row, column, &what));
                }
            };
            self.values.push(value);
        }
        if let Some(column) = self.layout.target {
            self.target
                .push(row.cell(column), row.line)
                .map_err(|what| self.refuse(row, column, what))?;
        }
        self.count += 1;
        Ok(())
    }

    fn refuse(&self, row: &Row, column: usize, what: &str) -> DataError {
        DataError::content(
            self.columns.file,
            format!("line {}, {}: {what}", row.line, self.columns.label(column)),
        )
    }

    fn finish(self, name: String) -> Result<Dataset, DataError> {
        let mut target_name = self.layout.target_name.clone();
        let target = match (self.layout.target, &self.layout.answers) {
            (Some(column), _) => {
                let label = self.columns.label(column);
                Some(self.target.finish(self.columns.file, &label)?)
            }
            (None, Some(path)) => {
                target_name = Some(crate::source::short_name(path));
                Some(answers::read(path, self.columns.file, self.count)?)
            }
            (None, None) => None,
        };
        Ok(Dataset {
            name,
            features: Features {
                rows: self.count,
                columns: self.layout.features.len(),
                values: self.values,
            },
            feature_names: self.layout.feature_names.clone(),
            target,
            target_name,
            image_shape: None,
        })
    }
}
