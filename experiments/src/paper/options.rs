//! What can be said on the command line.

use super::{ALL, Experiment};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};
use std::path::PathBuf;
use xtask::step::target;

/// How an experiment is run.
#[derive(Args, Clone)]
pub struct RunOptions {
    /// Folder with the data sets, each in a folder of its own: cifar10, fashion-mnist,
    /// imagenet-bird-shark-512, food5k-256, imdb; the first two are fetched if they are missing
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Seeds, each with rows, rates and first weights of its own
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: u64,
    /// The same on less: to see that everything works, not to measure; kept apart
    #[arg(long)]
    pub quick: bool,
    /// An encoder for the texts: the folder or file of a GPT-2, BERT or Llama
    #[arg(long, value_name = "PATH")]
    pub encoder: Option<PathBuf>,
    /// The cronos program to measure [default: built from the source beside this]
    #[arg(long, value_name = "FILE")]
    pub cronos: Option<PathBuf>,
    /// Where measurements are kept [default: experiments/paper in the target folder, or
    /// experiments/quick]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
}

/// How the page is made.
#[derive(Args)]
pub struct PageOptions {
    /// Of what was measured with --quick
    #[arg(long)]
    pub quick: bool,
    /// Where measurements are kept [default: experiments/paper in the target folder, or
    /// experiments/quick]
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// Where the page is written [default: index.html beside the measurements]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The folder of the measurements, from wherever a child process looks at it.
pub fn folder(chosen: Option<&PathBuf>, quick: bool) -> Result<PathBuf, String> {
    let usual = if quick { "quick" } else { "paper" };
    match chosen {
        None => Ok(target().join("experiments").join(usual)),
        Some(path) => std::path::absolute(path)
            .map_err(|error| format!("{} cannot be found: {error}", path.display())),
    }
}

/// The experiments that were chosen by name, one or all.
pub struct Chosen {
    pub experiments: Vec<&'static Experiment>,
    pub options: RunOptions,
}

impl Subcommand for Chosen {
    fn augment_subcommands(command: Command) -> Command {
        let add = |command: Command, name: &'static str, about: &'static str| {
            command.subcommand(RunOptions::augment_args(Command::new(name).about(about)))
        };
        let command = add(
            command,
            "all",
            "Every experiment of the paper, one after another",
        );
        let one = |command, one: &&'static Experiment| add(command, one.name, one.about);
        ALL.iter().fold(command, one)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name == "all" || ALL.iter().any(|one| one.name == name)
    }
}

impl FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let Some((name, inner)) = matches.subcommand() else {
            return Err(Error::new(ErrorKind::MissingSubcommand));
        };
        let named = |one: &&&Experiment| name == "all" || one.name == name;
        Ok(Chosen {
            experiments: ALL.iter().filter(named).copied().collect(),
            options: RunOptions::from_arg_matches(inner)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
