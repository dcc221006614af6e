//! The `cronos` command: train, verify and export convex networks from a shell.

mod arguments;
mod commands;
mod failure;
mod in_file;
mod interrupt;
mod memory;
mod model_file;
mod output;
mod panics;
mod progress;
mod report;
mod score;
mod summary;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match panics::caught(|| run(&arguments)) {
        Ok(code) => code,
        Err(failure) => {
            // nothing is left to be done if even standard error is closed
            let _ = output::complain(&failure.to_string());
            failure.exit_code()
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if !matches!(arguments.command, Command::Fit(_) | Command::Path(_)) {
        commands::ranks::refuse()?;
    }
    match &arguments.command {
        Command::Fit(fit) => commands::fit::run(fit),
        Command::Path(path) => commands::path::run(path),
        Command::Deep(deep) => commands::deep::run(deep),
        Command::Compare(compare) => commands::compare::run(compare),
        Command::Text(text) => commands::text::run(text),
        Command::Embed(embed) => commands::embed::run(embed),
        Command::Predict(predict) => commands::predict::run(predict),
        Command::Eval(eval) => commands::eval::run(eval),
        Command::Inspect(inspect) => commands::inspect::run(inspect),
        Command::Export(export) => commands::export::run(export),
        Command::Devices(devices) => commands::devices::run(devices),
    }
}
