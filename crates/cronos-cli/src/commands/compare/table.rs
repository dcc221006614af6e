//! A comparison as a table, one line for each optimizer.

use super::outcome::{Contender, Outcome};
use crate::output::colours;
use crate::summary::two_columns;
use cronos_deep::Goal;
use std::fmt::Write;
use std::io::IsTerminal;

impl Outcome<'_> {
    pub fn text(&self) -> String {
        let headline = match self.status {
            "done" => "compared; every run went over the rows equally often",
            "interrupted" => "interrupted; the runs that were done:",
            _ => "stopped at the time limit; the runs that were done:",
        };
        let mut text = two_columns(headline, &self.lines());
        let (bold, plain) = match colours(std::io::stdout().is_terminal()) {
            true => ("\u{1b}[1m", "\u{1b}[0m"),
            false => ("", ""),
        };
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "\n{:<10} {:>6} {:>22} {:>10} {:>9} {:>9}",
            "optimizer",
            "runs",
            format!("validation {}", self.measure()),
            "best rate",
            "test",
            "seconds"
        );
        let highest = (self.contenders.iter())
            .map(|contender| contender.peaks().1)
            .fold(f64::NEG_INFINITY, f64::max);
        for contender in &self.contenders {
            let line = self.line(contender);
            let (on, off) = match contender.peaks().1 == highest {
                true => (bold, plain),
                false => ("", ""),
            };
            let _ = writeln!(text, "{on}{line}{off}");
        }
        text
    }

    fn measure(&self) -> &'static str {
        match self.data.goal {
            Goal::Classes => "accuracy",
            Goal::Numbers => "R²",
        }
    }

    fn score(&self, value: f64) -> String {
        match self.data.goal {
            _ if !value.is_finite() => "-".into(),
            Goal::Classes => format!("{:.2}", 100.0 * value),
            Goal::Numbers => format!("{value:.4}"),
        }
    }

    fn unit(&self) -> &'static str {
        match self.data.goal {
            Goal::Classes => " %",
            Goal::Numbers => "",
        }
    }

    fn line(&self, contender: &Contender) -> String {
        let (lowest, highest) = contender.peaks();
        let peaks = match contender.runs.len() {
            1 => self.score(highest),
            _ => format!("{} to {}", self.score(lowest), self.score(highest)),
        };
        let best = contender.best();
        let rate = best.and_then(|run| run.rate);
        let test = best.and_then(|run| run.test.as_ref());
        let runs = match (contender.runs.len(), contender.rules.len()) {
            (done, wanted) if done == wanted => done.to_string(),
            (done, wanted) => format!("{done}/{wanted}"),
        };
        format!(
            "{:<10} {runs:>6} {:>22} {:>10} {:>9} {:>9.2}",
            contender.name,
            peaks + self.unit(),
            rate.map_or("-".into(), |rate| format!("{rate:.2e}")),
            test.map_or("-".into(), |test| self.score(test.value()) + self.unit()),
            contender.seconds()
        )
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let network = &self.compare.network;
        let [train, validation, test] = self.rows();
        let mut lines = vec![
            (
                "data",
                format!(
                    "{}: {train} rows to train on, {validation} to choose by, {test} to test on, \
                     {} features",
                    self.job.name,
                    self.job.feature_names.len()
                ),
            ),
            (
                "network",
                format!(
                    "{}, then two layers with {} gates; {} loss, {} epochs, batches of {}",
                    network.arch,
                    network.gates,
                    self.data.loss.name(),
                    self.recipe.epochs(self.data),
                    network.batch
                ),
            ),
            (
                "rates",
                format!(
                    "{} drawn from {}, seed {}",
                    self.rates.len(),
                    self.compare.range,
                    network.source.seed
                ),
            ),
            (
                "columns",
                "the range of the peaks over the rates; rate and test of the best run; seconds of \
                 all runs"
                    .into(),
            ),
            ("time", format!("{:.2} s", self.total_seconds)),
        ];
        lines.extend(self.diverged().map(|text| ("diverged", text)));
        for (name, file) in [("csv", &self.compare.csv), ("plot", &self.compare.plot)] {
            let saved = |file: &std::path::PathBuf| format!("saved to {}", file.display());
            lines.extend(file.as_ref().map(|file| (name, saved(file))));
        }
        lines
    }
    /// Who diverged, and at which rates.
    fn diverged(&self) -> Option<String> {
        let of = |contender: &Contender| {
            let runs = contender.runs.iter().filter(|run| run.diverged);
            let rates: Vec<String> = runs
                .filter_map(|run| Some(format!("{:.2e}", run.rate?)))
                .collect();
            (!rates.is_empty()).then(|| format!("{} at {}", contender.name, rates.join(", ")))
        };
        let all: Vec<String> = self.contenders.iter().filter_map(of).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}
