//! How a network came to be.

use serde::{Deserialize, Serialize};

/// Several classes of the data taken as one class of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grouping {
    /// The classes of the data.
    pub classes: Vec<String>,
    /// For each of them, the index of the model's class.
    pub group: Vec<usize>,
}

/// The images a network was trained on: every other image is brought to this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Images {
    /// Rows of pixels.
    pub height: usize,
    /// Columns of pixels.
    pub width: usize,
    /// Values of a pixel.
    pub channels: usize,
    /// How an image of another size is brought to this one: `pad` or `resize`.
    pub fit: String,
}

/// How texts become the features of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextInput {
    /// By a transformer that others have trained.
    Encoder {
        /// Its folder or file.
        path: String,
        /// Tells it from others.
        fingerprint: String,
        /// What stands for a text.
        pool: String,
        /// Tokens of a text at most.
        max_length: usize,
    },
    /// By counting words; the names of the features are the terms.
    Words {
        /// Words in a term, at least and at most.
        ngrams: (usize, usize),
        /// Whether texts are brought to lower case.
        lowercase: bool,
        /// Whether a term that occurs `tf` times counts as `1 + ln tf`.
        sublinear: bool,
        /// What each term weighs.
        idf: Vec<f64>,
    },
}

/// How the layers in front of a network were trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deep {
    /// The name of the architecture.
    pub architecture: String,
    /// Passes over the training rows.
    pub epochs: usize,
    /// The name of the method that changed the weights of the layers.
    pub optimizer: String,
    /// How often the layers and the network behind them were trained in turn.
    pub alternations: usize,
}

/// How the network came to be; stored with it.
///
/// The serialised form leaves out the means and scales, which the model file
/// keeps as tensors. A number that is not finite is written as a string.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// The seed of the random numbers.
    pub seed: u64,
    /// Tells one training table from another.
    pub data_fingerprint: String,
    /// Columns of the training table that were left out of the features: an
    /// index, and those dropped on request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Number of training rows.
    pub rows: usize,
    /// How the solver ended.
    pub status: String,
    /// Iterations of the solver.
    pub iterations: usize,
    /// The name of the solver.
    pub solver: String,
    /// The name of the loss.
    pub loss: String,
    /// Whether the outputs of a classifier are log-odds.
    #[serde(default)]
    pub log_odds: bool,
    /// The name of the activation.
    pub activation: String,
    /// The precision of the solver's numbers.
    pub precision: String,
    /// Penalty on the norms of the groups.
    #[serde(with = "number")]
    pub beta: f64,
    /// Number of distinct gates.
    pub gates: usize,
    /// The classes of the data, when they were grouped into those of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grouping: Option<Grouping>,
    /// The images of the data, if its rows are images of one byte for each value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<Images>,
    /// How texts become features, if the rows are texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<TextInput>,
    /// How the layers in front of the network were trained, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deep: Option<Deep>,
    /// Whether there was a column of ones.
    pub bias: bool,
    /// Subtracted from each feature before training.
    #[serde(skip)]
    pub feature_mean: Vec<f64>,
    /// Divided each feature before training.
    #[serde(skip)]
    pub feature_scale: Vec<f64>,
    /// Subtracted from each target before training.
    #[serde(skip)]
    pub target_mean: Vec<f64>,
    /// Divided each target before training.
    #[serde(skip)]
    pub target_scale: Vec<f64>,
    /// The objective of the convex program.
    #[serde(with = "number")]
    pub objective: f64,
    /// No feasible point of the convex program has a lower objective than this.
    #[serde(with = "number")]
    pub lower_bound: f64,
    /// The relative distance between the two.
    #[serde(with = "number")]
    pub gap: f64,
    /// The largest relative violation of a gate.
    #[serde(with = "number")]
    pub violation: f64,
    /// The objective of the recovered network itself, which is not convex.
    #[serde(with = "number")]
    pub network_objective: f64,
    /// Accuracy or R² on the training rows.
    #[serde(with = "optional")]
    pub train_score: Option<f64>,
    /// Accuracy or R² on the test rows.
    #[serde(with = "optional")]
    pub test_score: Option<f64>,
}

/// A number as JSON can hold it: JSON has no infinity and no NaN.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Finite(f64),
    Text(String),
}

impl Number {
    fn of(value: f64) -> Self {
        if value.is_finite() {
            Self::Finite(value)
        } else {
            Self::Text(value.to_string())
        }
    }

    fn value<E: serde::de::Error>(self) -> Result<f64, E> {
        match self {
            Self::Finite(value) => Ok(value),
            Self::Text(text) => text.parse().map_err(E::custom),
        }
    }
}

mod number {
    use super::Number;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        Number::of(*value).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Number::deserialize(deserializer)?.value()
    }
}

mod optional {
    use super::Number;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(Number::of).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        Option::<Number>::deserialize(deserializer)?
            .map(Number::value)
            .transpose()
    }
}
