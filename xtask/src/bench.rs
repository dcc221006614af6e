//! `cargo xtask bench`: measurements that take long and pass no judgement.

use xtask::step::{cargo, execute};

/// Runs the benchmark named first, `solver` if there is none, and hands it the
/// arguments that follow.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let (name, rest) = match arguments.split_first() {
        Some((name, rest)) if !name.starts_with('-') => (name.as_str(), rest),
        _ => ("solver", arguments),
    };
    match name {
        "solver" | "convergence" | "loop" => {
            let line = format!("run --release --locked --package cronos --example bench_{name} --");
            execute(cargo(&line).args(rest))
        }
        other => Err(format!(
            "there is no benchmark {other}; there are: solver, convergence, loop"
        )),
    }
}
