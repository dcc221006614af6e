//! The Python process that trains the learners of scikit-learn.

use super::learner::{Learner, Outcome};
use super::split::Split;
use crate::script::{Script, Source};
use serde_json::json;

const SOURCE: Source = Source {
    name: "peers.py",
    requirements: "requirements.txt",
    environment: "venv",
};

/// A running `peers.py`.
pub struct Peers(Script);

impl Peers {
    /// Prepares the virtual environment and starts the script in it.
    pub fn start() -> Result<Self, String> {
        Script::start(SOURCE).map(Peers)
    }

    /// Trains a learner. The outer error means that the process is broken and
    /// must be started anew, the inner one that the learner failed.
    pub fn train(
        &mut self,
        learner: Learner,
        seed: u64,
        split: &Split,
    ) -> Result<Result<Outcome, String>, String> {
        let task = json!({
            "learner": learner.name(),
            "seed": seed,
            "train": split.train(),
            "test": split.test(),
        });
        let answer = match self.0.ask(&task)? {
            Ok(answer) => answer,
            Err(failed) => return Ok(Err(failed)),
        };
        let mut outcome: Outcome = serde_json::from_value(answer)
            .map_err(|error| format!("peers.py gave no accuracy and seconds: {error}"))?;
        outcome.versions = self.0.versions.clone();
        Ok(Ok(outcome))
    }
}
