//! The ranks that `mpirun` started, if it did.

use super::job::Job;
use super::labelled::Truth;
use crate::failure::Failure;
use crate::output;
use crate::score::Score;
use cronos::{Matrix, Model, Options, Table, Team};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::time::Duration;

/// The exit code of a program that panicked.
const PANICKED: i32 = 101;

/// How long others wait before they speak.
const PAUSE: Duration = Duration::from_secs(2);

/// The team that this process is one of; nobody else without `mpirun`.
pub fn team() -> Result<Team, Failure> {
    Team::launched().map_err(|why| Failure::Usage(why.to_string()))
}

/// Refuses ranks for a command that has no use for them.
pub fn refuse() -> Result<(), Failure> {
    match Team::started() {
        None | Some(1) => Ok(()),
        Some(ranks) => Err(Failure::Usage(format!(
            "started as one of {ranks} ranks, but only fit and path share their rows; start it \
             without mpirun"
        ))),
    }
}

/// What comes of work that all ranks do. One that cannot go on says why and ends all.
pub fn together(
    team: &Team,
    work: impl FnOnce() -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    if team.ranks() == 1 {
        return work();
    }
    let done = panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        // others would wait for this one
        team.abort(PANICKED);
        Err(Failure::Work("a rank panicked".into()))
    });
    let Err(failure) = &done else {
        return done;
    };
    if !matches!(failure, Failure::PipeClosed) {
        // what all find wrong is told by the first
        if team.rank() > 0 {
            std::thread::sleep(PAUSE);
        }
        // nothing is left to be done if even standard error is closed
        let _ = output::complain(&format!("rank {}: {failure}", team.rank()));
        team.abort(failure.code().into());
    }
    done
}

/// The training rows of a job that a rank has.
pub struct Share {
    pub x: Matrix<f64>,
    pub truth: Truth,
    pub weights: Option<Vec<f64>>,
}

impl Share {
    pub fn of(job: &Job, options: &Options) -> Result<Self, Failure> {
        let features = job.train.columns() + usize::from(options.bias);
        let team = &options.settings.team;
        let rows: Vec<usize> = team.share(job.train.rows(), features)?.collect();
        let own = job.train.select(&rows);
        let x = own.to_matrix().into_owned();
        if x.check_finite("features").is_err() {
            // tells where it is in the file
            own.check_finite()?;
        }
        let chosen = |all: &Vec<f64>| rows.iter().map(|&row| all[row]).collect();
        Ok(Self {
            x,
            truth: job.train_truth.select(&rows),
            weights: job.weights.as_ref().map(chosen),
        })
    }
}

/// How well a model does on rows, of which each rank looks at a part.
pub fn score(team: &Team, truth: &Truth, model: &Model, x: &dyn Table) -> Result<Score, Failure> {
    let (rank, ranks) = (team.rank(), team.ranks());
    if ranks == 1 {
        return truth.score(model, x);
    }
    let own: Vec<usize> = (rank * x.rows() / ranks..(rank + 1) * x.rows() / ranks).collect();
    let outputs = match own.is_empty() {
        true => Vec::new(),
        false => model.decide(&*x.select(&own))?.values().to_vec(),
    };
    let columns = model.network.outputs();
    let all = Matrix::from_rows(x.rows(), columns, team.gather(&outputs))?;
    truth.score_of(&all)
}
