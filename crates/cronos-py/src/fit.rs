//! From arrays to a network.

use crate::arrays::Features;
use crate::failure::refused;
use crate::merge::merge;
use crate::model::Trained;
use crate::options::Keywords;
use crate::work::run;
use cronos::{Chosen, Classifier, Fitted, Matrix, Model, Options, Regressor, Table, Task};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::time::Instant;

/// What comes with features and targets.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Job<'py> {
    weights: Option<PyReadonlyArray1<'py, f64>>,
    feature_names: Vec<String>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
}

/// Trains on labels, given as indices into the names of the classes.
#[pyfunction]
pub fn fit_classes(
    py: Python<'_>,
    x: Features<'_>,
    y: PyReadonlyArray1<'_, usize>,
    classes: Vec<String>,
    job: Job<'_>,
    keywords: Keywords<'_>,
) -> PyResult<Trained> {
    let options = keywords.options()?;
    let (indices, weights) = (y.as_slice()?, slice(&job.weights)?);
    let work = Work {
        task: Task::Classification { classes },
        feature_names: job.feature_names,
        start: Instant::now(),
    };
    x.with(|x| {
        check_length("labels", indices.len(), x)?;
        run(py, job.threads, job.progress.as_ref(), |watch| {
            let merged = merge(x, weights, |row| vec![indices[row] as f64]);
            let labels: Vec<usize> = merged.rows.iter().map(|&row| indices[row]).collect();
            let table = Chosen {
                table: x,
                rows: merged.rows,
            };
            let classifier = Classifier {
                options: options.clone(),
            };
            let weights = merged.weights.as_deref();
            let trained = classifier.fit_observed(&table, &labels, weights, watch)?;
            Ok(work.model(x.rows(), &trained.fitted, &options))
        })
    })?
}

/// Trains on numbers, rows x outputs.
#[pyfunction]
pub fn fit_numbers(
    py: Python<'_>,
    x: Features<'_>,
    y: PyReadonlyArray2<'_, f64>,
    job: Job<'_>,
    keywords: Keywords<'_>,
) -> PyResult<Trained> {
    let options = keywords.options()?;
    let weights = slice(&job.weights)?;
    let (values, outputs) = (y.as_slice()?, y.shape()[1]);
    let work = Work {
        task: Task::Regression,
        feature_names: job.feature_names,
        start: Instant::now(),
    };
    x.with(|x| {
        check_length("targets", y.shape()[0], x)?;
        run(py, job.threads, job.progress.as_ref(), |watch| {
            let row = |row: usize| &values[row * outputs..][..outputs];
            let merged = merge(x, weights, |at| row(at).to_vec());
            let y = Matrix::from_fn(merged.rows.len(), outputs, |i, c| row(merged.rows[i])[c]);
            let table = Chosen {
                table: x,
                rows: merged.rows,
            };
            let regressor = Regressor {
                options: options.clone(),
            };
            let fitted = regressor.fit_observed(&table, &y, merged.weights.as_deref(), watch)?;
            Ok(work.model(x.rows(), &fitted, &options))
        })
    })?
}

/// What a model is made of besides a network.
struct Work {
    task: Task,
    feature_names: Vec<String>,
    start: Instant,
}

impl Work {
    fn model(self, rows: usize, fitted: &Fitted, options: &Options) -> Trained {
        let model = Model::of(fitted, options, self.task, self.feature_names, rows);
        let mut report = fitted.report();
        report["seconds"]["total"] = self.start.elapsed().as_secs_f64().into();
        Trained {
            model,
            report: report.to_string(),
        }
    }
}

fn slice<'a>(array: &'a Option<PyReadonlyArray1<'_, f64>>) -> PyResult<Option<&'a [f64]>> {
    Ok(match array {
        None => None,
        Some(array) => Some(array.as_slice()?),
    })
}

fn check_length(what: &str, found: usize, x: &dyn Table) -> PyResult<()> {
    match found == x.rows() {
        true => Ok(()),
        false => Err(refused(&format!(
            "{found} {what} for {} rows of features",
            x.rows()
        ))),
    }
}
