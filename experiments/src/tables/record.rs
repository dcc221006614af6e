//! What is kept of a measurement.

use super::learner::{Learner, Outcome};
use super::split::Split;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use xtask::stamp;

/// One line of a learner's file: an outcome or an error, and where it came from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Name of the table.
    pub table: String,
    /// Seed of the split and of the learner.
    pub seed: u64,
    /// Name of the learner.
    pub learner: String,
    /// Why there is no outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The outcome, unless there is an error.
    #[serde(flatten)]
    pub outcome: Option<Outcome>,
    /// The rows; missing if they could not be split.
    pub rows: Option<Split>,
    /// When it was made.
    pub date: String,
    /// The commit it was made from.
    pub commit: String,
}

impl Record {
    /// The record of a measurement made now.
    pub fn new(
        table: &str,
        seed: u64,
        learner: Learner,
        rows: Option<Split>,
        outcome: Result<Outcome, String>,
        commit: &str,
    ) -> Self {
        let (outcome, error) = match outcome {
            Ok(outcome) => (Some(outcome), None),
            Err(error) => (None, Some(error)),
        };
        Record {
            table: table.into(),
            seed,
            learner: learner.name().into(),
            error,
            outcome,
            rows,
            date: stamp::now(),
            commit: commit.into(),
        }
    }

    /// The table and the seed.
    pub fn pair(&self) -> (String, u64) {
        (self.table.clone(), self.seed)
    }
}

/// The file with the records of a learner.
pub fn file(results: &Path, learner: Learner) -> PathBuf {
    results.join(format!("{}.jsonl", learner.name()))
}

/// The tables and seeds that have an outcome; errors are to be tried again.
pub fn measured(records: &[Record]) -> BTreeSet<(String, u64)> {
    let done = records.iter().filter(|record| record.outcome.is_some());
    done.map(Record::pair).collect()
}
