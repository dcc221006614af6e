//! The `xtask` command: tests and benchmarks of the workspace.

mod bench;
mod browser;
mod debian;
mod device;
mod fuzz;
mod mpi;
mod package;
mod test;
mod torch;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  test                 format, lints, tests, the comparison with Python (exported models,
                       optimizers), the Python package, the pages of reports in a browser, and
                       devices; --from STEP goes on with a step, as after one that failed
  wheel                builds the wheel of the Python package in target/wheels;
                       --features mpi, gpu or cuda, separated by commas, for ranks or devices
  bench [NAME]         all benchmarks, or one of: peers, fashion, loop, solver, convergence,
                       deep, scaling, language, python;
                       writes target/bench/bench.md and bench.json
  fuzz [NAME]          readers and solvers against made-up bytes, a million times each, or as often
                       as --runs says; what goes wrong is kept in fuzz/artifacts
  help                 this text

Options of bench:
  --quick              small sizes and short runs, and a check that all solvers solve the same
                       program; results go to target/bench/quick
  --limit SECONDS      seconds a run may take [default: 600, solver 30, convergence 40]
  --longest SECONDS    seconds a peer may take to show how many times slower than cronos it is
  --repeats N          runs of what is fast, the best counts [default: 3]
  --images DIR         folder of Fashion-MNIST's IDX files [default: FASHION_MNIST, or Debian's
                       package, which is fetched if it is missing]
  --texts DIR          folder of imdb_train.jsonl.gz and imdb_test.jsonl.gz, for language
  --encoder NAME=PATH@TEXTS@LENGTH
                       an encoder for language, how many texts it reads and how many tokens of
                       each; may be given again
  --resume             keep the problems of peers that were done with the same limit
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("test") => test::run(&arguments[1..]),
        Some("wheel") => package::wheel(&arguments[1..]),
        Some("fuzz") => fuzz::run(&arguments[1..]),
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
