//! The command line.

mod compare;
mod deep;
mod images;
mod knobs;
mod source;
mod text;

pub use compare::{Compare, RateRange};
pub use deep::{Augment, Deep, DeepLoss, HeadGates, Network};
pub use images::Images;
pub use knobs::{Activation, Knobs, Loss, Precision, Solver};
pub use source::{Impute, Source, Task};
pub use text::{BATCH, Embed, Encoding, Setting, Text, TextCompare, TextFit};

use clap::{Args, Parser, Subcommand};
use knobs::parse_count;
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
    Fit(Box<KeptFit>),
    /// Train a network for every penalty of a range, and show what the penalty does
    Path(Box<Path>),
    /// Train a deep network: its last two layers by convex optimisation, those in front of them by
    /// an optimizer that finds its own learning rate
    Deep(Box<Deep>),
    /// Train the same network by several optimizers over a range of learning rates, and by convex
    /// optimisation as `deep` does, and compare
    Compare(Box<Compare>),
    /// Train on texts
    #[command(subcommand)]
    Text(Text),
    /// Turn texts into features by an encoder, for `fit` and other programs
    Embed(Box<Embed>),
    /// Predict with a trained model
    Predict(Predict),
    /// Score a trained model on labelled data
    Eval(Eval),
    /// Describe a model file or a data set
    Inspect(Inspect),
    /// Write a model in another format
    Export(Export),
    /// List the devices that `--device` can name
    Devices(Devices),
}

const DATA_HELP: &str = "The data: a csv, tsv, txt, libsvm (also .gz), npy, npz, IDX or CIFAR-10 \
file, a folder of IDX or CIFAR-10 files, a folder of .jpg or .png images with a sub-folder for \
each class, or the built-in set `digits`";

const PREDICT_HELP: &str = "The data, as for `fit`, or texts as for `text fit`; images may also lie in one folder without \
sub-folders, or be a single file";

#[derive(Args)]
pub struct Devices {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Fit {
    #[command(flatten)]
    pub source: Source,
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
    #[command(flatten)]
    pub knobs: Knobs,
}

/// A fit whose state can be kept.
#[derive(Args)]
pub struct KeptFit {
    #[command(flatten)]
    pub fit: Fit,
    #[command(flatten)]
    pub keep: Keep,
}

#[derive(Args)]
pub struct Keep {
    /// Folder that keeps the state of the convex solver now and then
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Iterations between two states that are kept
    #[arg(long, value_name = "N", default_value_t = 100, requires = "checkpoint",
        allow_negative_numbers = true, value_parser = parse_count)]
    pub checkpoint_every: usize,
    /// Go on from the state in the folder of --checkpoint, as if nothing had happened
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
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

#[derive(Args)]
pub struct Predict {
    /// A model written by `fit`, `path` or `deep` with --out
    pub model: PathBuf,
    #[arg(help = PREDICT_HELP)]
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
    /// For texts: where the encoder of the model is now [default: where it was]
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    /// For texts: their column or field [default: text, review or the like, else the longest]
    #[arg(long, value_name = "NAME")]
    pub text: Option<String>,
    /// Print one JSON object
    #[arg(long, conflicts_with = "out")]
    pub json: bool,
}

#[derive(Args)]
pub struct Eval {
    /// A model written by `fit`, `path` or `deep` with --out
    pub model: PathBuf,
    #[arg(help = DATA_HELP)]
    pub data: String,
    /// Target column: name, index, or a file with the targets [default: as in training]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub target: Option<String>,
    /// For texts: where the encoder of the model is now [default: where it was]
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    /// For texts: their column or field [default: text, review or the like, else the longest]
    #[arg(long, value_name = "NAME")]
    pub text: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Inspect {
    /// A model file, a data file or folder, or `digits`
    #[arg(value_name = "MODEL|DATA")]
    pub what: String,
    /// For a model: labelled data on which its features are shuffled one by one, to see what each
    /// is worth
    #[arg(long, value_name = "DATA")]
    pub data: Option<String>,
    /// Target column of a data file [default: with --data, as in training]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub target: Option<String>,
    #[command(flatten)]
    pub images: Images,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Export {
    /// A model written by `fit`, `path` or `deep` with --out
    pub model: PathBuf,
    /// Write ONNX: raw features in; decision values and label, or the prediction, out
    #[arg(long, value_name = "FILE")]
    pub onnx: PathBuf,
    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,
}
