//! What can be chosen about a training.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// All optional; what is not given is chosen for you.
#[derive(Args, Clone)]
#[command(next_help_heading = "Knobs, all optional")]
pub struct Knobs {
    /// What an error costs [default: for classes whose gates are learned, the better of squared
    /// and the likelihood (logistic or softmax), or both; else squared]
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
    /// Networks of each kind that are averaged when gates are learned and the penalty is chosen;
    /// 1 makes the smallest model [default: 4; 1 for many rows or very wide data]
    #[arg(long, allow_negative_numbers = true, value_parser = parse_count)]
    pub networks: Option<usize>,
    /// Draw this many gates (activation patterns of the units) at random and solve the convex
    /// program they make, instead of learning them; with --learn-gates, learn at most this many in
    /// each network
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
    /// Where the convex program is solved: cpu, gpu (a card of any maker) or cuda, the last two with a
    /// number if there are several, as gpu:1; auto takes a card if there is one. `cronos devices`
    /// lists them. On a device gates are drawn, not learned
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: String,
    /// Memory that may be taken, as 4GiB: features of an npy file that do not fit stay there, those of
    /// a text table or Parquet in a temporary file, and are read again for every product; gates are
    /// then learned from a sample of the rows
    /// [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Memory of the device, as 4GiB: features that do not fit are sent there block by block, for
    /// every product anew [default: enough]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub device_memory: Option<u64>,
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
    /// Threads [default: all cores]
    #[arg(long, allow_negative_numbers = true, value_parser = parse_count)]
    pub threads: Option<usize>,
    /// Precision of the solver's arrays
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: Precision,
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

/// `512MiB`, `4GiB`, or bytes.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return Err("give a size such as 512MiB or 4GiB".into()),
    };
    let size = digits.trim().parse::<f64>().ok().filter(|size| *size > 0.0);
    let bytes = size.map(|size| size * unit as f64);
    match bytes.filter(|bytes| bytes.is_finite()) {
        Some(bytes) => Ok(bytes as u64),
        None => Err("give a size above 0, such as 512MiB or 4GiB".into()),
    }
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

/// A number of something; that 0 is too few is said by whoever counts.
pub(super) fn parse_count(text: &str) -> Result<usize, String> {
    let range = || "it must be a whole number of at least 1".to_string();
    text.parse().map_err(|_| range())
}
