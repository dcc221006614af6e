//! The Python process that trains the learners of scikit-learn.

use super::learner::{Learner, Outcome};
use super::split::Split;
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use xtask::python;
use xtask::step::{program, root, target};

/// A running `peers.py`, which answers one line for each line it gets.
pub struct Peers {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    versions: Map<String, Value>,
}

impl Peers {
    /// Prepares the virtual environment and starts the script in it.
    pub fn start() -> Result<Self, String> {
        let scripts = root().join("experiments/python");
        let environment = target().join("experiments/venv");
        python::prepare(&environment, &scripts.join("requirements.txt"))?;
        let mut command = program(python::interpreter(&environment));
        command.arg(scripts.join("peers.py"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("peers.py cannot be started: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("peers.py has no standard input or output".into());
        };
        let mut peers = Peers {
            child,
            input,
            output: BufReader::new(output),
            versions: Map::new(),
        };
        peers.versions = serde_json::from_value(peers.line()?)
            .map_err(|error| format!("peers.py did not give its versions: {error}"))?;
        Ok(peers)
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
        writeln!(self.input, "{task}").map_err(|error| self.ended(&error.to_string()))?;
        let answer = self.line()?;
        if let Some(error) = answer.get("error").and_then(Value::as_str) {
            return Ok(Err(error.to_owned()));
        }
        let mut outcome: Outcome = serde_json::from_value(answer)
            .map_err(|error| format!("peers.py gave no accuracy and seconds: {error}"))?;
        outcome.versions = self.versions.clone();
        Ok(Ok(outcome))
    }

    fn line(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err(self.ended("no answer")),
            Ok(_) => serde_json::from_str(&line)
                .map_err(|error| format!("peers.py answered what is no JSON: {error}")),
            Err(error) => Err(self.ended(&error.to_string())),
        }
    }

    /// Why the process is gone.
    fn ended(&mut self, reason: &str) -> String {
        match self.child.try_wait() {
            Ok(Some(status)) => format!("peers.py ended with {status} ({reason})"),
            _ => format!("peers.py does not answer ({reason})"),
        }
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // it holds nothing that could be lost; an error means that it is gone already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
