//! Arrays as npy, npz and IDX files hold them, and what becomes of them.

use crate::answers;
use crate::cell;
use crate::columns::Columns;
use crate::dataset::{Dataset, Features, Target};
use crate::error::{DataError, quoted};
use crate::options::{Missing, ReadOptions, TargetColumn, WeightColumn};
use crate::origin::Origin;
use crate::source;
use crate::stored::Stored;
use crate::values::Values;
use crate::weights;

/// An array in C order.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Elements,
}

/// The elements of an array.
#[derive(Debug)]
pub(crate) enum Elements {
    Numbers(Vec<f64>),
    Bytes(Vec<u8>),
    Text(Vec<String>),
    /// Features that stay in their file.
    Stored(Stored),
}

/// The name of labels that have none.
pub(crate) const LABEL: &str = "label";

/// The target that goes with an array of features.
pub(crate) enum Answer {
    /// In another array: its name, its content and where it comes from.
    Known(String, Target, Origin),
    /// To be found as the options say.
    Search,
    /// There is none.
    None,
}

impl Answer {
    /// What a format with labels of its own gives: they are the target unless another or
    /// none is asked for.
    pub(crate) fn label(
        wanted: &TargetColumn,
        labels: impl FnOnce() -> Result<(Target, Origin), DataError>,
    ) -> Result<Answer, DataError> {
        match wanted {
            TargetColumn::Absent => Ok(Answer::None),
            TargetColumn::Named(name) if name != LABEL => Ok(Answer::Search),
            _ => labels().map(|(target, origin)| Answer::Known(LABEL.to_owned(), target, origin)),
        }
    }
}

/// Weights that go with an array of features, in another array, with its name.
pub(crate) type NamedWeights = (String, Vec<f64>);

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
            Elements::Text(texts) if columns == 1 => {
                match texts.iter().position(String::is_empty) {
                    Some(row) => Err(refuse_row(file, row, cell::MISSING_TARGET)),
                    None => Ok(Target::Text(texts)),
                }
            }
            Elements::Text(_) => Err(DataError::content(
                file,
                format!("a target of text must have one column, this one has {columns}"),
            )),
            Elements::Stored(values) => {
                let values = Values::Stored(values).into_numbers();
                let values = Elements::Numbers(values);
                Array { values, ..self }.into_target(file)
            }
            Elements::Bytes(values) => Ok(Target::Numbers {
                columns,
                values: Values::Bytes(values).into_numbers(),
            }),
            Elements::Numbers(values) => match values.iter().position(|v| !v.is_finite()) {
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
        weights: Option<NamedWeights>,
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
        let columns = Columns::unnamed(file, count);
        let is_image = self.shape.len() > 2;
        let search = match (&answer, &options.target) {
            // An image's last pixel is not a target.
            (Answer::Search, TargetColumn::Auto) if is_image => TargetColumn::Absent,
            (Answer::Search, target) => target.clone(),
            _ => TargetColumn::Absent,
        };
        let layout = columns.layout(&ReadOptions {
            target: search,
            weight: match weights {
                Some(_) => WeightColumn::Absent,
                None => options.weight.clone(),
            },
            ..options.clone()
        })?;
        let values = match self.values {
            Elements::Numbers(values) => Values::Numbers(values),
            Elements::Bytes(values) => Values::Bytes(values),
            Elements::Stored(values) => Values::Stored(values),
            Elements::Text(_) => {
                return Err(DataError::content(
                    file,
                    "it holds text; features must be numbers, so encode them as numbers",
                ));
            }
        };
        let column_values = |column: usize| -> Result<Vec<f64>, DataError> {
            if let Values::Stored(values) = &values {
                return values.column(column);
            }
            let places = (column..values.len()).step_by(count);
            Ok(places.map(|place| values.at(place)).collect())
        };
        let (target_name, found) = match (answer, layout.target, &layout.answers) {
            (Answer::Known(name, target, origin), _, _) => (Some(name), Some((target, origin))),
            (_, Some(column), _) => {
                let array = Array {
                    shape: vec![rows],
                    values: Elements::Numbers(column_values(column)?),
                };
                let origin = Origin {
                    column: Some(columns.label(column)),
                    ..Origin::array(file, rows)
                };
                (None, Some((array.into_target(file)?, origin)))
            }
            (_, None, Some(path)) => {
                let target = answers::read(path, file, rows)?;
                let origin = Origin::array(path, rows);
                (Some(source::short_name(path)), Some((target, origin)))
            }
            (_, None, None) => (None, None),
        };
        let (target, origin) = found.unzip();
        let (weight_name, weights) = match (weights, layout.weight, &layout.weight_file) {
            (Some((name, weights)), _, _) => (Some(name), Some(weights)),
            (None, Some(column), _) => {
                let label = columns.label(column);
                let weights = weights::check(column_values(column)?, file, Some(&label))?;
                (None, Some(weights))
            }
            (None, None, Some(path)) => (None, Some(answers::read_weights(path, file, rows)?)),
            (None, None, None) => (None, None),
        };
        let whole = layout.features.iter().copied().eq(0..count);
        let values = if whole {
            values
        } else {
            values.columns(count, &layout.features)
        };
        if let Values::Numbers(values) = &values {
            check(file, values, &layout.features, options.missing)?;
        }
        let image_shape = match self.shape[..] {
            [_, height, width] if whole => Some((height, width, 1)),
            [_, height, width, channels] if whole => Some((height, width, channels)),
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
            origin,
            weights,
            weight_name,
            counting: Vec::new(),
            dropped: layout.dropped,
            image_shape,
            image_fit: None,
            files: Vec::new(),
            remarks: Vec::new(),
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
