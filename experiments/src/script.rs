//! A Python script that answers one line of JSON for each line it gets.

use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use xtask::python;
use xtask::step::{program, root, target};

/// A script of `experiments/python` and what it needs.
#[derive(Clone, Copy)]
pub struct Source {
    /// Its file.
    pub name: &'static str,
    /// The file with the packages it needs.
    pub requirements: &'static str,
    /// The folder of its virtual environment, in `experiments` of the target folder.
    pub environment: &'static str,
}

/// A running script.
pub struct Script {
    name: &'static str,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Versions of its software, the first line it prints.
    pub versions: Map<String, Value>,
}

impl Script {
    /// Prepares the virtual environment and starts the script in it.
    pub fn start(source: Source) -> Result<Self, String> {
        let name = source.name;
        let scripts = root().join("experiments/python");
        let environment = target().join("experiments").join(source.environment);
        python::prepare(&environment, &scripts.join(source.requirements))?;
        let mut command = program(python::interpreter(&environment));
        command.arg(scripts.join(name));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("{name} cannot be started: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{name} has no standard input or output"));
        };
        let mut script = Script {
            name,
            child,
            input,
            output: BufReader::new(output),
            versions: Map::new(),
        };
        script.versions = serde_json::from_value(script.line()?)
            .map_err(|error| format!("{name} did not give its versions: {error}"))?;
        Ok(script)
    }

    /// The answer to a task. The outer error means that the process is broken and
    /// must be started anew, the inner one that the task failed.
    pub fn ask(&mut self, task: &Value) -> Result<Result<Value, String>, String> {
        writeln!(self.input, "{task}").map_err(|error| self.ended(&error.to_string()))?;
        let answer = self.line()?;
        match answer.get("error").and_then(Value::as_str) {
            Some(error) => Ok(Err(error.to_owned())),
            None => Ok(Ok(answer)),
        }
    }

    fn line(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err(self.ended("no answer")),
            Ok(_) => serde_json::from_str(&line)
                .map_err(|error| format!("{} answered what is no JSON: {error}", self.name)),
            Err(error) => Err(self.ended(&error.to_string())),
        }
    }

    /// Why the process is gone.
    fn ended(&mut self, reason: &str) -> String {
        let name = self.name;
        match self.child.try_wait() {
            Ok(Some(status)) => format!("{name} ended with {status} ({reason})"),
            _ => format!("{name} does not answer ({reason})"),
        }
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // it holds nothing that could be lost; an error means that it is gone already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
