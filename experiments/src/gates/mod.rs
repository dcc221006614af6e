//! The experiment `gates`: the objective that learned gates reach, against random
//! gates and against restarts of PyTorch on the same network.

mod method;
mod record;
mod report;
mod run;
mod summary;

pub use report::report;
pub use run::run;

use crate::registry::Experiment;
use clap::Args;
use method::Method;
use std::path::{Path, PathBuf};
use xtask::step::target;

/// For `list`.
pub const EXPERIMENT: Experiment = Experiment {
    name: "gates",
    about: "objective of learned gates, against random gates and restarts of PyTorch",
};

#[derive(Args)]
pub struct RunOptions {
    /// One seed of each method, and few steps of PyTorch
    #[arg(long)]
    pub quick: bool,
    /// Only these methods (comma-separated), in this order
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_enum)]
    pub method: Vec<Method>,
    /// Where measurements are kept [default: experiments/gates in the target folder]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
}

#[derive(Args)]
pub struct ReportOptions {
    /// Where measurements are kept [default: experiments/gates in the target folder]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
}

/// The folder of the results, from wherever a child process looks at it.
fn folder(chosen: Option<&Path>) -> Result<PathBuf, String> {
    match chosen {
        None => Ok(target().join("experiments/gates")),
        Some(path) => std::path::absolute(path)
            .map_err(|error| format!("{} cannot be found: {error}", path.display())),
    }
}
