//! The command line.

use crate::tables;
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
    /// Summarise what was measured
    #[command(subcommand)]
    Report(Report),
}

#[derive(Subcommand)]
pub enum Run {
    /// Test accuracy on many small tables
    Tables(tables::RunOptions),
}

#[derive(Subcommand)]
pub enum Report {
    /// Accuracies, ranks and times over the tables
    Tables(tables::ReportOptions),
}
