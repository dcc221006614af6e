//! Filling in missing values.

use crate::dataset::Features;
use crate::error::{DataError, quoted};
use crate::values::Values;

/// What stands in for a missing value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imputation {
    /// The mean of the column's values.
    Mean,
    /// The median of the column's values.
    Median,
}

/// One value per column to stand in for missing ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Imputer {
    /// The values, in the order of the columns.
    pub values: Vec<f64>,
}

impl Imputer {
    /// Learns the values from the features that are there; NaN counts as missing. `names`
    /// are those of the columns, for the error.
    ///
    /// # Errors
    /// When a column has no value at all.
    pub fn fit(
        features: &Features,
        names: &[String],
        imputation: Imputation,
    ) -> Result<Imputer, DataError> {
        let mut values = Vec::with_capacity(features.columns);
        for column in 0..features.columns {
            let present: Vec<f64> = (0..features.rows)
                .map(|row| features.at(row, column))
                .filter(|value| !value.is_nan())
                .collect();
            if present.is_empty() {
                let name = match names.get(column) {
                    Some(name) => quoted(name),
                    None => format!("{column} (counting from 0)"),
                };
                return Err(DataError::request(format!(
                    "column {name} has no value in any training row, so none can be imputed; leave \
                     the column out with --drop"
                )));
            }
            values.push(match imputation {
                Imputation::Mean => mean(&present),
                Imputation::Median => median(present),
            });
        }
        Ok(Imputer { values })
    }

    /// Replaces every NaN by its column's value. Columns beyond those learnt stay as they are.
    pub fn apply(&self, features: &mut Features) {
        let Values::Numbers(values) = &mut features.values else {
            return;
        };
        for row in values.chunks_exact_mut(features.columns.max(1)) {
            for (value, filling) in row.iter_mut().zip(&self.values) {
                if value.is_nan() {
                    *value = *filling;
                }
            }
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let sum: f64 = values.iter().sum();
    if sum.is_finite() {
        sum / count
    } else {
        // Values near the largest number overflow a sum, but not their mean.
        values.iter().map(|value| value / count).sum()
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        values[middle - 1].midpoint(values[middle])
    }
}
