//! What a training has to say, for programs.

use super::{Data, Recipe};
use crate::features::Layers;
use crate::train::{Epoch, Options, Trained};
use cronos::Model;
use serde_json::{Value, json};

impl Recipe {
    /// Status, objective, network, choices and every epoch under their names.
    pub fn report(
        &self,
        data: &Data<'_>,
        options: &Options,
        trained: &Trained<Layers>,
        model: &Model,
    ) -> Value {
        let (training, best) = (&model.training, &trained.history[trained.best]);
        let epochs = trained.history.len() - 1;
        let [train_rows, validation_rows] = data.rows();
        json!({
            "status": training.status,
            "iterations": epochs,
            "objective": best.objective,
            "network_objective": best.objective,
            "solver": training.solver,
            "device": self.place.to_string(),
            "architecture": self.architecture.to_string(),
            "epochs": epochs,
            "best_epoch": trained.best,
            "parameters": model.parameters(),
            "gates": training.gates,
            "neurons": model.network.neurons(),
            "alpha": options.decay,
            "beta": training.beta,
            "loss": training.loss,
            "seed": training.seed,
            "data": { "train_rows": train_rows, "validation_rows": validation_rows },
            "validation": best.validation,
            "history": trained.history.iter().map(of_epoch).collect::<Vec<_>>(),
            "seconds": {
                "total": trained.history[epochs].seconds,
                "setup": trained.history[0].seconds,
                "iterations": trained.history[epochs].seconds - trained.history[0].seconds,
            },
        })
    }
}

fn of_epoch(epoch: &Epoch) -> Value {
    json!({
        "epoch": epoch.number,
        "objective": epoch.objective,
        "before_head": epoch.before_head,
        "train": epoch.train,
        "validation": epoch.validation,
        "validation_loss": epoch.validation_loss,
        "seconds": epoch.seconds,
    })
}
