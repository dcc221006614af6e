//! Rows to train on and rows to test on.

use super::{HOLDOUT, needs_classes};
use crate::arguments::Source;
use crate::commands::labelled::{Truth, WithTruth};
use crate::failure::Failure;
use crate::model_file;
use cronos::{Task, holdout};
use cronos_data::Features;
use cronos_data::weights::{self, ClassWeights};

/// Rows with all that belongs to them.
pub(super) struct Rows {
    pub features: Features,
    pub truth: Truth,
    pub weights: Option<Vec<f64>>,
}

impl Rows {
    /// The named rows, which are in ascending order.
    fn keep(self, rows: &[usize]) -> Self {
        let chosen = |all: Vec<f64>| rows.iter().map(|&row| all[row]).collect();
        Self {
            features: self.features.keep(rows),
            truth: self.truth.select(rows),
            weights: self.weights.map(chosen),
        }
    }

    /// The weights of the rows times those of their classes.
    pub fn weights(
        &self,
        task: &Task,
        class_weights: Option<&ClassWeights>,
    ) -> Result<Option<Vec<f64>>, Failure> {
        let own = self.weights.clone();
        let product = match (class_weights, &self.truth, task) {
            (None, ..) => weights::product(own, None),
            (Some(wanted), Truth::Classes(indices), Task::Classification { classes }) => wanted
                .of(classes, indices, own.as_deref())
                .and_then(|factors| weights::product(own, Some((indices, &factors)))),
            _ => return Err(needs_classes("--class-weight")),
        };
        product.map_err(Failure::reading)
    }
}

type Held = Option<WithTruth>;

/// Sets rows aside for the test.
pub(super) fn hold_out(source: &Source, all: Rows) -> Result<(Rows, Held), Failure> {
    let fraction = source.holdout.unwrap_or(HOLDOUT);
    if fraction == 0.0 {
        return Ok((all, None));
    }
    let strata = match &all.truth {
        Truth::Classes(indices) => Some(&indices[..]),
        Truth::Numbers(_) => None,
    };
    let (train, test) = holdout(all.features.rows, fraction, source.seed, strata)?;
    let truth = all.truth.select(&test);
    let x = model_file::table(all.features.select(&test))?;
    Ok((all.keep(&train), Some((x, truth))))
}
