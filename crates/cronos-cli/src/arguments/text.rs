//! Texts, and what turns them into features.

use super::images::Images;
use super::knobs::parse_count;
use super::{Compare, Fit};
use clap::{Arg, Args, Subcommand, ValueEnum};
use cronos_deep::language::Pool;
use std::path::PathBuf;

const TEXTS_HELP: &str = "The texts: a .jsonl, .csv, .tsv or .txt file (also .gz), a .parquet file, or a \
folder with a sub-folder of .txt files for each class";

/// Texts that are encoded at a time, unless told otherwise.
pub const BATCH: usize = 32;

/// An argument of `fit` or `compare` as it is for texts; what makes no sense for them is hidden.
fn for_texts(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "data" => arg.help(TEXTS_HELP),
        "target" => arg
            .help("Column or field of the target [default: target, label, class, y or sentiment]"),
        "test" => arg.help("Texts to test on, instead of holding out rows"),
        "impute" | "drop" | "keep_index" | "weight_column" | "image_size" | "image_fit"
        | "augment" => arg.hide(true),
        _ => arg,
    }
}

#[derive(Subcommand)]
pub enum Text {
    /// Train a network on texts: encode them, fit, report
    Fit(Box<TextFit>),
    /// Train heads on the features of an encoder: by optimizers at several learning rates, and without
    /// one
    Compare(Box<TextCompare>),
}

/// What `fit` takes, and what turns texts into features.
#[derive(Args)]
#[command(
    mut_args(for_texts),
    mut_arg("device", |arg| arg.help("Where the encoder computes and is trained, and the convex \
        program is solved if --gates are given, else on the processor: cpu, gpu (a card of any maker) \
        or cuda, the last two with a number if there are several, as gpu:1; auto takes a card if \
        there is one"))
)]
pub struct TextFit {
    #[command(flatten)]
    pub fit: Fit,
    #[command(flatten)]
    pub encoding: Encoding,
    /// Texts that are encoded at a time
    #[arg(long, value_name = "N", default_value_t = BATCH, value_parser = parse_count)]
    pub batch: usize,
    /// What is done with the encoder before its features are taken
    #[arg(long, value_enum, default_value = "frozen")]
    pub setting: Setting,
    /// Texts without targets for domain-adapted [default: the training texts]
    #[arg(long, value_name = "FILE")]
    pub unlabelled: Option<String>,
    /// Passes over the texts when the encoder is trained
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_count)]
    pub tune_epochs: usize,
    /// Highest rate of AdamW when the encoder is trained
    #[arg(
        long,
        value_name = "RATE",
        default_value_t = 5e-5,
        allow_negative_numbers = true
    )]
    pub tune_rate: f64,
    /// Texts of a step when the encoder is trained
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = parse_count)]
    pub tune_batch: usize,
    /// Train only the last so many blocks of the encoder
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub tune_blocks: Option<usize>,
    /// Folder for the encoder after it was trained; a saved model needs it
    #[arg(long, value_name = "DIR")]
    pub save_encoder: Option<PathBuf>,
}

/// What `compare` takes, and what turns texts into features.
#[derive(Args)]
#[command(
    mut_args(for_texts),
    mut_arg("arch", |arg| arg.default_value("none")),
    mut_arg("encoder", |arg| arg.required(true).help("The encoder: a folder with config.json, \
        tokenizer.json and model.safetensors of a GPT-2, BERT or Llama, the .gguf file of a Llama, or \
        an .onnx file with its tokenizer beside it"))
)]
pub struct TextCompare {
    #[command(flatten)]
    pub compare: Compare,
    #[command(flatten)]
    pub encoding: Encoding,
}

/// The three settings in which a pretrained encoder is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Setting {
    /// As it is
    #[value(alias = "nft")]
    Frozen,
    /// After an epoch of AdamW on the classes, with a linear layer behind it
    #[value(alias = "ft")]
    FineTuned,
    /// After an epoch of AdamW on texts alone, by the next token
    #[value(alias = "da")]
    DomainAdapted,
}

/// How texts become features.
#[derive(Args, Clone)]
pub struct Encoding {
    /// Column or field of the texts [default: text, review, sentence, content or the like, else the
    /// longest]
    #[arg(long, value_name = "NAME")]
    pub text: Option<String>,
    /// The encoder: a folder with config.json, tokenizer.json and model.safetensors of a GPT-2, BERT
    /// or Llama, the .gguf file of a Llama, or an .onnx file with its tokenizer beside it [default: counts of words and pairs of words (TF-IDF), which need no download]
    #[arg(long, value_name = "DIR")]
    pub encoder: Option<PathBuf>,
    /// What stands for a text: first, last, mean, attention, or flat for the states of all tokens
    #[arg(long, value_name = "HOW", requires = "encoder")]
    pub pool: Option<Pool>,
    /// Tokens of a text at most; longer ones are cut
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = parse_count)]
    pub max_length: usize,
    /// Use only so many texts, drawn at random; of texts to test on as many
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub sample: Option<usize>,
    /// Folder that keeps features for the next time [default: CRONOS_CACHE, or cronos in the
    /// user's cache]
    #[arg(long, value_name = "DIR", env = "CRONOS_CACHE")]
    pub cache: Option<PathBuf>,
    /// Keep no features
    #[arg(long, conflicts_with = "cache")]
    pub no_cache: bool,
}

#[derive(Args)]
pub struct Embed {
    #[arg(help = format!("{TEXTS_HELP}; or, for an .onnx encoder of images, data as for `fit`"))]
    pub data: String,
    #[command(flatten)]
    pub encoding: Encoding,
    /// Texts that are encoded at a time
    #[arg(long, value_name = "N", default_value_t = BATCH, value_parser = parse_count)]
    pub batch: usize,
    /// Where to write the features (npy, texts x features, single precision)
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Where to write the targets (npy), if the texts have some
    #[arg(long, value_name = "FILE")]
    pub targets: Option<PathBuf>,
    /// Column or field of the target [default: target, label, class, y or sentiment]
    #[arg(long, value_name = "NAME", requires = "targets")]
    pub target: Option<String>,
    /// Where the encoder computes: cpu, gpu (a card of any maker) or cuda, the last two with a
    /// number if there are several, as gpu:1; auto takes a card if there is one
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: String,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    /// Threads [default: all cores]
    #[arg(long, value_parser = parse_count)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub images: Images,
    /// For images: what the encoder expects of a pixel from 0 to 255: unit (x/255), symmetric
    /// (x/127.5 - 1), imagenet (mean and deviation of ImageNet), or a mean and what divides, as
    /// 127/128
    #[arg(long, value_name = "SCALE", default_value = "imagenet")]
    pub pixels: String,
    /// Seed of --sample
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
