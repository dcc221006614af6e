//! Arrays as npy, npz and IDX files hold them, and what becomes of them.

use crate::answers;
use crate::cell;
use crate::columns::Columns;
use crate::dataset::{Dataset, Features, Target};
use crate::error::{DataError, quoted};
use crate::options::{Missing, ReadOptions, TargetColumn};
use crate::source;

/// An array in C order.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Values,
}

/// The elements of an array.
#[derive(Debug)]
pub(crate) enum Values {
    Numbers(Vec<f64>),
    Text(Vec<String>),
}

/// The target that goes with an array of features.
pub(crate) enum Answer {
    /// In another array: its name and its content.
    Known(String, Target),
    /// To be found as the options say.
    Search,
    /// There is none.
    None,
}

impl Array {
    /// The product of all sizes but the first.
    fn row_length(&self) -> usize {
        self.shape.iter().skip(1).product()
    }

    /// Takes the array as a target.
    pub(crate) fn into_target(self, file: &str) -> Result<Target, DataError> {
        let columns = self.row_length();
        if self.shape.is_empty() || self.shape.len() > 2 {
            return Err(DataError::content(
                file,
                format!(
                    "a target must be a 1-D or 2-D array, this one is {}-D",
                    self.shape.len()
                ),
            ));
        }
        match self.values {
            Values::Text(texts) if columns == 1 => match texts.iter().position(String::is_empty) {
                Some(row) => Err(refuse_row(file, row, cell::MISSING_TARGET)),
                None => Ok(Target::Text(texts)),
            },
            Values::Text(_) => Err(DataError::content(
                file,
                format!("a target of text must have one column, this one has {columns}"),
            )),
            Values::Numbers(values) => match values.iter().position(|v| !v.is_finite()) {
                Some(place) if values[place].is_nan() => {
                    Err(refuse_row(file, place / columns, cell::MISSING_TARGET))
                }
                Some(place) => Err(refuse_row(
                    file,
                    place / columns,
                    "the target is infinite; it must be finite",
                )),
                None => Ok(Target::Numbers { columns, values }),
            },
        }
    }

    /// Takes the array as features.
    pub(crate) fn into_dataset(
        self,
        file: &str,
        name: String,
        answer: Answer,
        options: &ReadOptions,
    ) -> Result<Dataset, DataError> {
        if self.shape.len() < 2 {
            return Err(DataError::content(
                file,
                format!(
                    "a {}-D array does not tell rows from columns; features need a 2-D array, so \
                     reshape it to (rows, columns)",
                    self.shape.len()
                ),
            ));
        }
        let (rows, count) = (self.shape[0], self.row_length());
        let columns = Columns {
            file,
            count,
            names: None,
        };
        let is_image = self.shape.len() > 2;
        let search = match (&answer, &options.target) {
            // An image's last pixel is not a target.
            (Answer::Search, TargetColumn::Auto) if is_image => TargetColumn::Absent,
            (Answer::Search, target) => target.clone(),
            _ => TargetColumn::Absent,
        };
        let layout = columns.layout(&ReadOptions {
            target: search,
            ..options.clone()
        })?;
        let Values::Numbers(values) = self.values else {
            return Err(DataError::content(
                file,
                "it holds text; features must be numbers, so encode them as numbers",
            ));
        };
        let (target_name, target) = match (answer, layout.target, &layout.answers) {
            (Answer::Known(name, target), _, _) => (Some(name), Some(target)),
            (_, Some(column), _) => {
                let array = Array {
                    shape: vec![rows],
                    values: Values::Numbers(
                        values.iter().skip(column).step_by(count).copied().collect(),
                    ),
                };
                (None, Some(array.into_target(file)?))
            }
            (_, None, Some(path)) => (
                Some(source::short_name(path)),
                Some(answers::read(path, file, rows)?),
            ),
            (_, None, None) => (None, None),
        };
        let values = match layout.target {
            None => values,
            Some(_) => values
                .chunks_exact(count)
                .flat_map(|row| layout.features.iter().map(|&column| row[column]))
                .collect(),
        };
        check(file, &values, &layout.features, options.missing)?;
        let image_shape = match (&self.shape[..], layout.target) {
            (&[_, height, width], None) => Some((height, width, 1)),
            (&[_, height, width, channels], None) => Some((height, width, channels)),
            _ => None,
        };
        Ok(Dataset {
            name,
            features: Features {
                rows,
                columns: layout.features.len(),
                values,
            },
            feature_names: layout.feature_names,
            target,
            target_name,
            image_shape,
        })
    }
}

/// Refuses infinite values, and missing ones unless they are to be kept. `columns` are the
/// places the features have in the file.
fn check(file: &str, values: &[f64], columns: &[usize], missing: Missing) -> Result<(), DataError> {
    let bad = values
        .iter()
        .position(|v| !v.is_finite() && (missing == Missing::Refuse || v.is_infinite()));
    let Some(place) = bad else {
        return Ok(());
    };
    let (row, column) = (place / columns.len(), columns[place % columns.len()]);
    let what = if values[place].is_nan() {
        cell::MISSING.to_owned()
    } else {
        format!(
            "{} is infinite; use a finite number or NaN",
            quoted(&values[place].to_string())
        )
    };
    Err(DataError::content(
        file,
        format!("row {}, column {column} (counting from 0): {what}", row + 1),
    ))
}

fn refuse_row(file: &str, row: usize, what: &str) -> DataError {
    DataError::content(file, format!("row {}: {what}", row + 1))
}
