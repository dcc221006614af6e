//! What came out of a comparison, for programs and for the figure.

use crate::arguments::Compare;
use crate::commands::job::Job;
use crate::memory;
use crate::report::Trajectories;
use crate::score::Score;
use cronos_deep::optim::Method;
use cronos_deep::{ALTERNATION, Data, Epoch, Goal, Recipe, Rule};
use serde_json::{Value, json};
use std::fmt::Write;

/// A run that came to its end.
pub struct Run {
    /// `None` where none has to be chosen.
    pub rate: Option<f64>,
    /// The epoch that was chosen on the validation rows.
    pub best: usize,
    pub history: Vec<Epoch>,
    /// Of the network of that epoch.
    pub test: Option<Score>,
    /// Whether it ended in numbers that are none.
    pub diverged: bool,
    /// The penalty on the last two layers.
    pub beta: f64,
}

impl Run {
    /// The epoch with the highest score on the validation rows.
    pub fn peak(&self) -> &Epoch {
        (self.history.iter())
            .reduce(|best, epoch| match better(epoch, best) {
                true => epoch,
                false => best,
            })
            .unwrap_or(&self.history[self.best])
    }

    /// Seconds of training.
    pub fn seconds(&self) -> f64 {
        self.history.last().map_or(0.0, |epoch| epoch.seconds)
    }

    fn json(&self) -> Value {
        json!({
            "rate": self.rate,
            "diverged": self.diverged,
            "best_epoch": self.best,
            "peak": self.peak().validation,
            "test": self.test.as_ref().map(Score::json),
            "seconds": self.seconds(),
            "history": self.history.iter().map(|epoch| json!({
                "epoch": epoch.number,
                "seconds": epoch.seconds,
                "train": epoch.train,
                "validation": epoch.validation,
                "validation_loss": epoch.validation_loss,
            })).collect::<Vec<_>>(),
        })
    }
}

/// Whether an epoch does better on the validation rows than another; of two that score the same
/// the one whose loss is lower does.
fn better(epoch: &Epoch, other: &Epoch) -> bool {
    let (score, before) = (epoch.validation, other.validation);
    score > before || score == before && epoch.validation_loss < other.validation_loss
}

/// An optimizer, or the alternation.
pub struct Contender {
    pub name: &'static str,
    /// The runs that were wanted, with their rates.
    pub rules: Vec<(Rule, Option<f64>)>,
    /// Those that came to their end, in the same order.
    pub runs: Vec<Run>,
}

impl Contender {
    /// The run with the best epoch.
    pub fn best(&self) -> Option<&Run> {
        let runs = self.runs.iter();
        runs.reduce(|best, run| match better(run.peak(), best.peak()) {
            true => run,
            false => best,
        })
    }

    /// The lowest and the highest of the peaks.
    pub fn peaks(&self) -> (f64, f64) {
        let peaks = self.runs.iter().map(|run| run.peak().validation);
        peaks.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), peak| {
            (low.min(peak), high.max(peak))
        })
    }

    /// Seconds of training with all rates.
    pub fn seconds(&self) -> f64 {
        self.runs.iter().map(Run::seconds).sum()
    }

    fn json(&self) -> Value {
        let (lowest, highest) = self.peaks();
        let best = self.best();
        json!({
            "name": self.name,
            "runs_wanted": self.rules.len(),
            "lowest_peak": lowest,
            "highest_peak": highest,
            "best_rate": best.and_then(|run| run.rate),
            "test": best.and_then(|run| run.test.as_ref()).map(Score::json),
            "seconds": self.seconds(),
            "runs": self.runs.iter().map(Run::json).collect::<Vec<_>>(),
        })
    }
}

/// A comparison and all that was said about it.
pub struct Outcome<'a> {
    pub compare: &'a Compare,
    pub recipe: &'a Recipe,
    pub job: &'a Job,
    pub data: &'a Data<'a>,
    /// Those that were drawn.
    pub rates: Vec<f64>,
    /// With at least one run each.
    pub contenders: Vec<Contender>,
    /// `done`, `interrupted` or `time-limit`.
    pub status: &'static str,
    pub total_seconds: f64,
}

impl Outcome<'_> {
    /// The penalty of the alternation, which may have been lowered.
    fn beta(&self) -> f64 {
        let asked = self.recipe.beta(self.data);
        let mut contenders = self.contenders.iter();
        let alternation = contenders.find(|own| own.name == ALTERNATION);
        let run = alternation.and_then(|own| own.runs.first());
        run.map_or(asked, |run| run.beta)
    }

    pub fn json(&self) -> Value {
        let network = &self.compare.network;
        let [train, validation, test] = self.rows();
        let file = |path: &Option<std::path::PathBuf>| {
            path.as_ref().map(|path| path.display().to_string())
        };
        json!({
            "status": self.status,
            "architecture": network.arch.to_string(),
            "epochs": self.recipe.epochs(self.data),
            "batch": network.batch,
            "loss": self.data.loss.name(),
            "score": match self.data.goal {
                Goal::Classes => "accuracy",
                Goal::Numbers => "r2",
            },
            "alpha": network.alpha,
            "beta": self.beta(),
            "gates": network.gates,
            "seed": network.source.seed,
            "range": [self.compare.range.low, self.compare.range.high],
            "rates": self.rates,
            "optimizers": self.contenders.iter().map(Contender::json).collect::<Vec<_>>(),
            "data": {
                "name": self.job.name,
                "fingerprint": self.job.fingerprint,
                "train_rows": train,
                "validation_rows": validation,
                "test_rows": test,
                "features": self.job.feature_names.len(),
            },
            "seconds": {
                "total": self.total_seconds,
                "training": self.contenders.iter().map(Contender::seconds).sum::<f64>(),
            },
            "peak_memory_bytes": memory::peak_bytes(),
            "csv": file(&self.compare.csv),
            "plot": file(&self.compare.plot),
        })
    }

    /// Rows to train on, to choose by and to test on.
    pub fn rows(&self) -> [usize; 3] {
        let [train, validation] = self.data.rows();
        let test = self.job.test.as_ref().map_or(0, |(x, _)| x.rows());
        [train, validation, test]
    }

    pub fn csv(&self) -> String {
        let mut text =
            String::from("optimizer,rate,epoch,seconds,train,validation,validation_loss\n");
        for contender in &self.contenders {
            for run in &contender.runs {
                let rate = run.rate.map(|rate| rate.to_string()).unwrap_or_default();
                for epoch in &run.history {
                    // writing to a string cannot fail
                    let _ = writeln!(
                        text,
                        "{},{rate},{},{},{},{},{}",
                        contender.name,
                        epoch.number,
                        epoch.seconds,
                        epoch.train,
                        epoch.validation,
                        epoch.validation_loss
                    );
                }
            }
        }
        text
    }

    /// For the figure.
    pub fn plotted(&self) -> Vec<Trajectories> {
        let place = |name: &str| Method::ALL.iter().position(|method| method.name() == name);
        let plotted = |contender: &Contender| Trajectories {
            name: contender.name.into(),
            hue: place(contender.name).map_or(0, |place| place + 1),
            runs: (contender.runs.iter())
                .map(|run| {
                    let points = run.history.iter().map(|e| (e.seconds, e.validation));
                    // a run that diverged keeps nothing
                    let end = run.diverged.then_some((run.seconds(), f64::NAN));
                    points.chain(end).collect()
                })
                .collect(),
        };
        self.contenders.iter().map(plotted).collect()
    }
}
