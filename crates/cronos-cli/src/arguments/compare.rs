//! What `compare` takes besides the network.

use super::deep::Network;
use super::knobs::parse_count;
use clap::Args;
use cronos_deep::optim::Method;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Args)]
#[command(
    mut_arg("epochs", |arg| arg.help("Times that every run goes over all rows")),
    mut_arg("time_limit", |arg| arg.help("Seconds at most, for all runs together")),
    mut_arg("json", |arg| arg.help("Print one JSON object, with every epoch of every run, instead \
        of a table"))
)]
pub struct Compare {
    #[command(flatten)]
    pub network: Network,
    /// Optimizers to train all layers with, separated by commas: sgd, adam, adamw, yogi, shampoo,
    /// dadam and dadamw, or all
    #[arg(long, value_name = "NAMES", default_value = "all")]
    pub optimizers: Optimizers,
    /// Learning rates that each optimizer is run with, the same for all; dadam and dadamw find
    /// their own and run once
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true,
        value_parser = parse_count)]
    pub rates: usize,
    /// Where rates are drawn from, every factor alike: two numbers such as 1e-4..0.1, whose
    /// exponents may have decimals
    #[arg(
        long,
        value_name = "LOW..HIGH",
        default_value = "1e-5.5..1e-1.5",
        allow_hyphen_values = true
    )]
    pub range: RateRange,
    /// Write a line for every epoch of every run here
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw the validation score against the seconds of training here (SVG)
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

/// Some of the optimizers, in the order in which they are reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimizers(pub Vec<Method>);

impl FromStr for Optimizers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self(Method::ALL.to_vec()));
        }
        let named: Vec<&str> = text.split(',').map(str::trim).collect();
        let known = |name: &str| Method::ALL.iter().any(|method| method.name() == name);
        if let Some(other) = named.iter().find(|name| !known(name)) {
            let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
            return Err(format!(
                "{other:?} is no optimizer; give all, or some of {}",
                names.join(",")
            ));
        }
        let wanted = |method: &Method| named.contains(&method.name());
        Ok(Self(Method::ALL.into_iter().filter(wanted).collect()))
    }
}

/// The smallest and the largest rate that may be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateRange {
    pub low: f64,
    pub high: f64,
}

impl FromStr for RateRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((low, high)) = text.split_once("..") else {
            return Err("give two rates with two dots between them, as 1e-5.5..1e-1.5".into());
        };
        let (low, high) = (rate(low)?, rate(high)?);
        match low < high {
            true => Ok(Self { low, high }),
            false => Err("the first rate must be below the second, as in 1e-5.5..1e-1.5".into()),
        }
    }
}

impl fmt::Display for RateRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2e} to {:.2e}", self.low, self.high)
    }
}

/// A number above 0, whose exponent may have decimals: `3e-4.5` is `3 · 10^−4.5`.
fn rate(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (factor, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    // neither part has an exponent of its own, and neither is a word such as `inf`
    let number = |part: &str| {
        let plain = part
            .chars()
            .all(|letter| letter.is_ascii_digit() || ".+-".contains(letter));
        part.parse::<f64>().ok().filter(|_| plain)
    };
    let value = match (number(factor), number(exponent)) {
        (Some(factor), Some(exponent)) => factor * 10f64.powf(exponent),
        _ => {
            return Err(format!(
                "{text:?} is no rate; give a number above 0, as 0.001, 1e-3 or 1e-2.5"
            ));
        }
    };
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(format!(
            "{text:?} is {value}; a rate must be above 0 and finite"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{Optimizers, RateRange};
    use cronos_deep::optim::Method;

    #[test]
    fn exponents_may_have_decimals() {
        let range: RateRange = "1e-5.5..3e-1.5".parse().unwrap();
        assert!((range.low.log10() + 5.5).abs() < 1e-12);
        assert!(((range.high / 3.0).log10() + 1.5).abs() < 1e-12);
        let range: RateRange = "0.001..1E-1".parse().unwrap();
        assert_eq!((range.low, range.high), (0.001, 0.1));
    }

    #[test]
    fn other_ranges_are_refused() {
        for (text, sentence) in [
            ("1e-3", "two dots"),
            ("1e-2..1e-3", "below the second"),
            ("1e-3..1e-3", "below the second"),
            ("0..1", "above 0"),
            ("-1..1", "above 0"),
            ("1e-3..1e999", "finite"),
            ("1e-3..inf", "\"inf\" is no rate"),
            ("1e-3..nan", "\"nan\" is no rate"),
            ("1e-3..", "\"\" is no rate"),
            ("1e-3e-2..1", "no rate"),
        ] {
            let refused = text.parse::<RateRange>().unwrap_err();
            assert!(refused.contains(sentence), "{text}: {refused}");
        }
    }

    #[test]
    fn optimizers_keep_their_order() {
        let some: Optimizers = "yogi, sgd,yogi".parse().unwrap();
        assert_eq!(some.0, [Method::Sgd, Method::Yogi]);
        assert_eq!("all".parse::<Optimizers>().unwrap().0, Method::ALL);
        let refused = "sgd,lion".parse::<Optimizers>().unwrap_err();
        assert!(refused.starts_with("\"lion\" is no optimizer"), "{refused}");
    }
}
