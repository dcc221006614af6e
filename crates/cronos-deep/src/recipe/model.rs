//! The model of a trained network: layers and network as one, and how they came to be.

use super::{Data, Recipe};
use crate::features::Layers;
use crate::train::{End, Options, Rule, Trained};
use cronos::{Deep, Error, Loss, Model, Task, Training};

/// What a model is made of besides a network.
pub struct About {
    /// What the outputs stand for.
    pub task: Task,
    /// The name of each feature.
    pub feature_names: Vec<String>,
    /// How the training ended if it was broken off.
    pub broken_off: &'static str,
}

/// The name of the alternation, beside those of the optimizers.
pub const ALTERNATION: &str = "cronos-am";

impl Recipe {
    /// The model of a network. Nothing is missing in its features, and nothing is known about where they come
    /// from.
    pub fn model(
        &self,
        data: &Data<'_>,
        options: &Options,
        trained: &Trained<Layers>,
        about: About,
    ) -> Result<Model, Error> {
        let last = data.scaling.undo(trained.network.clone());
        let features = last.features();
        let log_odds = match options.head.loss {
            Loss::Softmax => true,
            loss => loss == Loss::Logistic && last.outputs() == 1,
        };
        let epoch = &trained.history[trained.best];
        let epochs = trained.history.len() - 1;
        // who trained all, who the layers, and how often the last two were solved for
        let (solver, optimizer, alternations) = match options.rule {
            Rule::Alternate => (ALTERNATION, "dadam", epochs),
            Rule::Descend { method, .. } => (method.name(), method.name(), 0),
        };
        let status = match trained.end {
            End::Finished => "validated",
            End::BrokenOff => about.broken_off,
            End::Diverged => "numerical-failure",
        };
        Ok(Model {
            stack: Some(trained.features.stack(&trained.scale)?),
            network: last,
            task: about.task,
            feature_names: about.feature_names,
            target_name: None,
            imputation: None,
            training: Training {
                seed: options.seed,
                data_fingerprint: String::new(),
                left_out: Vec::new(),
                rows: data.rows().iter().sum(),
                status: status.into(),
                iterations: epochs,
                solver: solver.into(),
                loss: options.head.loss.name().into(),
                log_odds,
                activation: "relu".into(),
                precision: "f32".into(),
                beta: trained.beta,
                gates: options.head.gates,
                grouping: None,
                images: None,
                text: None,
                deep: Some(Deep {
                    architecture: self.architecture.to_string(),
                    epochs,
                    optimizer: optimizer.into(),
                    alternations,
                }),
                bias: true,
                feature_mean: vec![0.0; features],
                feature_scale: vec![1.0; features],
                target_mean: data.scaling.mean.clone(),
                target_scale: data.scaling.scale.clone(),
                objective: epoch.objective,
                lower_bound: 0.0,
                gap: 1.0,
                violation: 0.0,
                network_objective: epoch.objective,
                train_score: None,
                test_score: None,
            },
        })
    }
}
