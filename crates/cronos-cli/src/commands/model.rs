//! The model of a network that was trained.

use super::job::Job;
use cronos::{Fitted, Model, Options, Training};

/// The model of a network.
pub(super) fn model(
    job: &Job,
    fitted: &Fitted,
    options: &Options,
    imputation: Option<Vec<f64>>,
) -> Model {
    let certificate = &fitted.certificate;
    Model {
        network: fitted.network.clone(),
        stack: None,
        task: job.task.clone(),
        feature_names: job.feature_names.clone(),
        target_name: job.target_name.clone(),
        imputation,
        training: Training {
            seed: options.seed,
            data_fingerprint: job.fingerprint.clone(),
            left_out: job.left_out.clone(),
            rows: job.train.rows(),
            status: fitted.status.name().into(),
            iterations: fitted.iterations,
            solver: fitted.solver.into(),
            loss: fitted.loss.name().into(),
            log_odds: fitted.log_odds(),
            activation: options.activation.name().into(),
            precision: options.precision.name().into(),
            beta: fitted.beta,
            gates: fitted.gates,
            grouping: job.grouping.clone(),
            images: job.images.clone(),
            deep: None,
            bias: options.bias,
            feature_mean: fitted.feature_scaling.mean.clone(),
            feature_scale: fitted.feature_scaling.scale.clone(),
            target_mean: fitted.target_scaling.mean.clone(),
            target_scale: fitted.target_scaling.scale.clone(),
            objective: certificate.objective,
            lower_bound: certificate.lower_bound,
            gap: certificate.gap,
            violation: certificate.violation,
            network_objective: certificate.network_objective,
            train_score: None,
            test_score: None,
        },
    }
}
