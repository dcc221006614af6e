//! The experiment `tables`: test accuracy of cronos and its peers on many tables.

mod collection;
mod learner;
mod peers;
mod record;
mod report;
mod run;
mod sample;
mod split;
mod summary;
#[cfg(test)]
mod tests;

pub use learner::{build_cronos, version};
pub use report::report;
pub use run::run;

use crate::registry::Experiment;
use clap::Args;
use learner::Learner;
use std::path::{Path, PathBuf};
use xtask::step::target;

/// For `list`.
pub const EXPERIMENT: Experiment = Experiment {
    name: "tables",
    about: "test accuracy on many small tables, against learners of scikit-learn",
};

#[derive(Args)]
pub struct RunOptions {
    /// Folder with index.json and the tables, NAME.tsv.gz
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Splits of each table
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: u64,
    /// Only the eight smallest tables, and one split of each
    #[arg(long)]
    pub quick: bool,
    /// Only these tables (comma-separated)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Only these learners (comma-separated), in this order
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_enum)]
    pub learner: Vec<Learner>,
    /// Where measurements are kept [default: experiments/tables in the target folder]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
}

#[derive(Args)]
pub struct ReportOptions {
    /// Only these learners (comma-separated) [default: all that were measured]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_enum)]
    pub learner: Vec<Learner>,
    /// Where measurements are kept [default: experiments/tables in the target folder]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
}

/// The folder of the results, from wherever a child process looks at it.
fn folder(chosen: Option<&Path>) -> Result<PathBuf, String> {
    match chosen {
        None => Ok(target().join("experiments/tables")),
        Some(path) => std::path::absolute(path)
            .map_err(|error| format!("{} cannot be found: {error}", path.display())),
    }
}

/// The learners named, each once, or all if none is.
fn learners(named: &[Learner]) -> Vec<Learner> {
    let mut chosen = Vec::new();
    let all = if named.is_empty() {
        Learner::all()
    } else {
        named
    };
    for &learner in all {
        if !chosen.contains(&learner) {
            chosen.push(learner);
        }
    }
    chosen
}
