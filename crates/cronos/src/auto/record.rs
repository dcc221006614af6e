//! What a search tells about itself.

use crate::certificate::Certificate;
use crate::loss::Loss;

/// A step of a β path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathPoint {
    /// Penalty on all training rows.
    pub beta: f64,
    /// Units, the mean over folds.
    pub neurons: f64,
    /// Accuracy or R² on the rows learned from, and on those left out.
    pub train_score: f64,
    /// See `train_score`.
    pub validation_score: f64,
    /// What was minimised over the path; lower is better.
    pub validation_loss: f64,
    /// Standard deviation of the validation score between folds.
    pub spread: f64,
}

/// One network of the average.
#[derive(Clone, Debug)]
pub struct Member {
    /// How it sees the features.
    pub features: &'static str,
    /// The loss it was trained with.
    pub loss: Loss,
    /// What its outputs are multiplied by to be log-odds; 1 for numbers.
    pub heat: f64,
    /// Its share of the average.
    pub weight: f64,
    /// Its penalty.
    pub beta: f64,
    /// Its units.
    pub neurons: usize,
    /// Columns it sees, the bias not counted.
    pub columns: usize,
    /// Accuracy or R² on held-out rows.
    pub validation_score: f64,
    /// How close it is to the best network with its gates.
    pub certificate: Certificate,
    /// The path its penalty was chosen from.
    pub path: Vec<PathPoint>,
    /// Objective and units after each step of the last training.
    pub rounds: Vec<RoundPoint>,
    /// The step that was chosen.
    pub chosen: usize,
}

/// A step of the last training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundPoint {
    /// Penalty of the step.
    pub beta: f64,
    /// Objective of the network at the chosen penalty.
    pub objective: f64,
    /// Units.
    pub neurons: usize,
}

/// What the automatic mode found and how.
#[derive(Clone, Debug)]
pub struct Search {
    /// The networks of the average, the heaviest first.
    pub members: Vec<Member>,
    /// Folds, or 1 for a single held-out part.
    pub folds: usize,
    /// Times the rows were dealt into folds.
    pub repeats: usize,
    /// Rows that took part.
    pub rows: usize,
    /// Of them those that the choice was made on, when not all were.
    pub sample: Option<usize>,
    /// Ways of seeing the features, and losses, that were tried.
    pub tried: Vec<(&'static str, Loss)>,
}
