//! The methods that are compared, and the problem they are compared on.

use clap::ValueEnum;
use serde_json::{Value, json};
use xtask::step::root;

/// The penalty.
pub const BETA: f64 = 0.5;
/// Gates that are drawn, units at most that are learned, units that PyTorch trains.
pub const GATES: usize = 120;
/// The classes that are 1; the others are −1.
const POSITIVE: [u32; 5] = [5, 6, 7, 8, 9];

/// A method. The names on the command line are those of [`Method::name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// The convex program of random gates
    Random,
    /// Learned gates
    Learned,
    /// PyTorch, full-batch L-BFGS
    Lbfgs,
    /// PyTorch, full-batch Adam
    Adam,
}

impl Method {
    /// The name in commands, records and reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Random => "random",
            Method::Learned => "learned",
            Method::Lbfgs => "lbfgs",
            Method::Adam => "adam",
        }
    }

    /// What it is, in a report.
    pub fn about(self) -> &'static str {
        match self {
            Method::Random => "random gates, convex program",
            Method::Learned => "learned gates",
            Method::Lbfgs => "PyTorch, L-BFGS",
            Method::Adam => "PyTorch, Adam",
        }
    }

    /// How often it is run.
    pub fn seeds(self) -> u64 {
        match self {
            Method::Random | Method::Learned => 3,
            Method::Lbfgs | Method::Adam => 20,
        }
    }

    /// Whether it is a method of cronos.
    pub fn is_cronos(self) -> bool {
        matches!(self, Method::Random | Method::Learned)
    }

    /// Steps of PyTorch at most.
    pub fn steps(self, quick: bool) -> usize {
        match self {
            _ if quick => 200,
            Method::Adam => 6_000,
            _ => 8_000,
        }
    }

    /// The arguments of `cronos` that solve the problem.
    pub fn arguments(self, seed: u64) -> Vec<String> {
        let positive: Vec<String> = POSITIVE.iter().map(u32::to_string).collect();
        let line = format!(
            "fit digits --positive {} --loss squared --beta {BETA} --gates {GATES} --holdout 0 \
             --seed {seed}",
            positive.join(",")
        );
        let mut arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        if self == Method::Learned {
            arguments.push("--learn-gates".into());
        }
        arguments
    }
}

/// The problem, as the script wants it.
pub fn problem() -> Value {
    json!({
        "data": root().join("crates/cronos-data/builtin/digits.csv.gz"),
        "positive": POSITIVE,
        "beta": BETA,
        "neurons": GATES,
    })
}

#[cfg(test)]
mod tests {
    use super::{Method, ValueEnum};

    #[test]
    fn names_are_those_of_the_command_line() {
        for method in Method::value_variants() {
            let value = method.to_possible_value().unwrap();
            assert_eq!(value.get_name(), method.name());
        }
    }

    #[test]
    fn only_learned_gates_are_learned() {
        let learns = |method: Method| method.arguments(7).contains(&"--learn-gates".to_owned());
        assert!(learns(Method::Learned) && !learns(Method::Random));
        let line = Method::Random.arguments(7).join(" ");
        assert!(line.starts_with("fit digits --positive 5,6,7,8,9 --loss squared --beta 0.5"));
        assert!(line.ends_with("--seed 7"), "{line}");
    }
}
