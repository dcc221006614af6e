//! From arrays to a network, or to one for each of many penalties.

use crate::arrays::Features;
use crate::model::Trained;
use crate::options::Keywords;
use crate::rows::{About, Job, Target, Truth, on_rows};
use cronos::{Classifier, Fitted, Grid, Model, Options, Regressor};
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
    let options = Options {
        start: job.start(),
        ..keywords.options()?
    };
    let about = job.about(&x);
    on_rows(py, &x, &y, &job, |rows, watch| {
        let (options, weights) = (options.clone(), rows.weights.as_deref());
        let fitted = match &rows.truth {
            Truth::Classes(labels) => {
                let options = options.clone();
                (Classifier { options }.fit_observed(&rows.table, labels, weights, watch)?).fitted
            }
            Truth::Numbers(y) => {
                let options = options.clone();
                Regressor { options }.fit_observed(&rows.table, y, weights, watch)?
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
    let options = keywords.path_options()?;
    let grid = Grid { steps, smallest };
    let about = job.about(&x);
    on_rows(py, &x, &y, &job, |rows, watch| {
        let weights = rows.weights.as_deref();
        let path = match &rows.truth {
            Truth::Classes(labels) => {
                let options = options.clone();
                (Classifier { options }.path(&rows.table, labels, weights, &grid, watch)?).1
            }
            Truth::Numbers(y) => {
                let options = options.clone();
                Regressor { options }.path(&rows.table, y, weights, &grid, watch)?
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
    Trained {
        model: Model::of(fitted, options, task, names, about.rows),
        report: report.to_string(),
        end: fitted.end.clone(),
    }
}
