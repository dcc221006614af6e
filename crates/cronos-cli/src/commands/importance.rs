//! How much each feature matters to a model.

use super::labelled::Truth;
use crate::failure::Failure;
use crate::report::{Importance, Permutation};
use cronos::importance::{Shuffles, group_norms, is_read, shuffled};
use cronos::{Model, Table};
use serde_json::{Value, json};

/// Features from which on shuffling one of them says nothing, as one pixel of a photograph.
pub const MOST_SHUFFLED: usize = 20_000;

/// How much the features matter.
pub struct Measured {
    /// In the order of the model.
    pub features: Vec<Importance>,
    /// Names of those that nothing in the network depends on.
    pub unused: Vec<String>,
    /// Where shuffling was measured, if it was.
    pub rows: Option<Rows>,
}

/// The rows on which features were shuffled.
pub struct Rows {
    /// What they are, such as `test rows`.
    pub of: String,
    pub count: usize,
    /// How often each feature was shuffled.
    pub repeats: usize,
    /// Accuracy or R² on them.
    pub score: f64,
}

impl Measured {
    /// By the weights alone. Behind other layers they do not read the features, and say nothing.
    pub fn by_weights(model: &Model) -> Self {
        let names = &model.feature_names;
        let shares = group_norms(model).unwrap_or_else(|| vec![f64::NAN; names.len()]);
        let feature = |(name, group_norm): (&String, f64)| Importance {
            feature: name.clone(),
            group_norm,
            permutation: None,
        };
        let unused = names.iter().zip(is_read(model));
        Self {
            features: names.iter().zip(shares).map(feature).collect(),
            unused: unused
                .filter(|(_, read)| !read)
                .map(|(name, _)| name.clone())
                .collect(),
            rows: None,
        }
    }

    /// By the weights and, unless there are too many features, by shuffling on rows that are `of` something, such as `test rows`.
    pub fn by_shuffling(
        model: &Model,
        x: &dyn Table,
        truth: &Truth,
        of: &str,
    ) -> Result<Self, Failure> {
        let shuffles = Shuffles {
            seed: model.training.seed,
            ..Shuffles::default()
        };
        if x.columns() > MOST_SHUFFLED {
            return Ok(Self::by_weights(model));
        }
        // a truth that does not fit is refused here, so that it need not be below
        truth.score(model, x)?;
        let found = shuffled(model, &x.to_matrix(), &shuffles, |rows, outputs| {
            let score = truth.select(rows).score_of(outputs);
            score.map_or(f64::NAN, |score| score.value())
        })?;
        let mut measured = Self::by_weights(model);
        for (feature, cost) in measured.features.iter_mut().zip(found.costs) {
            feature.permutation = cost.map(|cost| Permutation {
                mean: cost.mean,
                spread: cost.spread,
            });
        }
        measured.rows = Some(Rows {
            of: of.into(),
            count: found.rows.len(),
            repeats: shuffles.repeats,
            score: found.score,
        });
        Ok(measured)
    }

    /// Whether the weights say something.
    pub fn has_weights(&self) -> bool {
        self.features.iter().all(|f| f.group_norm.is_finite())
    }

    /// Every feature, in the order of the model.
    pub fn json(&self) -> Value {
        let feature = |feature: &Importance| {
            json!({
                "feature": feature.feature,
                "group_norm": feature.group_norm,
                "permutation": feature.permutation.map(|Permutation { mean, spread }| {
                    json!({ "mean": mean, "spread": spread })
                }),
            })
        };
        self.features.iter().map(feature).collect()
    }

    /// Where shuffling was measured; `null` if it was not.
    pub fn rows_json(&self) -> Value {
        self.rows.as_ref().map_or(Value::Null, |rows| {
            json!({
                "of": rows.of,
                "rows": rows.count,
                "repeats": rows.repeats,
                "score": rows.score,
            })
        })
    }
}
