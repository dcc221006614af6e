//! The command line.

use crate::{gates, paper, tables};
use clap::{Parser, Subcommand};

/// Measurements of cronos against other software.
#[derive(Parser)]
#[command(name = "experiments")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// List the experiments
    List,
    /// Run an experiment; a run that was stopped goes on where it was
    #[command(subcommand)]
    Run(Run),
    /// Summarise what was measured: without a name, everything of the paper on one page
    #[command(args_conflicts_with_subcommands = true)]
    Report {
        #[command(subcommand)]
        of: Option<Report>,
        #[command(flatten)]
        page: paper::PageOptions,
    },
}

#[derive(Subcommand)]
pub enum Run {
    /// Test accuracy on many small tables
    Tables(tables::RunOptions),
    /// Objectives of learned and random gates, and of PyTorch
    Gates(gates::RunOptions),
    #[command(flatten)]
    Paper(paper::Chosen),
}

#[derive(Subcommand)]
pub enum Report {
    /// Accuracies, ranks and times over the tables
    Tables(tables::ReportOptions),
    /// Objectives and times
    Gates(gates::ReportOptions),
}
