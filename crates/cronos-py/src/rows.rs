//! Rows as they come from Python: features, targets, and what goes with them.

use crate::arrays::{Features, matrix};
use crate::failure::refused;
use crate::merge::merge;
use crate::model::Trained;
use crate::work::{Watch, run};
use cronos::{Chosen, Error, Matrix, Start, Task};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::time::Instant;

/// Indices of classes, or rows x outputs.
#[derive(FromPyObject)]
pub enum Target<'py> {
    Labels(PyReadonlyArray1<'py, usize>),
    Numbers(PyReadonlyArray2<'py, f64>),
}

/// What comes with features and targets.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Job<'py> {
    weights: Option<PyReadonlyArray1<'py, f64>>,
    classes: Option<Vec<String>>,
    feature_names: Vec<String>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
    /// Whether to start where another fit ended, and to remember where this one does.
    warm: bool,
    before: Option<Bound<'py, Trained>>,
}

impl Job<'_> {
    /// Where to start, if that is asked for.
    pub fn start(&self) -> Option<Start> {
        let before = self
            .before
            .as_ref()
            .and_then(|model| model.get().end.clone());
        self.warm.then(|| before.unwrap_or_default())
    }

    pub fn about(&self, x: &Features<'_>) -> About {
        About {
            task: match &self.classes {
                Some(classes) => Task::Classification {
                    classes: classes.clone(),
                },
                None => Task::Regression,
            },
            feature_names: self.feature_names.clone(),
            rows: x.rows(),
            start: Instant::now(),
        }
    }
}

/// What a model is made of besides a network.
pub struct About {
    pub task: Task,
    pub feature_names: Vec<String>,
    pub rows: usize,
    pub start: Instant,
}

impl About {
    /// How many classes there are; none for numbers.
    pub fn classes(&self) -> usize {
        match &self.task {
            Task::Classification { classes } => classes.len(),
            Task::Regression => 0,
        }
    }
}

/// What the rows should be.
pub enum Truth {
    Classes(Vec<usize>),
    Numbers(Matrix<f64>),
}

/// One of each kind of rows, and what they count.
pub struct Rows<'a> {
    pub table: Chosen<'a>,
    pub truth: Truth,
    pub weights: Option<Vec<f64>>,
}

/// What `work` makes of the rows, without the lock of the interpreter.
pub fn on_rows<R: Send>(
    py: Python<'_>,
    x: &Features<'_>,
    y: &Target<'_>,
    job: &Job<'_>,
    work: impl FnOnce(&Rows<'_>, &Watch) -> Result<R, Error> + Send,
) -> PyResult<R> {
    let weights = match &job.weights {
        None => None,
        Some(array) => Some(array.as_slice()?),
    };
    let given = match y {
        Target::Labels(labels) => Truth::Classes(labels.as_slice()?.to_vec()),
        Target::Numbers(numbers) => Truth::Numbers(matrix(numbers)),
    };
    let found = match &given {
        Truth::Classes(indices) => indices.len(),
        Truth::Numbers(y) => y.rows(),
    };
    if found != x.rows() {
        let rows = x.rows();
        return Err(refused(&format!(
            "{found} targets for {rows} rows of features"
        )));
    }
    x.with(|x| {
        run(py, job.threads, job.progress.as_ref(), |watch| {
            let merged = match &given {
                Truth::Classes(indices) => merge(x, weights, |row| vec![indices[row] as f64]),
                Truth::Numbers(y) => merge(x, weights, |row| y.row(row).to_vec()),
            };
            let truth = match &given {
                Truth::Classes(indices) => {
                    Truth::Classes(merged.rows.iter().map(|&row| indices[row]).collect())
                }
                Truth::Numbers(y) => Truth::Numbers(y.select(&merged.rows)),
            };
            let rows = Rows {
                table: Chosen {
                    table: x,
                    rows: merged.rows,
                },
                truth,
                weights: merged.weights,
            };
            work(&rows, watch)
        })
    })?
}
