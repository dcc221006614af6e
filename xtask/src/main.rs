//! The `xtask` command: tests and benchmarks of the workspace.

mod bench;
mod browser;
mod test;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  test                 format, lints, tests, the comparison with Python, and the pages of
                       reports in a browser
  bench [NAME] [ARG]…  the benchmark NAME (default: solver), with its arguments
  help                 this text

Benchmarks: solver
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("test") if arguments.len() == 1 => test::run(),
        Some("test") => Err("test takes no arguments; see cargo xtask help".into()),
        Some("bench") => bench::run(&arguments[1..]),
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            Ok(())
        }
        Some(other) => Err(format!("there is no command {other}; see cargo xtask help")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
