//! Targets: a table's target column, and files that hold nothing but a target.

use crate::array::Array;
use crate::cell::{self, Cell};
use crate::dataset::Target;
use crate::error::{DataError, counted, quoted};
use crate::origin::Places;
use crate::source::{self, Format};
use crate::{idx, npy, npz, weights};

/// A target column while it is read: numbers as long as every cell is one, and the text in
/// case a later cell is not.
#[derive(Debug)]
pub(crate) struct TargetCells {
    text: String,
    ends: Vec<usize>,
    numbers: Vec<f64>,
    all_numbers: bool,
    infinite: Option<(usize, String)>,
}

impl Default for TargetCells {
    fn default() -> Self {
        TargetCells {
            text: String::new(),
            ends: Vec::new(),
            numbers: Vec::new(),
            all_numbers: true,
            infinite: None,
        }
    }
}

impl TargetCells {
    /// Adds a cell; the error says what is wrong with it.
    pub(crate) fn push(&mut self, text: &str) -> Result<(), &'static str> {
        match cell::parse(text) {
            Cell::Missing => return Err(cell::MISSING_TARGET),
            Cell::Number(value) => self.numbers.push(value),
            // Whether this is a number out of range or a class called "inf" is known only at
            // the end.
            Cell::Infinite => {
                self.numbers.push(f64::INFINITY);
                self.infinite
                    .get_or_insert((self.ends.len(), text.to_owned()));
            }
            Cell::Text => self.all_numbers = false,
        }
        if !self.all_numbers {
            self.numbers = Vec::new();
        }
        self.text.push_str(text);
        self.ends.push(self.text.len());
        Ok(())
    }

    /// places: those of the rows
    pub(crate) fn finish(
        self,
        file: &str,
        column: &str,
        places: &Places,
    ) -> Result<Target, DataError> {
        if !self.all_numbers {
            let mut start = 0;
            let texts = self.ends.iter().map(|&end| {
                let text = self.text[start..end].to_owned();
                start = end;
                text
            });
            return Ok(Target::Text(texts.collect()));
        }
        if let Some((row, text)) = self.infinite {
            return Err(DataError::content(
                file,
                format!(
                    "{}, {column}: {} is infinite or too large; the target must be finite",
                    places.name(row),
                    quoted(&text)
                ),
            ));
        }
        Ok(Target::Numbers {
            columns: 1,
            values: self.numbers,
        })
    }
}

/// Reads the target of `rows` rows of `features_file` from a file of its own.
pub(crate) fn read(path: &str, features_file: &str, rows: usize) -> Result<Target, DataError> {
    let target = open(path, "target")?.into_target(path)?;
    check_rows(target.len(), "the target", path, features_file, rows)?;
    Ok(target)
}

/// Reads the weights of `rows` rows of `features_file` from a file of their own.
pub(crate) fn read_weights(
    path: &str,
    features_file: &str,
    rows: usize,
) -> Result<Vec<f64>, DataError> {
    let weights = weights::of_array(open(path, "weight")?, path)?;
    check_rows(
        weights.len(),
        "the array of weights",
        path,
        features_file,
        rows,
    )?;
    Ok(weights)
}

fn open(path: &str, role: &str) -> Result<Array, DataError> {
    let array = match source::format(path) {
        Some(Format::Npy) => npy::open(path)?,
        Some(Format::Npz) => npz::open_target(path)?,
        Some(Format::Idx) => idx::open(path)?,
        _ => {
            let what = format!("a {role} file must be .npy, .npz or IDX");
            return Err(DataError::content(path, what));
        }
    };
    Ok(array)
}

/// Refuses a target or weights that do not have one entry per row.
pub(crate) fn check_rows(
    length: usize,
    what: &str,
    file: &str,
    features_file: &str,
    rows: usize,
) -> Result<(), DataError> {
    if length == rows {
        return Ok(());
    }
    Err(DataError::content(
        file,
        format!(
            "{what} has {} but the features in {features_file} have {rows}; they must be equal",
            counted(length, "row")
        ),
    ))
}
