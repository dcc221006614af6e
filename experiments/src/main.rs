//! The `experiments` command: measurements of cronos against other software.
//!
//! Those of the paper are in [`paper`], and a line in [`paper::ALL`] adds one. The others are
//! modules of their own, with a line in [`registry::OTHERS`] and a variant in [`arguments::Run`]
//! and [`arguments::Report`].

mod arguments;
mod gates;
mod paper;
mod rank;
mod records;
mod registry;
mod script;
mod tables;

use arguments::{Arguments, Command, Report, Run};
use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::List => print(&registry::list()),
        Command::Run(Run::Tables(options)) => tables::run(options),
        Command::Run(Run::Gates(options)) => gates::run(options),
        Command::Run(Run::Paper(chosen)) => paper::run(chosen),
        Command::Report { of: None, page } => paper::page(page).and_then(|text| print(&text)),
        Command::Report { of: Some(of), .. } => match of {
            Report::Gates(options) => gates::report(options).and_then(|text| print(&text)),
            Report::Tables(options) => tables::report(options).and_then(|text| print(&text)),
        },
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("experiments: {message}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints to standard output; that its reader went away is no error.
fn print(text: &str) -> Result<(), String> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(format!("standard output cannot be written: {error}"))
        }
        _ => Ok(()),
    }
}

/// Prints a line to standard error; nothing is left to be done if even that is closed.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
