//! How much each row counts: weights read with the data, and weights of classes.

use crate::array::{Array, Elements};
use crate::cell::Cell;
use crate::error::{DataError, quoted};
use crate::labels;
use crate::names;
use crate::values::Values;

/// What a weight must be.
const REMEDY: &str = "a weight must be a finite number, 0 or more";

/// Reads the cell of a table; the error says what is wrong with it.
///
/// text: that of the cell
pub(crate) fn parse(cell: Cell, text: &str) -> Result<f64, String> {
    match cell {
        Cell::Number(value) if value >= 0.0 => Ok(value),
        Cell::Missing => Err("missing weight; fill it or drop the row".to_owned()),
        _ => Err(format!("{} is no weight; {REMEDY}", quoted(text))),
    }
}

/// Takes an array as weights.
pub(crate) fn of_array(array: Array, file: &str) -> Result<Vec<f64>, DataError> {
    let one_column = array.shape.iter().skip(1).all(|&length| length == 1);
    match array.values {
        Elements::Numbers(values) if one_column && !array.shape.is_empty() => {
            check(values, file, None)
        }
        Elements::Bytes(values) if one_column && !array.shape.is_empty() => {
            check(Values::Bytes(values).into_numbers(), file, None)
        }
        _ => Err(DataError::content(
            file,
            "weights must be a 1-D array of numbers, one for each row",
        )),
    }
}

/// Refuses a weight that is none. `column` is how a message speaks of their column.
pub(crate) fn check(
    values: Vec<f64>,
    file: &str,
    column: Option<&str>,
) -> Result<Vec<f64>, DataError> {
    let is_weight = |value: &f64| value.is_finite() && *value >= 0.0;
    if let Some(row) = values.iter().position(|value| !is_weight(value)) {
        let place = match column {
            Some(column) => format!("row {}, {column}", row + 1),
            None => format!("row {}", row + 1),
        };
        let value = values[row];
        let message = format!("{place}: {value} is no weight; {REMEDY}");
        return Err(DataError::content(file, message));
    }
    some_count(values, file, column)
}

/// Refuses weights that are all zero.
pub(crate) fn some_count(
    values: Vec<f64>,
    file: &str,
    column: Option<&str>,
) -> Result<Vec<f64>, DataError> {
    if values.iter().any(|&value| value > 0.0) {
        return Ok(values);
    }
    let place = column.map_or(String::new(), |column| format!("{column}: "));
    Err(DataError::content(
        file,
        format!("{place}every weight is 0, so no row counts; give some rows a weight above 0"),
    ))
}

/// How much the classes count.
#[derive(Debug, Clone, PartialEq)]
pub enum ClassWeights {
    /// All classes count alike, however many rows they have.
    Balanced,
    /// Weights of classes by name; every other class has weight 1.
    Given(Vec<(String, f64)>),
}

impl ClassWeights {
    /// Reads `balanced`, or lists of `NAME=WEIGHT` in the form of [`names::split`].
    ///
    /// # Errors
    /// When a list says something else, or a weight is not finite and above 0.
    pub fn parse(lists: &[String]) -> Result<ClassWeights, DataError> {
        if let [only] = lists
            && only.trim().eq_ignore_ascii_case("balanced")
        {
            return Ok(ClassWeights::Balanced);
        }
        let mut given = Vec::new();
        for list in lists {
            for item in names::split(list)? {
                let Some((name, weight)) = item.rsplit_once('=') else {
                    return Err(DataError::request(format!(
                        "{} does not say a class and its weight; write NAME=WEIGHT, or the word \
                         balanced alone",
                        quoted(&item)
                    )));
                };
                let parsed = weight.trim().parse().ok();
                let Some(weight) = parsed.filter(|w: &f64| w.is_finite() && *w > 0.0) else {
                    return Err(DataError::request(format!(
                        "the weight of class {} is {}; it must be a finite number above 0",
                        quoted(name.trim()),
                        quoted(weight.trim())
                    )));
                };
                given.push((name.trim().to_owned(), weight));
            }
        }
        Ok(ClassWeights::Given(given))
    }

    /// One weight per class. With `Balanced` it is the total of all rows, divided by the
    /// number of classes and by the total of the class; rows count by their weights if they
    /// have any.
    ///
    /// # Errors
    /// When a class is not there or named twice, or when nothing of a class counts.
    pub fn of(
        &self,
        classes: &[String],
        indices: &[usize],
        weights: Option<&[f64]>,
    ) -> Result<Vec<f64>, DataError> {
        match self {
            ClassWeights::Balanced => {
                let mut totals = vec![0.0; classes.len()];
                for (row, &class) in indices.iter().enumerate() {
                    totals[class] += weights.map_or(1.0, |weights| weights[row]);
                }
                if let Some(empty) = totals.iter().position(|&total| total <= 0.0) {
                    return Err(DataError::request(format!(
                        "no training row of class {} has a weight above 0, so the classes cannot \
                         be balanced; add such rows",
                        quoted(&classes[empty])
                    )));
                }
                let all: f64 = totals.iter().sum();
                let count = classes.len() as f64;
                Ok(totals.iter().map(|total| all / (count * total)).collect())
            }
            ClassWeights::Given(given) => {
                let mut factors = vec![None; classes.len()];
                for (name, weight) in given {
                    let class = labels::find(name, classes)?;
                    if factors[class].replace(*weight).is_some() {
                        return Err(DataError::request(format!(
                            "class {} is given a weight twice; name it once",
                            quoted(&classes[class])
                        )));
                    }
                }
                Ok(factors.iter().map(|weight| weight.unwrap_or(1.0)).collect())
            }
        }
    }
}

/// The weight of each row: its own times that of its class, where there are any.
///
/// # Errors
/// When no row counts, or when a product is too large.
pub fn product(
    own: Option<Vec<f64>>,
    classes: Option<(&[usize], &[f64])>,
) -> Result<Option<Vec<f64>>, DataError> {
    let product = match (own, classes) {
        (own, None) => own,
        (None, Some((indices, factors))) => Some(indices.iter().map(|&c| factors[c]).collect()),
        (Some(own), Some((indices, factors))) => {
            let rows = own.iter().zip(indices);
            Some(
                rows.map(|(weight, &class)| weight * factors[class])
                    .collect(),
            )
        }
    };
    if let Some(weights) = &product {
        let total: f64 = weights.iter().sum();
        if !total.is_finite() {
            return Err(DataError::request(
                "the weights add up to more than a number can hold; divide all of them by the \
                 same number",
            ));
        }
        if total <= 0.0 {
            return Err(DataError::request(
                "every training row has weight 0, so there is nothing to learn from; give some \
                 rows a weight above 0",
            ));
        }
    }
    Ok(product)
}
