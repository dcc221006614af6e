//! What is to be measured, and how: by the `cronos` command or inside this program.

use super::data::Places;
use serde_json::Value;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::{Child, Stdio};
use xtask::step::program;

/// What an experiment may ask for.
pub struct Setting<'a> {
    pub seeds: u64,
    pub quick: bool,
    pub places: &'a Places,
    pub encoder: Option<&'a Path>,
}

/// One measurement.
pub struct Job {
    /// What it is, unique together with the seed.
    pub key: String,
    pub seed: u64,
    pub work: Work,
}

/// How it is made.
pub enum Work {
    /// `cronos` with these arguments and `--json`.
    Cronos(Vec<OsString>),
    /// A function of this program.
    Inside(Box<dyn Fn() -> Result<Value, String>>),
}

impl Job {
    /// A run of `cronos`: the words of a line, where `{}` stands for the next path.
    pub fn cronos(key: &str, seed: u64, line: &str, paths: &[&Path]) -> Self {
        let mut paths = paths.iter();
        let word = |word: &str| match word {
            "{}" => paths.next().map_or(OsString::new(), |path| path.into()),
            word => word.into(),
        };
        let mut words: Vec<OsString> = line.split_whitespace().map(word).collect();
        words.extend(["--seed".into(), seed.to_string().into(), "--json".into()]);
        Job {
            key: key.into(),
            seed,
            work: Work::Cronos(words),
        }
    }

    /// As one would type it.
    pub fn command(&self) -> String {
        match &self.work {
            Work::Inside(_) => String::new(),
            Work::Cronos(words) => {
                let words = words.iter().map(|word| word.to_string_lossy().into_owned());
                format!("cronos {}", words.collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// Makes the measurement.
    pub fn measure(&self, cronos: &Path) -> Result<Value, String> {
        match &self.work {
            Work::Inside(work) => work(),
            Work::Cronos(words) => run(cronos, words),
        }
    }
}

fn run(cronos: &Path, words: &[OsString]) -> Result<Value, String> {
    let mut command = program(cronos);
    command.args(words).stdout(Stdio::piped());
    // its progress shows where somebody looks; else its last words are kept
    command.stderr(match std::io::stderr().is_terminal() {
        true => Stdio::inherit(),
        false => Stdio::piped(),
    });
    let child = command.spawn();
    let output = child.and_then(Child::wait_with_output);
    let output = output.map_err(|error| format!("cronos cannot be started: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "cronos ended with {}: {}",
            output.status,
            said.trim()
        ));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cronos printed no JSON object: {error}"))
}
