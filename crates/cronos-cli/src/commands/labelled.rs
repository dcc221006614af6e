//! Data with its truth: classes or numbers.

use crate::failure::Failure;
use crate::score::Score;
use cronos::{Grouping, Matrix, Model, Task};
use cronos_data::{Dataset, Target, TargetColumn};

/// What the rows should be.
pub enum Truth {
    /// Index of the class of each row.
    Classes(Vec<usize>),
    /// Rows x outputs.
    Numbers(Matrix<f64>),
}

impl Truth {
    /// The rows that `rows` names.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Classes(indices) => Self::Classes(rows.iter().map(|&i| indices[i]).collect()),
            Self::Numbers(y) => Self::Numbers(Matrix::from_fn(rows.len(), y.columns(), |i, c| {
                y.at(rows[i], c)
            })),
        }
    }

    /// The truth in a data set, in the terms of a task.
    pub fn of(data: &Dataset, task: &Task, grouping: Option<&Grouping>) -> Result<Self, Failure> {
        target_of(data)?;
        let Task::Classification { classes } = task else {
            return Self::numbers(data);
        };
        let known = grouping.map_or(classes, |grouping| &grouping.classes);
        let mut indices = data.labels_as(known).map_err(Failure::reading)?;
        if let Some(grouping) = grouping {
            indices = indices
                .into_iter()
                .map(|class| grouping.group[class])
                .collect();
        }
        Ok(Self::Classes(indices))
    }

    /// A numeric target.
    pub fn numbers(data: &Dataset) -> Result<Self, Failure> {
        let (columns, values) = data.numbers().map_err(Failure::reading)?;
        let rows = data.features.rows;
        Ok(Self::Numbers(Matrix::from_rows(rows, columns, values)?))
    }

    /// How well a model does on these rows.
    pub fn score(&self, model: &Model, x: &Matrix<f64>) -> Result<Score, Failure> {
        Ok(match self {
            Self::Classes(truth) => Score::of_classes(&model.classify(x)?, truth),
            Self::Numbers(truth) => {
                let predicted = model.decide(x)?;
                if truth.columns() != predicted.columns() {
                    return Err(Failure::Input(format!(
                        "the model predicts {} number(s) per row, the data has {}",
                        predicted.columns(),
                        truth.columns()
                    )));
                }
                Score::of_numbers(&predicted, truth)
            }
        })
    }
}

/// The target of a data set, or an input error.
pub fn target_of(data: &Dataset) -> Result<&Target, Failure> {
    data.target.as_ref().ok_or_else(|| {
        Failure::Input(format!(
            "{} has no target; name one with --target",
            data.name
        ))
    })
}

/// The target the user named, or the usual one.
pub fn target_column(named: Option<&String>) -> TargetColumn {
    named.map_or(TargetColumn::Auto, |name| TargetColumn::Named(name.clone()))
}
