//! What is kept of a measurement.

use super::method::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use xtask::stamp;

/// What a run of a method reached.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// Objective of the network, or of the convex program.
    pub objective: f64,
    /// Seconds it took.
    pub seconds: f64,
    /// Units of the network that are not negligible.
    pub neurons: usize,
    /// The objective by numpy, from the weights that cronos saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recomputed: Option<f64>,
    /// Steps of PyTorch at most; 0 for cronos.
    pub steps: usize,
    /// Whatever else is worth keeping; the report of cronos.
    #[serde(default)]
    pub details: Value,
    /// Versions of the software.
    #[serde(default)]
    pub versions: Map<String, Value>,
}

/// One line of a method's file: an outcome or an error, and where it came from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Name of the method.
    pub method: String,
    /// Seed of gates or of first weights.
    pub seed: u64,
    /// Why there is no outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The outcome, unless there is an error.
    #[serde(flatten)]
    pub outcome: Option<Outcome>,
    /// What it was made on.
    pub machine: String,
    /// When it was made.
    pub date: String,
    /// The commit it was made from.
    pub commit: String,
}

impl Record {
    /// The record of a measurement made now.
    pub fn new(method: Method, seed: u64, outcome: Result<Outcome, String>, commit: &str) -> Self {
        let (outcome, error) = match outcome {
            Ok(outcome) => (Some(outcome), None),
            Err(error) => (None, Some(error)),
        };
        Record {
            method: method.name().into(),
            seed,
            error,
            outcome,
            machine: stamp::machine(),
            date: stamp::now(),
            commit: commit.into(),
        }
    }
}

/// The file with the records of a method.
pub fn file(results: &Path, method: Method) -> PathBuf {
    results.join(format!("{}.jsonl", method.name()))
}

/// The seeds below `seeds` without an outcome of `steps` steps; errors are to be
/// tried again.
pub fn missing(records: &[Record], seeds: u64, steps: usize) -> Vec<u64> {
    let done = |seed: &u64| {
        records.iter().any(|record| {
            let outcome = record.outcome.as_ref();
            record.seed == *seed && outcome.is_some_and(|outcome| outcome.steps >= steps)
        })
    };
    (0..seeds).filter(|seed| !done(seed)).collect()
}
