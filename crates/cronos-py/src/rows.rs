//! Rows as they come from Python: features, targets, and what goes with them.

use crate::arrays::{Features, matrix};
use crate::failure::refused;
use crate::merge::{Merged, merge};
use crate::model::Trained;
use crate::ranks::team;
use crate::work::{Watch, run};
use cronos::{Chosen, Error, Matrix, Start, Table, Task, Team};
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
    /// Whether to share the rows with the other ranks of `mpirun`.
    mpi: bool,
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

    /// The ranks that share the rows; nobody else unless that is asked for.
    pub fn team(&self) -> PyResult<Team> {
        if !self.mpi {
            return Ok(Team::default());
        }
        let team = team()?;
        match self.warm && !team.is_alone() {
            true => Err(refused(
                "warm_start is True; it must be False while ranks share the rows",
            )),
            false => Ok(team),
        }
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

/// One of each kind of rows, or those of this rank, and what they count.
pub struct Rows<'a> {
    pub table: Chosen<'a>,
    pub truth: Truth,
    pub weights: Option<Vec<f64>>,
}

/// What `work` makes of the rows, without the lock of the interpreter.
///
/// bias: whether there will be a column of ones, which decides what rows ranks have
pub fn on_rows<R: Send>(
    py: Python<'_>,
    x: &Features<'_>,
    y: &Target<'_>,
    job: &Job<'_>,
    (team, bias): (&Team, bool),
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
    let threads = job.threads.or_else(|| team.threads());
    x.with(|x| {
        run(py, threads, job.progress.as_ref(), |watch| {
            let taken = match team.is_alone() {
                true => given.merged(x, weights),
                false => shared(x, weights, team, bias)?,
            };
            let rows = Rows {
                truth: given.of(&taken.rows),
                table: Chosen {
                    table: x,
                    rows: taken.rows,
                },
                weights: taken.weights,
            };
            work(&rows, watch)
        })
    })?
}

/// The rows that this rank has, as they come.
fn shared(
    x: &dyn Table,
    weights: Option<&[f64]>,
    team: &Team,
    bias: bool,
) -> Result<Merged, Error> {
    let own = team.share(x.rows(), x.columns() + usize::from(bias))?;
    Ok(Merged {
        weights: weights.map(|all| all[own.clone()].to_vec()),
        rows: own.collect(),
    })
}

impl Truth {
    /// One of each kind of rows.
    fn merged(&self, x: &dyn Table, weights: Option<&[f64]>) -> Merged {
        match self {
            Self::Classes(indices) => merge(x, weights, |row| vec![indices[row] as f64]),
            Self::Numbers(y) => merge(x, weights, |row| y.row(row).to_vec()),
        }
    }

    fn of(&self, rows: &[usize]) -> Self {
        match self {
            Self::Classes(indices) => Self::Classes(rows.iter().map(|&row| indices[row]).collect()),
            Self::Numbers(y) => Self::Numbers(y.select(rows)),
        }
    }
}
