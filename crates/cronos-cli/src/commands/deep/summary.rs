//! The result of a deep training, for people and for programs.

use crate::commands::job::Job;
use crate::memory;
use crate::score::Score;
use crate::summary::{target, two_columns};
use cronos::Model;
use cronos::memory::human;
use cronos::stack::Layer;
use cronos_deep::{End, Epoch, Layers, Options, Trained};
use serde_json::{Value, json};
use std::path::Path;

/// Everything there is to say about a training.
pub struct Summary<'a> {
    pub job: &'a Job,
    /// Rows to train on and rows that chose the epoch.
    pub rows: [usize; 2],
    pub model: &'a Model,
    pub trained: &'a Trained<Layers>,
    pub options: &'a Options,
    pub train: &'a Score,
    pub test: Option<&'a Score>,
    pub out: Option<&'a Path>,
    pub total_seconds: f64,
    pub planned_bytes: u64,
}

impl Summary<'_> {
    fn best(&self) -> &Epoch {
        &self.trained.history[self.trained.best]
    }

    fn epochs(&self) -> usize {
        self.trained.history.len() - 1
    }

    pub fn json(&self) -> Value {
        let (training, best) = (&self.model.training, self.best());
        let first = self.trained.history[0].seconds;
        let last = self.trained.history[self.epochs()].seconds;
        json!({
            "status": training.status,
            "iterations": self.epochs(),
            "objective": best.objective,
            "network_objective": best.objective,
            "solver": training.solver,
            "architecture": training.deep.as_ref().map(|deep| &deep.architecture),
            "epochs": self.epochs(),
            "best_epoch": self.trained.best,
            "parameters": self.parameters(),
            "gates": training.gates,
            "neurons": self.model.network.neurons(),
            "alpha": self.options.decay,
            "beta": training.beta,
            "loss": training.loss,
            "seed": training.seed,
            "data": {
                "name": self.job.name,
                "fingerprint": training.data_fingerprint,
                "train_rows": self.rows[0],
                "validation_rows": self.rows[1],
                "test_rows": self.job.test.as_ref().map_or(0, |(x, _)| x.rows()),
                "features": self.model.feature_names.len(),
            },
            "train": self.train.json(),
            "validation": best.validation,
            "test": self.test.map(Score::json),
            "history": self.trained.history.iter().map(|epoch| json!({
                "epoch": epoch.number,
                "objective": epoch.objective,
                "before_head": epoch.before_head,
                "train": epoch.train,
                "validation": epoch.validation,
                "validation_loss": epoch.validation_loss,
                "seconds": epoch.seconds,
            })).collect::<Vec<_>>(),
            "seconds": {
                "total": self.total_seconds,
                "setup": self.total_seconds - last + first,
                "iterations": last - first,
            },
            "planned_memory_bytes": self.planned_bytes,
            "peak_memory_bytes": memory::peak_bytes(),
            "model": self.out.map(|path| path.display().to_string()),
        })
    }

    /// Numbers that were trained; the scaling of the inputs and the offset of the outputs are
    /// not.
    fn parameters(&self) -> usize {
        let network = &self.model.network;
        let last =
            network.hidden.values().len() + network.neurons() + network.output.values().len();
        let layers = self.model.stack.iter().flat_map(|stack| stack.places());
        let trained = layers
            .flatten()
            .filter(|place| !matches!(place.layer, Layer::Scale { .. }))
            .map(|place| place.layer.parameters());
        trained.sum::<usize>() + last
    }

    pub fn text(&self) -> String {
        let (training, best) = (&self.model.training, self.best());
        let architecture = training
            .deep
            .as_ref()
            .map(|deep| deep.architecture.as_str());
        let [train, validation] = self.rows;
        let mut lines = vec![
            (
                "data",
                format!(
                    "{}: trained on {train} rows, {validation} more chose the epoch, {} features",
                    self.job.name,
                    self.model.feature_names.len()
                ),
            ),
            ("target", target(self.model)),
            (
                "network",
                format!(
                    "{}, then {} relu neurons; {} parameters",
                    architecture.unwrap_or("layers"),
                    self.model.network.neurons(),
                    self.parameters()
                ),
            ),
            (
                "chosen",
                format!(
                    "epoch {} of {}, validation {:.4}",
                    self.trained.best,
                    self.epochs(),
                    best.validation
                ),
            ),
            ("train", self.train.text()),
        ];
        if let Some(test) = self.test {
            lines.push(("test", test.text()));
        }
        lines.push((
            "objective",
            format!(
                "{:.5} ({} loss, β = {})",
                best.objective, training.loss, training.beta
            ),
        ));
        let peak = memory::peak_bytes().map_or(String::new(), |bytes| {
            format!(", peak memory {}", human(bytes))
        });
        lines.push(("time", format!("{:.2} s{peak}", self.total_seconds)));
        lines.push((
            "model",
            match self.out {
                Some(path) => format!("saved to {}", path.display()),
                None => "not saved; pass --out model.safetensors to keep it".to_string(),
            },
        ));
        let headline = match self.trained.end == End::BrokenOff {
            true => "stopped early; the best network so far:",
            false => "trained; the best epoch on held-out rows:",
        };
        two_columns(headline, &lines)
    }
}
