//! What a fit has to say, for programs.

use crate::auto::Search;
use crate::fit::Fitted;
use serde_json::{Value, json};

impl Fitted {
    /// Status, certificate, network, choices and seconds under their names.
    pub fn report(&self) -> Value {
        let certificate = &self.certificate;
        let seconds = &self.seconds;
        let inner: usize = self.history.iter().map(|i| i.inner_iterations).sum();
        json!({
            "status": self.status.name(),
            "iterations": self.iterations,
            "objective": certificate.objective,
            "lower_bound": certificate.lower_bound,
            "gap": certificate.gap,
            "violation": certificate.violation,
            "network_objective": certificate.network_objective,
            "solver": self.solver,
            "solver_reason": self.reason,
            "device": self.place.to_string(),
            "device_memory_bytes": self.residence.map(|held| held.planned_bytes),
            "streamed_rows": self.residence.map(|held| held.streamed_rows),
            "inner_iterations": inner,
            "nystrom_rank": self.rank,
            "gates": self.gates,
            "neurons": self.network.neurons(),
            "beta": self.beta,
            "loss": self.loss.name(),
            "rho": self.history.last().map(|iteration| iteration.rho),
            "seconds": {
                "total": seconds.total(),
                "setup": seconds.setup,
                "iterations": seconds.total() - seconds.setup,
                "solve": seconds.solve,
                "sweep": seconds.sweep,
                "check": seconds.check,
            },
            "planned_memory_bytes": self.planned_bytes,
            "search": self.search.as_ref().map(of_search),
        })
    }
}

fn of_search(search: &Search) -> Value {
    let members: Vec<Value> = search
        .members
        .iter()
        .map(|member| {
            json!({
                "features": member.features,
                "loss": member.loss.name(),
                "heat": member.heat,
                "weight": member.weight,
                "beta": member.beta,
                "neurons": member.neurons,
                "columns": member.columns,
                "validation_score": member.validation_score,
                "objective": member.certificate.objective,
                "lower_bound": member.certificate.lower_bound,
                "gap": member.certificate.gap,
                "rounds": member.rounds.iter().map(|round| {
                    json!({
                        "beta": round.beta,
                        "objective": round.objective,
                        "neurons": round.neurons,
                    })
                }).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "folds": search.folds,
        "repeats": search.repeats,
        "rows": search.rows,
        "sample": search.sample,
        "tried": search.tried.iter().map(|(features, loss)| {
            json!({ "features": features, "loss": loss.name() })
        }).collect::<Vec<_>>(),
        "members": members,
    })
}
