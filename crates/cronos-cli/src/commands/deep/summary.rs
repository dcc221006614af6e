//! The result of a deep training, for people and for programs.

use crate::commands::job::Job;
use crate::memory;
use crate::score::Score;
use crate::summary::{target, two_columns};
use cronos::Model;
use cronos::memory::human;
use cronos_deep::{Data, End, Epoch, Layers, Options, Recipe, Trained};
use serde_json::{Value, json};
use std::path::Path;

/// Everything there is to say about a training.
pub struct Summary<'a> {
    pub job: &'a Job,
    pub recipe: &'a Recipe,
    pub data: &'a Data<'a>,
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
        let (trained, history) = (self.trained, &self.trained.history);
        let (first, last) = (history[0].seconds, history[self.epochs()].seconds);
        let mut json = (self.recipe).report(self.data, self.options, trained, self.model);
        let training = &self.model.training;
        json["data"]["name"] = self.job.name.clone().into();
        json["data"]["fingerprint"] = training.data_fingerprint.clone().into();
        json["data"]["test_rows"] = (self.job.test.as_ref()).map_or(0, |(x, _)| x.rows()).into();
        json["data"]["features"] = self.model.feature_names.len().into();
        json["train"] = self.train.json();
        json["test"] = json!(self.test.map(Score::json));
        json["seconds"]["total"] = self.total_seconds.into();
        json["seconds"]["setup"] = (self.total_seconds - last + first).into();
        json["planned_memory_bytes"] = self.planned_bytes.into();
        json["peak_memory_bytes"] = memory::peak_bytes().into();
        json["model"] = json!(self.out.map(|path| path.display().to_string()));
        json
    }

    pub fn text(&self) -> String {
        let (training, best) = (&self.model.training, self.best());
        let architecture = training
            .deep
            .as_ref()
            .map(|deep| deep.architecture.as_str());
        let [train, validation] = self.data.rows();
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
                    self.model.parameters()
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
