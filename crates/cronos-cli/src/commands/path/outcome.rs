//! What came out of a path, for people and for programs.

use super::value;
use crate::arguments;
use crate::commands::job::Job;
use crate::output::colours;
use crate::report::{PathPoint, number, percent, whole};
use crate::score::Score;
use crate::{memory, report};
use cronos::{Fitted, Model, Path, Status};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::IsTerminal;

/// A penalty that was done.
pub struct Point<'a> {
    pub fitted: &'a Fitted,
    pub model: Model,
    pub train: Score,
    pub validation: Option<Score>,
}

/// A path and all that was said about it.
pub struct Outcome<'a> {
    job: &'a Job,
    arguments: &'a arguments::Path,
    path: &'a Path,
    pub points: Vec<Point<'a>>,
    /// The best on the validation rows, the largest penalty of equals.
    pub best: Option<usize>,
    /// Of the best.
    pub test: Option<Score>,
    pub total_seconds: f64,
}

impl<'a> Outcome<'a> {
    pub fn new(
        job: &'a Job,
        arguments: &'a arguments::Path,
        path: &'a Path,
        points: Vec<Point<'a>>,
    ) -> Self {
        let mut best: Option<(usize, f64)> = None;
        for (at, point) in points.iter().enumerate() {
            let score = value(point.validation.as_ref());
            if score.is_finite() && best.is_none_or(|(_, highest)| score > highest) {
                best = Some((at, score));
            }
        }
        Self {
            job,
            arguments,
            path,
            points,
            best: best.map(|(at, _)| at),
            test: None,
            total_seconds: 0.0,
        }
    }

    pub fn best_point(&self) -> Option<&Point<'a>> {
        self.points.get(self.best?)
    }

    /// `β / β_max`
    fn relative(&self, point: &Point<'_>) -> f64 {
        point.fitted.beta / self.path.zero_beta
    }

    fn iterations(&self) -> usize {
        self.points.iter().map(|p| p.fitted.iterations).sum()
    }

    /// For the charts.
    pub fn plotted(&self) -> Vec<PathPoint> {
        let plotted = |(at, point): (usize, &Point<'_>)| PathPoint {
            beta: point.fitted.beta,
            objective: point.fitted.certificate.objective,
            lower_bound: point.fitted.certificate.lower_bound,
            neurons: point.model.network.neurons(),
            train_score: point.train.value(),
            validation_score: value(point.validation.as_ref()),
            spread: 0.0,
            chosen: self.best == Some(at),
        };
        self.points.iter().enumerate().map(plotted).collect()
    }

    pub fn csv(&self) -> String {
        let mut text = String::from(
            "beta,relative_beta,status,iterations,objective,lower_bound,gap,violation,\
             network_objective,neurons,train_score,validation_score,best,seconds\n",
        );
        for (at, point) in self.points.iter().enumerate() {
            let (fitted, certificate) = (point.fitted, &point.fitted.certificate);
            let validation = point
                .validation
                .as_ref()
                .map(|score| score.value().to_string());
            // writing to a string cannot fail
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                fitted.beta,
                self.relative(point),
                fitted.status.name(),
                fitted.iterations,
                certificate.objective,
                certificate.lower_bound,
                certificate.gap,
                certificate.violation,
                certificate.network_objective,
                point.model.network.neurons(),
                point.train.value(),
                validation.unwrap_or_default(),
                u8::from(self.best == Some(at)),
                fitted.seconds.total()
            );
        }
        text
    }

    pub fn json(&self) -> Value {
        // the first point is the zero network, which needs no solver
        let last = &self.points[self.points.len() - 1];
        let training = &last.model.training;
        let setup: f64 = self.points.iter().map(|p| p.fitted.seconds.setup).sum();
        let solving: f64 = self.points.iter().map(|p| p.fitted.seconds.total()).sum();
        let file = |path: &Option<std::path::PathBuf>| {
            path.as_ref().map(|path| path.display().to_string())
        };
        json!({
            "status": self.path.status.name(),
            "iterations": self.iterations(),
            "zero_beta": self.path.zero_beta,
            "best": self.best,
            "points": self.points.iter().map(|point| self.point_json(point)).collect::<Vec<_>>(),
            "test": self.test.as_ref().map(Score::json),
            "solver": training.solver,
            "solver_reason": last.fitted.reason,
            "device": last.fitted.place.to_string(),
            "gates": last.fitted.gates,
            "loss": training.loss,
            "activation": training.activation,
            "precision": training.precision,
            "seed": training.seed,
            "data": {
                "name": self.job.name,
                "fingerprint": training.data_fingerprint,
                "rows": training.rows,
                "features": last.model.features(),
                "outputs": last.model.network.outputs(),
                "target": last.model.target_name,
            },
            "seconds": {
                "total": self.total_seconds,
                "setup": setup,
                "iterations": solving - setup,
            },
            "peak_memory_bytes": memory::peak_bytes(),
            "model": file(&self.arguments.fit.out).filter(|_| self.best.is_some()),
            "csv": file(&self.arguments.csv),
            "plot": file(&self.arguments.plot),
        })
    }

    fn point_json(&self, point: &Point<'_>) -> Value {
        let (fitted, certificate) = (point.fitted, &point.fitted.certificate);
        json!({
            "beta": fitted.beta,
            "relative_beta": self.relative(point),
            "status": fitted.status.name(),
            "iterations": fitted.iterations,
            "objective": certificate.objective,
            "lower_bound": certificate.lower_bound,
            "gap": certificate.gap,
            "violation": certificate.violation,
            "network_objective": certificate.network_objective,
            "neurons": point.model.network.neurons(),
            "train": point.train.json(),
            "validation": point.validation.as_ref().map(Score::json),
            "seconds": fitted.seconds.total(),
        })
    }

    pub fn text(&self) -> String {
        let (bold, plain) = match colours(std::io::stdout().is_terminal()) {
            true => ("\u{1b}[1m", "\u{1b}[0m"),
            false => ("", ""),
        };
        let mut text = format!("{bold}{}{plain}\n", ended(self.path.status));
        for (name, value) in self.lines() {
            let _ = writeln!(text, "  {name:<12}{value}");
        }
        let _ = write!(
            text,
            "\n{:>12} {:>9} {:>12} {:>12} {:>9} {:>8} {:>9} {:>11}\n",
            "β", "β/β max", "objective", "bound", "gap", "neurons", "train", "validation"
        );
        let measure = report::Measure {
            percent: matches!(self.points[0].train, Score::Classes { .. }),
            ..report::Measure::default()
        };
        let score = |score: Option<&Score>| match (score, measure.percent) {
            (None, _) => "-".into(),
            (Some(score), true) => percent(score.value()),
            (Some(score), false) => number(score.value()),
        };
        for (at, point) in self.points.iter().enumerate() {
            let certificate = &point.fitted.certificate;
            let best = self.best == Some(at);
            let unsolved = match point.fitted.status {
                Status::Solved => "",
                other => other.name(),
            };
            let line = format!(
                "{:>12} {:>9} {:>12} {:>12} {:>9} {:>8} {:>9} {:>11}  {}{unsolved}",
                number(point.fitted.beta),
                format!("{:.5}", self.relative(point)),
                number(certificate.objective),
                number(certificate.lower_bound),
                percent(certificate.gap),
                whole(point.model.network.neurons()),
                score(Some(&point.train)),
                score(point.validation.as_ref()),
                if best { "best " } else { "" },
            );
            let (on, off) = if best { (bold, plain) } else { ("", "") };
            let _ = writeln!(text, "{on}{}{off}", line.trim_end());
        }
        text
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        // the first point is the zero network, which needs no solver
        let last = &self.points[self.points.len() - 1];
        let training = &last.model.training;
        let judged = match &last.validation {
            Some(Score::Classes { rows, .. } | Score::Numbers { rows, .. }) => {
                format!("validated on {rows}")
            }
            None => "validated on none".into(),
        };
        let mut lines = vec![
            (
                "data",
                format!(
                    "{}: trained on {} rows, {judged}, {} features",
                    self.job.name,
                    training.rows,
                    last.model.features()
                ),
            ),
            (
                "path",
                format!(
                    "{} of {} penalties, from the smallest that leaves nothing, β = {}; {} loss, \
                     {} {} gates",
                    self.points.len(),
                    self.arguments.steps,
                    number(self.path.zero_beta),
                    training.loss,
                    last.fitted.gates,
                    training.activation
                ),
            ),
        ];
        lines.extend(self.best_line().map(|line| ("best", line)));
        lines.extend(self.test.as_ref().map(|test| ("test", test.text())));
        let (seconds, iterations) = (self.total_seconds, self.iterations());
        lines.push((
            "solver",
            format!(
                "{}, {iterations} iterations in all, {seconds:.2} s",
                training.solver
            ),
        ));
        let fit = &self.arguments.fit;
        for (name, file) in [
            ("model", fit.out.as_ref().filter(|_| self.best.is_some())),
            ("csv", self.arguments.csv.as_ref()),
            ("plot", self.arguments.plot.as_ref()),
            ("report", fit.report.as_ref()),
        ] {
            lines.extend(file.map(|file| (name, format!("saved to {}", file.display()))));
        }
        lines
    }
}

impl Outcome<'_> {
    /// The best, and whether a better one may lie beyond the end of the path.
    fn best_line(&self) -> Option<String> {
        let best = self.best_point()?;
        let beyond = match self.best == Some(self.arguments.steps - 1) {
            true => "; it is the last, so try a smaller --smallest",
            false => "",
        };
        Some(format!(
            "β = {} with {} neurons: {}{beyond}",
            number(best.fitted.beta),
            best.model.network.neurons(),
            best.validation.as_ref()?.text()
        ))
    }
}

/// How a path ended.
fn ended(status: Status) -> &'static str {
    match status {
        Status::Solved => "solved to the tolerance at every penalty",
        Status::TimeLimit => "stopped at the time limit; the penalties that were done:",
        Status::Interrupted => "interrupted; the penalties that were done:",
        Status::IterationLimit => "stopped at the iteration limit at some penalties:",
        Status::Stalled => {
            "stopped at the precision of the arithmetic at some penalties; --precision f64 goes \
             further:"
        }
        _ => "stopped by a numerical failure; the penalties that were done:",
    }
}
