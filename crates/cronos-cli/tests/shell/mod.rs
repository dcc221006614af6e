//! A folder to work in and the command that is run there, for every test.
#![allow(dead_code)] // Each test program uses its own part.

pub mod tables;

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// A folder that is gone after the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The command with the arguments of a line, started in this folder.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cronos"));
        command.args(line.split_whitespace());
        command.current_dir(self.0.path());
        command.stdin(Stdio::null());
        command
    }

    /// Runs a line to its end.
    pub fn run(&self, line: &str) -> Ended {
        let output = self.command(line).output().unwrap();
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// What a line prints when all goes well.
    pub fn print(&self, line: &str) -> String {
        let ended = self.run(line);
        assert_eq!(ended.code, Some(0), "{line}: {ended:?}");
        assert_eq!(ended.stderr, "", "{line}");
        ended.stdout
    }

    /// The one JSON object a line prints when all goes well.
    pub fn json(&self, line: &str) -> Value {
        let text = self.print(line);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(value.is_object(), "{line}: {text}");
        value
    }

    /// The sentence with which a line is refused, without `error: `.
    pub fn refused(&self, code: i32, line: &str) -> String {
        let ended = self.run(line);
        assert_eq!(ended.code, Some(code), "{line}: {ended:?}");
        assert_eq!(ended.stdout, "", "{line}");
        assert!(!ended.stderr.contains("panicked"), "{line}: {ended:?}");
        let sentence = ended
            .stderr
            .strip_prefix("error: ")
            .unwrap_or_else(|| panic!("{line}: {ended:?}"));
        assert_eq!(sentence.lines().count(), 1, "{line}: {sentence}");
        sentence.trim_end().to_owned()
    }
}

/// A number in a report.
pub fn number(report: &Value, path: &str) -> f64 {
    let found = report.pointer(path).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("{path} is no number in {report:#}"))
}
