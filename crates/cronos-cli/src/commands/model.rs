//! The model of a network that was trained, with where its features come from.

use super::job::Job;
use cronos::{Fitted, Model, Options};

/// The model of a network.
pub(super) fn model(
    job: &Job,
    fitted: &Fitted,
    options: &Options,
    imputation: Option<Vec<f64>>,
) -> Model {
    let (task, names) = (job.task.clone(), job.feature_names.clone());
    let model = Model::of(fitted, options, task, names, job.train.rows());
    described(model, job, imputation)
}

/// A model, with what the data say about it.
pub(super) fn described(mut model: Model, job: &Job, imputation: Option<Vec<f64>>) -> Model {
    model.target_name = job.target_name.clone();
    model.imputation = imputation;
    let training = &mut model.training;
    training.data_fingerprint = job.fingerprint.clone();
    training.left_out = job.left_out.clone();
    training.grouping = job.grouping.clone();
    training.images = job.images.clone();
    training.text = job.text.clone();
    model
}
