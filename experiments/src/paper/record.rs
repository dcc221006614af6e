//! What is kept of a measurement.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use xtask::stamp;

/// One line of an experiment's file: what came out or an error, and where it came from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// What was measured, unique within the experiment.
    pub key: String,
    /// Seed of rows, rates and first weights.
    pub seed: u64,
    /// Why there is no outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The outcome, unless there is an error.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub outcome: Value,
    /// The command, where there is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Version of cronos.
    pub version: String,
    /// What it was made on.
    pub machine: String,
    /// When it was made.
    pub date: String,
    /// The commit it was made from.
    pub commit: String,
}

impl Record {
    /// The record of a measurement made now.
    pub fn new(
        key: &str,
        seed: u64,
        command: &str,
        made: &Made,
        outcome: Result<Value, String>,
    ) -> Self {
        let (outcome, error) = match outcome {
            Ok(outcome) => (outcome, None),
            Err(error) => (Value::Null, Some(error)),
        };
        Record {
            key: key.into(),
            seed,
            error,
            outcome,
            command: command.into(),
            version: made.version.clone(),
            machine: stamp::machine(),
            date: stamp::now(),
            commit: made.commit.clone(),
        }
    }

    /// A number of the outcome.
    pub fn number(&self, path: &str) -> Result<f64, String> {
        number(&self.outcome, path)
    }
}

/// What made the measurements.
pub struct Made {
    /// The cronos program.
    pub program: PathBuf,
    pub version: String,
    pub commit: String,
}

/// A number in a JSON value.
pub fn number(value: &Value, path: &str) -> Result<f64, String> {
    let found = value.pointer(path).and_then(Value::as_f64);
    found.ok_or_else(|| format!("a measurement has no number {path}"))
}

/// The file with the records of an experiment.
pub fn file(results: &Path, experiment: &str) -> PathBuf {
    results.join(format!("{experiment}.jsonl"))
}

/// The measurements that succeeded, the last of each key and seed.
pub fn latest(records: &[Record]) -> Vec<&Record> {
    let mut kept: Vec<&Record> = Vec::new();
    for record in records.iter().filter(|record| record.error.is_none()) {
        kept.retain(|other| (&other.key, other.seed) != (&record.key, record.seed));
        kept.push(record);
    }
    kept
}
