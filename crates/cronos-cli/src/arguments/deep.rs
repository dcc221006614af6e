//! What `deep` and `compare` take.

use super::Source;
use super::knobs::parse_count;
use clap::{Args, ValueEnum};
use cronos_deep::Architecture;
use std::path::PathBuf;

/// What both take.
#[derive(Args)]
pub struct Network {
    #[command(flatten)]
    pub source: Source,
    /// What stands in front of the last two layers: mlp:WIDTH,… (fully connected), cnn:CHANNELS,…
    /// (convolutions and means), residual:CHANNELS,… (residual blocks), linear:WIDTH or none; cnn alone
    /// is cnn:32,32 and residual alone residual:16,32,64
    #[arg(long, value_name = "NAME", default_value = "mlp:256,256")]
    pub arch: Architecture,
    /// Times that all rows are gone over; the best of these epochs is kept, chosen on a tenth of
    /// the training rows that is held out [default: 20; up to 100 for fewer than 15,000 rows]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_count)]
    pub epochs: Option<usize>,
    /// Rows in a step of the optimizer
    #[arg(long, value_name = "ROWS", default_value_t = 128, allow_negative_numbers = true,
        value_parser = parse_count)]
    pub batch: usize,
    /// What an error costs [default: logistic for two classes, softmax for more, squared for
    /// numbers]
    #[arg(long, value_enum)]
    pub loss: Option<DeepLoss>,
    /// Decay of the weights in front of the last two layers
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    pub alpha: f64,
    /// Penalty on the last two layers [default: 0.005 for each row that is trained on]
    #[arg(long, allow_negative_numbers = true)]
    pub beta: Option<f64>,
    /// Gates of the last two layers, for each output
    #[arg(long, default_value_t = 32, allow_negative_numbers = true, value_parser = parse_count)]
    pub gates: usize,
    /// Where these gates come from
    #[arg(long, value_enum, value_name = "HOW", default_value = "learned")]
    pub head_gates: HeadGates,
    /// Iterations on the last two layers after every epoch
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true,
        value_parser = parse_count)]
    pub head_iterations: usize,
    /// What is done to training images at random: shift moves them by up to an eighth of their
    /// size, mirror does so and mirrors them [default: mirror for coloured images, shift for others]
    #[arg(long, value_enum, value_name = "HOW")]
    pub augment: Option<Augment>,
    /// Seconds at most; the epoch that is under way then is given up
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
    /// Where it is trained: cpu, gpu (a card of any maker) or cuda, the last two with a number if
    /// there are several, as gpu:1; auto takes a card if there is one. `cronos devices` lists them
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: String,
    /// Threads [default: all cores]
    #[arg(long, allow_negative_numbers = true, value_parser = parse_count)]
    pub threads: Option<usize>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
}

#[derive(Args)]
pub struct Deep {
    #[command(flatten)]
    pub network: Network,
    /// Where to save the model (safetensors)
    #[arg(long, value_name = "MODEL")]
    pub out: Option<PathBuf>,
    /// Folder that keeps the state of the training after every epoch
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Go on from the state in the folder of --checkpoint, as if nothing had happened
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum DeepLoss {
    Squared,
    Logistic,
    Softmax,
    SquaredHinge,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum HeadGates {
    /// Drawn once
    Seed,
    /// Drawn anew for every epoch
    Redrawn,
    /// Drawn once, then turned with the units
    Learned,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Augment {
    None,
    Shift,
    Mirror,
}
