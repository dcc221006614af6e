//! Sparse text as LIBSVM and SVMlight write it: a label, then `index:value` for every value
//! that is not zero, the indices counted from 1.

use std::io::{BufRead, Read};

use crate::array::{Answer, Array, Elements};
use crate::cell::{self, Cell};
use crate::columns::given_number;
use crate::dataset::{Dataset, Target};
use crate::error::{DataError, quoted};
use crate::options::{Missing, ReadOptions};
use crate::origin::{Origin, Places};
use crate::{source, stream};

/// A longer line is taken for a mistake, or for an attempt to fill the memory.
const LONGEST_LINE: u64 = 256 << 20;
/// So many values a full table may have in any case, zeros included.
const SMALL: usize = 1 << 24;
/// A larger one may have so many for each value in the file.
const MOST_ZEROS: usize = 1000;

/// Reads a file; the table is full in memory.
pub(crate) fn read(path: &str, options: &ReadOptions) -> Result<Dataset, DataError> {
    let mut rows = Sparse {
        file: path,
        missing: options.missing,
        entries: Vec::new(),
        ends: Vec::new(),
        labels: Vec::new(),
        places: Places::lines(),
        widest: (0, 0),
    };
    let mut stream = stream::open(path)?;
    let mut bytes = Vec::new();
    for line in 1u64.. {
        bytes.clear();
        let length = stream
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)
            .map_err(|e| DataError::reading(path, e))?;
        if length == 0 {
            break;
        }
        if length as u64 == LONGEST_LINE {
            return Err(rows.refuse(line, "it is longer than 256 MiB; check the line ends"));
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return Err(rows.refuse(line, "not UTF-8 text; save the file as UTF-8"));
        };
        rows.push(text, line)?;
    }
    rows.into_dataset(options)
}

/// The rows read so far.
struct Sparse<'a> {
    file: &'a str,
    missing: Missing,
    /// Column and value, row after row.
    entries: Vec<(usize, f64)>,
    ends: Vec<usize>,
    labels: Vec<f64>,
    places: Places,
    /// The largest index, and its line.
    widest: (usize, u64),
}

impl Sparse<'_> {
    fn push(&mut self, text: &str, line: u64) -> Result<(), DataError> {
        let text = text.trim_start_matches('\u{feff}');
        let mut words = text
            .split('#')
            .next()
            .unwrap_or_default()
            .split_whitespace();
        let Some(label) = words.next() else {
            return Ok(());
        };
        let Cell::Number(value) = cell::parse(label) else {
            return Err(self.refuse(
                line,
                &format!(
                    "{} is not a label; a row starts with one finite number",
                    quoted(label)
                ),
            ));
        };
        let mut last = 0;
        for word in words {
            let (index, value) = self.entry(word, line)?;
            if index <= last {
                let what = format!(
                    "index {index} comes after {last}; the indices of a row must go up, each once"
                );
                return Err(self.refuse(line, &what));
            }
            last = index;
            self.entries.push((index - 1, value));
        }
        if last > self.widest.0 {
            self.widest = (last, line);
        }
        self.labels.push(value);
        self.ends.push(self.entries.len());
        self.places.push(line);
        Ok(())
    }

    /// The index, counted from 1, and the value of `index:value`.
    fn entry(&self, word: &str, line: u64) -> Result<(usize, f64), DataError> {
        let Some((index, text)) = word.split_once(':') else {
            let what = format!("{} is not of the form index:value", quoted(word));
            return Err(self.refuse(line, &what));
        };
        if index == "qid" {
            let what = "qid groups rows for ranking, which is not supported; remove it";
            return Err(self.refuse(line, what));
        }
        let index = match index.parse::<u32>() {
            Ok(0) => {
                let what = "index 0, but indices count from 1; add one to all of them \
                            (scikit-learn: dump_svmlight_file with zero_based=False)";
                return Err(self.refuse(line, what));
            }
            Ok(index) => index as usize,
            Err(_) => {
                let what = format!(
                    "{} is not an index; it must be a whole number from 1 to {}",
                    quoted(index),
                    u32::MAX
                );
                return Err(self.refuse(line, &what));
            }
        };
        match cell::parse(text) {
            Cell::Number(value) => Ok((index, value)),
            Cell::Missing if self.missing == Missing::Keep => Ok((index, f64::NAN)),
            Cell::Missing => Err(self.refuse(line, &format!("index {index}: {}", cell::MISSING))),
            _ => Err(self.refuse(
                line,
                &format!("index {index}: {} is not a finite number", quoted(text)),
            )),
        }
    }

    /// How many columns the full table has. Rows need not reach the last feature of a model.
    fn width(&self, options: &ReadOptions) -> Result<usize, DataError> {
        let (widest, line) = self.widest;
        let Some(expected) = options.expected_features else {
            return match widest {
                0 => Err(DataError::content(
                    self.file,
                    "it has no feature in any row",
                )),
                widest => Ok(widest),
            };
        };
        // A model may have left out columns of such a file.
        let last = expected.last().and_then(|name| given_number(name));
        let width = last.map_or(expected.len(), |last| expected.len().max(last + 1));
        if widest > width {
            let what = format!(
                "index {widest} is beyond the {width} features of the model; remove it, or train \
                 with rows that have it"
            );
            return Err(self.refuse(line, &what));
        }
        Ok(width)
    }

    fn into_dataset(self, options: &ReadOptions) -> Result<Dataset, DataError> {
        let (file, rows) = (self.file, self.labels.len());
        if rows == 0 {
            let what = "it is empty; at least one row is needed";
            return Err(DataError::content(file, what));
        }
        let width = self.width(options)?;
        let values = self.full(width)?;
        let answer = Answer::label(&options.target, || {
            let target = Target::Numbers {
                columns: 1,
                values: self.labels,
            };
            let origin = Origin {
                file: file.to_owned(),
                column: None,
                places: self.places,
            };
            Ok((target, origin))
        })?;
        let array = Array {
            shape: vec![rows, width],
            values: Elements::Numbers(values),
        };
        array.into_dataset(file, source::short_name(file), answer, None, options)
    }

    /// All values, the zeros too, if they are not too many.
    fn full(&self, width: usize) -> Result<Vec<f64>, DataError> {
        let rows = self.labels.len();
        let allowed = SMALL.max(self.entries.len().saturating_mul(MOST_ZEROS));
        let count = rows.checked_mul(width).filter(|&count| count <= allowed);
        let mut values = Vec::new();
        let count = count.filter(|&count| values.try_reserve_exact(count).is_ok());
        let Some(count) = count else {
            return Err(DataError::content(
                self.file,
                format!(
                    "as a full table it would have {rows} rows of {width} values, too many for the \
                     {} that are not zero; renumber or select features (index {} is on line {})",
                    self.entries.len(),
                    self.widest.0,
                    self.widest.1
                ),
            ));
        };
        values.resize(count, 0.0);
        let mut start = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            for &(column, value) in &self.entries[start..end] {
                values[row * width + column] = value;
            }
            start = end;
        }
        Ok(values)
    }

    fn refuse(&self, line: u64, what: &str) -> DataError {
        DataError::content(self.file, format!("line {line}: {what}"))
    }
}
