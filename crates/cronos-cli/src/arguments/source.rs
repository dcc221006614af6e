//! The data of a training, and what is to be learned from it.

use super::DATA_HELP;
use super::images::Images;
use clap::{Args, ValueEnum};

/// What every training takes.
#[derive(Args)]
pub struct Source {
    #[arg(help = DATA_HELP)]
    pub data: String,
    /// Target column: name, index (from 0, or -1 for the last), or an npy, npz or IDX file with
    /// the targets [default: target, label, class or y, else the last column]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub target: Option<String>,
    /// Data to test on, instead of holding out rows
    #[arg(long, value_name = "DATA", conflicts_with = "holdout")]
    pub test: Option<String>,
    /// Target column of the test data [default: as --target]
    #[arg(
        long,
        value_name = "NAME",
        requires = "test",
        allow_hyphen_values = true
    )]
    pub test_target: Option<String>,
    /// Fraction of rows held out for the test; 0 trains on all rows [default: 0.3, or 0 when the
    /// data comes with a test part]
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true)]
    pub holdout: Option<f64>,
    /// Fill missing values with the mean or median of their column
    #[arg(long, value_enum, value_name = "HOW")]
    pub impute: Option<Impute>,
    /// Use only rows of these classes; written as in --positive
    #[arg(long, value_name = "CLASSES", allow_hyphen_values = true)]
    pub classes: Vec<String>,
    /// Two-class task: these classes against the rest; separated by commas, a name with a comma in
    /// double quotes or in a --positive of its own
    #[arg(long, value_name = "CLASSES", allow_hyphen_values = true)]
    pub positive: Vec<String>,
    /// Columns not to use: names or indices, separated by commas, a name with a comma in double
    /// quotes
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true)]
    pub drop: Vec<String>,
    /// Use a column that is called like an index and counts the rows, which is else left out
    #[arg(long)]
    pub keep_index: bool,
    /// Column with the weights of the rows: name, index, or an npy, npz or IDX file
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub weight_column: Option<String>,
    /// Weights of the classes: `balanced`, or NAME=W,NAME=W…; others have weight 1
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    pub class_weight: Vec<String>,
    #[command(flatten)]
    pub images: Images,
    /// What to learn [default: classification if the target is text or a few whole numbers]
    #[arg(long, value_enum)]
    pub task: Option<Task>,
    /// Seed of the split, the gates and the sketches
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = parse_seed)]
    pub seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Impute {
    Mean,
    Median,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Task {
    Classification,
    Regression,
}

fn parse_seed(text: &str) -> Result<u64, String> {
    let range = || format!("it must be a whole number from 0 to {}", u64::MAX);
    text.parse().map_err(|_| range())
}
