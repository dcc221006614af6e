//! From arrays to a network, or to one for each of many penalties.

use crate::arrays::Features;
use crate::model::Trained;
use crate::options::Keywords;
use crate::rows::{About, Job, Target, Truth, on_rows};
use cronos::{Classifier, Fitted, Grid, Model, Options, Regressor, Table};
use pyo3::prelude::*;

/// Trains a network.
#[pyfunction]
pub fn fit(
    py: Python<'_>,
    x: Features<'_>,
    y: Target<'_>,
    job: Job<'_>,
    keywords: Keywords<'_>,
) -> PyResult<Trained> {
    let mut options = keywords.options()?;
    options.start = job.start();
    options.settings.team = job.team()?;
    let team = &options.settings.team;
    let about = job.about(&x);
    on_rows(py, &x, &y, &job, (team, options.bias), |rows, watch| {
        let (x, weights): (&dyn Table, _) = (&rows.table, rows.weights.as_deref());
        let with = options.clone();
        let fitted = match (&rows.truth, team.is_alone()) {
            (Truth::Classes(labels), true) => {
                (Classifier { options: with }.fit_observed(x, labels, weights, watch)?).fitted
            }
            (Truth::Classes(labels), false) => {
                let (x, classes) = (x.to_matrix(), about.classes());
                Classifier { options: with }.fit_shared(&x, labels, classes, weights, watch)?
            }
            (Truth::Numbers(y), true) => {
                Regressor { options: with }.fit_observed(x, y, weights, watch)?
            }
            (Truth::Numbers(y), false) => {
                Regressor { options: with }.fit_shared(&x.to_matrix(), y, weights, watch)?
            }
        };
        Ok(trained(&fitted, &options, &about))
    })
}

/// A network for each penalty of a path, largest first, the smallest penalty that leaves
/// nothing, and how the path ended.
#[pyfunction]
pub fn path(
    py: Python<'_>,
    x: Features<'_>,
    y: Target<'_>,
    steps: usize,
    smallest: f64,
    job: Job<'_>,
    keywords: Keywords<'_>,
) -> PyResult<(Vec<Trained>, f64, &'static str)> {
    let mut options = keywords.path_options()?;
    options.settings.team = job.team()?;
    let (team, grid) = (&options.settings.team, Grid { steps, smallest });
    let about = job.about(&x);
    on_rows(py, &x, &y, &job, (team, options.bias), |rows, watch| {
        let (x, weights): (&dyn Table, _) = (&rows.table, rows.weights.as_deref());
        let with = options.clone();
        let path = match (&rows.truth, team.is_alone()) {
            (Truth::Classes(labels), true) => {
                (Classifier { options: with }.path(x, labels, weights, &grid, watch)?).1
            }
            (Truth::Classes(labels), false) => {
                let (x, classes) = (x.to_matrix(), about.classes());
                Classifier { options: with }
                    .path_shared(&x, labels, classes, weights, &grid, watch)?
            }
            (Truth::Numbers(y), true) => {
                Regressor { options: with }.path(x, y, weights, &grid, watch)?
            }
            (Truth::Numbers(y), false) => {
                Regressor { options: with }.path_shared(&x.to_matrix(), y, weights, &grid, watch)?
            }
        };
        let points = path.points.iter();
        let points = points.map(|fitted| trained(fitted, &options, &about));
        Ok((points.collect(), path.zero_beta, path.status.name()))
    })
}

fn trained(fitted: &Fitted, options: &Options, about: &About) -> Trained {
    let (task, names) = (about.task.clone(), about.feature_names.clone());
    let mut report = fitted.report();
    report["seconds"]["total"] = about.start.elapsed().as_secs_f64().into();
    let team = &options.settings.team;
    if !team.is_alone() {
        report["ranks"] = team.ranks().into();
        report["sent_bytes"] = team.sent().into();
    }
    Trained {
        model: Model::of(fitted, options, task, names, about.rows),
        report: report.to_string(),
        end: fitted.end.clone(),
    }
}
