//! The learners that are compared.

use super::split::Split;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;
use xtask::step::{built, cargo, execute, program};

/// A learner. The names on the command line are those of [`Learner::name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Learner {
    /// The `cronos` command with its defaults
    Cronos,
    /// Logistic regression
    Logistic,
    /// Support vector machine with a Gaussian kernel
    Svc,
    /// Random forest
    Forest,
    /// Gradient boosting on histograms
    Boosting,
    /// Multilayer perceptron with its defaults
    Mlp,
    /// Multilayer perceptron, the best of ten random configurations
    MlpTuned,
}

impl Learner {
    /// All of them, cheap peers before dear ones.
    pub fn all() -> &'static [Learner] {
        Learner::value_variants()
    }

    /// The name in commands, records and reports.
    pub fn name(self) -> &'static str {
        match self {
            Learner::Cronos => "cronos",
            Learner::Logistic => "logistic",
            Learner::Svc => "svc",
            Learner::Forest => "forest",
            Learner::Boosting => "boosting",
            Learner::Mlp => "mlp",
            Learner::MlpTuned => "mlp-tuned",
        }
    }
}

/// What a learner reached on a split.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// The fraction of test rows that it got right.
    pub accuracy: f64,
    /// Seconds it took.
    pub seconds: f64,
    /// Whatever else is worth keeping.
    #[serde(default)]
    pub details: Value,
    /// Versions of the software.
    #[serde(default)]
    pub versions: Map<String, Value>,
}

/// Builds the `cronos` command and returns its version.
pub fn build_cronos() -> Result<String, String> {
    execute(&mut cargo("build --release --locked --package cronos-cli"))?;
    version(&built("cronos"))
}

/// The version of a `cronos` command.
pub fn version(cronos: &Path) -> Result<String, String> {
    let output = program(cronos).arg("--version").output();
    let output = output.map_err(|error| format!("cronos cannot be started: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.trim().trim_start_matches("cronos ").to_owned())
}

/// Trains the `cronos` command and keeps its whole report.
pub fn cronos(split: &Split, version: &str) -> Result<Outcome, String> {
    let mut command = program(built("cronos"));
    command.arg("fit").arg(split.train());
    command.args(["--target", "target", "--task", "classification", "--test"]);
    command.arg(split.test());
    command.args(["--time-limit", "20", "--json"]);
    let output = command
        .output()
        .map_err(|error| format!("cronos cannot be started: {error}"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "cronos ended with {}: {}",
            output.status,
            words.trim()
        ));
    }
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cronos printed no JSON object: {error}"))?;
    let number = |path: &str| {
        let value = report.pointer(path).and_then(Value::as_f64);
        value.ok_or_else(|| format!("the report of cronos has no number {path}"))
    };
    let (accuracy, seconds) = (number("/test/accuracy")?, number("/seconds/total")?);
    Ok(Outcome {
        accuracy,
        seconds,
        details: report,
        versions: Map::from_iter([("cronos".into(), version.into())]),
    })
}

#[cfg(test)]
mod tests {
    use super::{Learner, ValueEnum};

    #[test]
    fn names_are_those_of_the_command_line() {
        for learner in Learner::all() {
            let value = learner.to_possible_value().unwrap();
            assert_eq!(value.get_name(), learner.name());
        }
    }
}
