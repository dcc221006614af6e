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
    /// Train a network for every penalty of a range, and show what the penalty does
    Path(Box<Path>),
    /// Predict with a trained model
    Predict(Predict),
    /// Score a trained model on labelled data
    Eval(Eval),
    /// Describe a model file or a data set
    Inspect(Inspect),
    /// Write a model in another format
    Export(Export),
}

const DATA_HELP: &str = "The data: a csv, tsv, txt, libsvm (also .gz), npy, npz, IDX or CIFAR-10 \
file, a folder of IDX or CIFAR-10 files, or the built-in set `digits`";

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
    pub knobs: Knobs,
}

/// What `fit` takes, except for what a path decides by itself.
#[derive(Args)]
#[command(
    mut_arg("beta", |arg| arg.hide(true)),
    mut_arg("fast", |arg| arg.hide(true)),
    mut_arg("best", |arg| arg.hide(true)),
    mut_arg("learn_gates", |arg| arg.hide(true)),
    mut_arg("holdout", |arg| arg.help("Fraction of rows held out to judge every penalty by; 0 \
        judges none [default: 0.3]")),
    mut_arg("test", |arg| arg.help("Data to test the best network on; a part of the training \
        rows is then held out to choose it by")),
    mut_arg("out", |arg| arg.help("Where to save the best network (safetensors)")),
    mut_arg("report", |arg| arg.help("Folder for the page index.html, report.json and path.csv")),
    mut_arg("gates", |arg| arg.help("Draw this many gates (activation patterns of the units) at \
        random, once for the whole path [default: 100]")),
    mut_arg("loss", |arg| arg.help("What an error costs [default: squared]")),
    mut_arg("time_limit", |arg| arg.help("Seconds at most, for the whole path"))
)]
pub struct Path {
    /// Penalties to solve for, in equal ratios, from the smallest that leaves nothing downwards
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true,
        value_parser = parse_count)]
    pub steps: usize,
    /// The last penalty, relative to the first
    #[arg(
        long,
        value_name = "RATIO",
        default_value_t = 0.001,
        allow_negative_numbers = true
    )]
    pub smallest: f64,
    /// Write a line for every penalty here
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw objective, neurons and scores against the penalty here (SVG)
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub fit: Fit,
}

/// All optional; what is not given is chosen for you.
#[derive(Args)]
#[command(next_help_heading = "Knobs, all optional")]
pub struct Knobs {
    /// What to learn [default: classification if the target is text or a few whole numbers]
    #[arg(long, value_enum)]
    pub task: Option<Task>,
    /// What an error costs [default: logistic or softmax for classes when gates are learned, else
    /// squared]
    #[arg(long, value_enum)]
    pub loss: Option<Loss>,
    /// Errors beyond this count linearly, for --loss huber; in units of the target, or of its
    /// standard deviation when β is chosen
    #[arg(
        long,
        default_value_t = 1.0,
        value_name = "DELTA",
        allow_negative_numbers = true
    )]
    pub huber_delta: f64,
    /// Fraction of targets to lie below the prediction, for --loss quantile
    #[arg(
        long,
        default_value_t = 0.5,
        value_name = "LEVEL",
        allow_negative_numbers = true
    )]
    pub quantile: f64,
    /// Penalty on the weights, β: larger is smoother and smaller fits closer [default: chosen on
    /// held-out rows; with --gates a thousandth of the penalty that leaves nothing. A regression's
    /// targets are then standardised, while a β that is given applies to them as they are]
    #[arg(long, allow_negative_numbers = true)]
    pub beta: Option<f64>,
    /// Look quickly
    #[arg(long, conflicts_with = "best")]
    pub fast: bool,
    /// Take ten times as long as usual to choose
    #[arg(long)]
    pub best: bool,
    /// Draw this many gates (activation patterns of the units) at random and solve the convex
    /// program they make, instead of learning them; with --learn-gates, learn at most this many
    #[arg(long, allow_negative_numbers = true, value_parser = parse_count)]
    pub gates: Option<usize>,
    /// Learn the gates even where another option would fix the convex program
    #[arg(long, conflicts_with = "gate_file")]
    pub learn_gates: bool,
    /// Gate directions to use: an npy file, features x gates, no bias row; they act on the
    /// features as the program sees them (standardised unless --no-standardize)
    #[arg(long, value_name = "G.npy", conflicts_with = "gates")]
    pub gate_file: Option<PathBuf>,
    /// Activation of the hidden units; gated fixes the gates
    #[arg(long, value_enum, default_value = "relu")]
    pub activation: Activation,
    /// How the linear systems of the convex program are solved [default: auto]
    #[arg(long, value_enum)]
    pub solver: Option<Solver>,
    /// Rank of the Nyström preconditioner, or `adaptive` [default: 20]
    #[arg(long, allow_negative_numbers = true, value_parser = parse_rank)]
    pub rank: Option<cronos::nystrom::Rank>,
    /// First penalty parameter of ADMM [default: 0.1, then by residual balancing]
    #[arg(long, allow_negative_numbers = true)]
    pub rho: Option<f64>,
    /// Keep rho as it is given by --rho
    #[arg(long, requires = "rho")]
    pub fixed_rho: bool,
    /// Iterations of the convex solver at most [default: 10000]
    #[arg(long, allow_negative_numbers = true, value_parser = parse_count)]
    pub max_iterations: Option<usize>,
    /// Certified relative gap of the convex program to reach; its cones are met to a tenth of it
    /// [default: 0.01]
    #[arg(long, allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
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
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_parser = parse_seed)]
    pub seed: u64,
    /// Threads [default: all cores]
    #[arg(long, allow_negative_numbers = true, value_parser = parse_count)]
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
    /// For a model: labelled data on which its features are shuffled one by one, to see what each
    /// is worth
    #[arg(long, value_name = "DATA")]
    pub data: Option<String>,
    /// Target column of a data file [default: with --data, as in training]
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
    Logistic,
    Softmax,
    Huber,
    SquaredHinge,
    Quantile,
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

fn parse_seed(text: &str) -> Result<u64, String> {
    let range = || format!("it must be a whole number from 0 to {}", u64::MAX);
    text.parse().map_err(|_| range())
}

/// A number of something; that 0 is too few is said by whoever counts.
fn parse_count(text: &str) -> Result<usize, String> {
    let range = || "it must be a whole number of at least 1".to_string();
    text.parse().map_err(|_| range())
}
