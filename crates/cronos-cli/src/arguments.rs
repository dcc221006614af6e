//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Neural networks trained by convex optimisation: no learning rate, and a
/// certificate of how close to the optimum the answer is.
#[derive(Parser)]
#[command(
    name = "cronos",
    version,
    after_help = "\
Exit codes: 0 done, 1 failure, 2 usage, 3 input refused, 4 tolerance not reached \
(with --strict), 130 interrupted (the best model is saved to --out)."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Train a network on a data set and report how good it is
    Fit(Box<Fit>),
    /// Predict with a trained model
    Predict(Predict),
    /// Score a trained model on labelled data
    Eval(Eval),
    /// Describe a model file or a data set
    Inspect(Inspect),
    /// Write a model in another format
    Export(Export),
}

const DATA_HELP: &str = "The data: a csv, tsv, txt (also .gz), npy, npz or IDX file, a folder \
of IDX files, or the built-in set `digits`";

#[derive(Args)]
pub struct Fit {
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
    /// Where to save the model (safetensors)
    #[arg(long, value_name = "MODEL")]
    pub out: Option<PathBuf>,
    /// Folder for the page index.html, report.json and history.csv
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    /// Exit with 4 when the tolerance was not reached
    #[arg(long)]
    pub strict: bool,
    /// Fill missing values with the mean or median of their column
    #[arg(long, value_enum, value_name = "HOW")]
    pub impute: Option<Impute>,
    /// Two-class task: these classes (comma-separated) against the rest
    #[arg(
        long,
        value_name = "CLASSES",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub positive: Vec<String>,
    #[command(flatten)]
    pub knobs: Knobs,
}

/// All optional; what is not given is chosen for you.
#[derive(Args)]
#[command(next_help_heading = "Knobs, all optional")]
pub struct Knobs {
    /// What to learn [default: classification if the target is text or a few whole numbers]
    #[arg(long, value_enum)]
    pub task: Option<Task>,
    /// Loss
    #[arg(long, value_enum, default_value = "squared")]
    pub loss: Loss,
    /// Penalty on the weights, β: larger is smoother and smaller fits closer [default: a
    /// thousandth of the penalty that leaves nothing; a regression's targets are then
    /// standardised, while a β that is given applies to them as they are]
    #[arg(long, allow_negative_numbers = true)]
    pub beta: Option<f64>,
    /// Number of gates (activation patterns of the units) to sample
    #[arg(long, default_value_t = 100, allow_negative_numbers = true)]
    pub gates: usize,
    /// Gate directions (the activation patterns of the units) to use: an npy file, features x gates, no bias row; they act on the
    /// features as the program sees them (standardised unless --no-standardize)
    #[arg(long, value_name = "G.npy", conflicts_with = "gates")]
    pub gate_file: Option<PathBuf>,
    /// Activation of the hidden units
    #[arg(long, value_enum, default_value = "relu")]
    pub activation: Activation,
    /// How the linear systems are solved
    #[arg(long, value_enum, default_value = "auto")]
    pub solver: Solver,
    /// Rank of the Nyström preconditioner, or `adaptive`
    #[arg(long, default_value = "20", value_parser = parse_rank)]
    pub rank: cronos::nystrom::Rank,
    /// First penalty parameter of ADMM [default: 0.1, then by residual balancing]
    #[arg(long, allow_negative_numbers = true)]
    pub rho: Option<f64>,
    /// Keep rho as it is given by --rho
    #[arg(long, requires = "rho")]
    pub fixed_rho: bool,
    /// Iterations at most
    #[arg(long, default_value_t = 10_000, allow_negative_numbers = true)]
    pub max_iterations: usize,
    /// Certified relative gap to reach; the cones are met to a tenth of it
    #[arg(long, default_value_t = 0.01, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Seconds at most
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
    /// No bias column
    #[arg(long)]
    pub no_bias: bool,
    /// Use the features as they are
    #[arg(long)]
    pub no_standardize: bool,
    /// Seed of the split, the gates and the sketches
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// Threads [default: all cores]
    #[arg(long, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Precision of the solver's arrays
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: Precision,
    /// Where to compute
    #[arg(long, value_enum, default_value = "cpu")]
    pub device: Device,
}

#[derive(Args)]
pub struct Predict {
    /// A model written by `cronos fit --out`
    pub model: PathBuf,
    #[arg(help = DATA_HELP)]
    pub data: String,
    /// The column that is not a feature, if the data has one
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub target: Option<String>,
    /// Write the predictions here (csv) instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    /// Print one JSON object
    #[arg(long, conflicts_with = "out")]
    pub json: bool,
}

#[derive(Args)]
pub struct Eval {
    /// A model written by `cronos fit --out`
    pub model: PathBuf,
    #[arg(help = DATA_HELP)]
    pub data: String,
    /// Target column: name, index, or a file with the targets [default: as in training]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub target: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Inspect {
    /// A model file, a data file or `digits`
    #[arg(value_name = "MODEL|DATA")]
    pub what: String,
    /// Target column of a data file
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub target: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Export {
    /// A model written by `cronos fit --out`
    pub model: PathBuf,
    /// Write ONNX: raw features in; decision values and label, or the prediction, out
    #[arg(long, value_name = "FILE")]
    pub onnx: PathBuf,
    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Task {
    Classification,
    Regression,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Loss {
    Squared,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Activation {
    Relu,
    Gated,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Solver {
    Auto,
    Direct,
    SamplePcg,
    PrimalPcg,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Precision {
    F32,
    F64,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Device {
    Cpu,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Impute {
    Mean,
    Median,
}

fn parse_rank(text: &str) -> Result<cronos::nystrom::Rank, String> {
    use cronos::nystrom::Rank;
    if text == "adaptive" {
        return Ok(Rank::Adaptive {
            first: 20,
            most: 400,
        });
    }
    match text.parse() {
        Ok(rank) if rank > 0 => Ok(Rank::Fixed(rank)),
        _ => Err("it must be a whole number of at least 1, or `adaptive`".into()),
    }
}
