//! Parquet files: flat columns of numbers, truth values and texts.

mod column;
mod footer;
mod pages;

use crate::cell::{Cell, Cells};
use crate::columns::Columns;
use crate::dataset::Dataset;
use crate::error::{DataError, listed};
use crate::header;
use crate::index;
use crate::options::ReadOptions;
use crate::source::short_name;
use crate::table::Rows;
use column::{Column, Value};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::borrow::Cow;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Values that are read at a time, of all columns together.
const TOGETHER: usize = 1 << 20;
/// Rows that are read at a time at most.
const MOST_ROWS: usize = 1 << 12;

/// How messages call a row.
pub(crate) const NOUN: &str = "row";

/// Reads a table of features and a target.
pub(crate) fn read(path: &str, options: &ReadOptions) -> Result<Dataset, DataError> {
    let mut file = Parquet::open(path)?;
    let names = file.names();
    let columns = Columns {
        file: path,
        count: names.len(),
        names: Some(&names),
        indices: index::named(&names),
    };
    let layout = columns.layout(options)?;
    let roles = [layout.target, layout.weight];
    let roles = layout
        .features
        .iter()
        .copied()
        .chain(roles.into_iter().flatten());
    file.read_only(&roles.collect::<Vec<usize>>());
    let mut rows = Rows::new(&columns, &layout, options, NOUN)?;
    while let Some(batch) = file.next()? {
        for row in batch.rows() {
            rows.push(&row)?;
        }
    }
    let mut dataset = rows.finish(short_name(path))?;
    dataset.remarks.extend(file.remark());
    Ok(dataset)
}

/// Bytes that the numbers of a file would take, if it can be told.
pub(crate) fn bytes_of_numbers(path: &str) -> Option<u64> {
    let file = Parquet::open(path).ok()?;
    let rows = file.reader.metadata().file_metadata().num_rows();
    let numbers = u64::try_from(rows)
        .ok()?
        .saturating_mul(file.columns.len() as u64);
    Some(numbers.saturating_mul(size_of::<f64>() as u64))
}

/// A file, read batch by batch.
pub(crate) struct Parquet<'a> {
    path: &'a str,
    reader: SerializedFileReader<File>,
    columns: Vec<Column>,
    names: Vec<String>,
    /// Columns that a data frame keeps its index in.
    index: Vec<String>,
    /// The group of rows that is read, and how many of it are left.
    group: usize,
    left: usize,
    /// Rows read before.
    before: u64,
}

/// Some rows, column by column.
pub(crate) struct Batch {
    columns: Vec<Vec<Value>>,
    before: u64,
}

/// One of them.
pub(crate) struct Row<'b> {
    batch: &'b Batch,
    at: usize,
}

impl<'a> Parquet<'a> {
    pub(crate) fn open(path: &'a str) -> Result<Self, DataError> {
        let failed = |error| DataError::io("read", path, error);
        let mut file = File::open(path).map_err(failed)?;
        footer::check(&mut file)
            .map_err(failed)?
            .map_err(|why| refused(path, why))?;
        let reader = guarded(path, || SerializedFileReader::new(file))?;
        let (mut columns, mut index) = (Vec::new(), Vec::new());
        let schema = reader.metadata().file_metadata().schema_descr();
        let mut leaf = 0;
        for field in schema.root_schema().get_fields() {
            let column = Column::of(field, schema, leaf);
            leaf += column::leaves(field);
            match column.name.starts_with("__index_level_") {
                true => index.push(column.name),
                false => columns.push(column),
            }
        }
        let names = header::names(path, None, columns.iter().map(|column| column.name.trim()))?;
        if columns.is_empty() || reader.metadata().file_metadata().num_rows() <= 0 {
            let message = "it has no rows; a table needs at least one column and one row";
            return Err(DataError::content(path, message));
        }
        Ok(Self {
            path,
            reader,
            columns,
            names,
            index,
            group: 0,
            left: 0,
            before: 0,
        })
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Leaves out the values of all other columns.
    pub(crate) fn read_only(&mut self, columns: &[usize]) {
        for column in &mut self.columns {
            column.used = false;
        }
        for &place in columns {
            self.columns[place].used = true;
        }
    }

    /// What a user should know of columns that were left out.
    fn remark(&self) -> Option<String> {
        (!self.index.is_empty()).then(|| {
            format!(
                "{}: {} is the index of a data frame and not used",
                self.path,
                listed(&self.index)
            )
        })
    }

    /// The next rows, if there are any.
    pub(crate) fn next(&mut self) -> Result<Option<Batch>, DataError> {
        while self.left == 0 {
            if self.group == self.reader.num_row_groups() {
                return self.end();
            }
            self.open_group()?;
        }
        let most = (TOGETHER / self.columns.len()).clamp(1, MOST_ROWS);
        let count = self.left.min(most);
        let columns = guarded(self.path, || {
            let columns = self.columns.iter_mut();
            columns.map(|column| column.read(count)).collect()
        })?;
        let before = self.before;
        self.left -= count;
        self.before += count as u64;
        Ok(Some(Batch { columns, before }))
    }

    /// Behind the last group there should be no rows that were told of.
    fn end(&self) -> Result<Option<Batch>, DataError> {
        let told = self.reader.metadata().file_metadata().num_rows();
        match u64::try_from(told) == Ok(self.before) {
            true => Ok(None),
            false => {
                let why = format!("{} rows where {told} are expected", self.before);
                Err(refused(self.path, &why))
            }
        }
    }

    fn open_group(&mut self) -> Result<(), DataError> {
        let (reader, number, before) = (&self.reader, self.group, self.before);
        let told = reader.metadata().file_metadata().num_rows();
        let columns = &mut self.columns;
        self.left = guarded(self.path, || {
            let group = reader.get_row_group(number)?;
            let rows = group.metadata().num_rows();
            let fits = |rows: &usize| before.saturating_add(*rows as u64) <= told.unsigned_abs();
            let rows = usize::try_from(rows).ok().filter(fits).ok_or_else(|| {
                ParquetError::General(format!("a group of {rows} rows, {told} are expected"))
            })?;
            for column in columns {
                column.open(&*group, rows)?;
            }
            Ok(rows)
        })?;
        self.group += 1;
        Ok(())
    }
}

impl Batch {
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let count = self.columns.first().map_or(0, Vec::len);
        (0..count).map(move |at| Row { batch: self, at })
    }
}

impl Row<'_> {
    fn value(&self, column: usize) -> &Value {
        &self.batch.columns[column][self.at]
    }
}

impl Cells for Row<'_> {
    fn place(&self) -> u64 {
        self.batch.before + self.at as u64 + 1
    }

    fn count(&self) -> usize {
        self.batch.columns.len()
    }

    fn text(&self, column: usize) -> Cow<'_, str> {
        self.value(column).text()
    }

    fn feature(&self, column: usize) -> Cell {
        self.value(column).feature()
    }

    fn other(&self, column: usize) -> Option<&'static str> {
        match self.value(column) {
            Value::Other(what) => Some(what),
            _ => None,
        }
    }
}

/// What the reader of the format makes of a file that may be damaged, or made to do harm.
fn guarded<R>(path: &str, read: impl FnOnce() -> Result<R, ParquetError>) -> Result<R, DataError> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(ParquetError::External(error))) => match error.downcast::<std::io::Error>() {
            Ok(error) => Err(DataError::reading(path, *error)),
            Err(error) => Err(refused(path, &error.to_string())),
        },
        Ok(Err(error)) => Err(refused(path, &error.to_string())),
        Err(_) => Err(refused(path, "its parts contradict each other")),
    }
}

fn refused(path: &str, why: &str) -> DataError {
    let why = why.trim_start_matches("Parquet error: ").escape_debug();
    let message = format!("it cannot be read as Parquet ({why}); write the file again");
    DataError::content(path, message)
}
