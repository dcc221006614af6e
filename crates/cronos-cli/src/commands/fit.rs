//! `cronos fit`

use super::checks::{check_folder, check_holdout, exit_code, start_threads};
use super::importance::Measured;
use super::job::Job;
use super::kept::{self, Kept};
use super::knobs;
use super::labelled::Truth;
use super::model::model;
use super::ranks::Share;
use super::{ranks, report};
use crate::arguments::{Fit, KeptFit};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Progress;
use crate::score::Score;
use crate::summary::Summary;
use crate::{model_file, summary};
use cronos::memory::available;
use cronos::{Classifier, Error, Fitted, GateSource, Model, Options, Regressor, Status, Table};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// The files of a report.
const REPORT: &str = "report.json";
const HISTORY: &str = "history.csv";
const PAGE: &str = "index.html";

pub fn run(kept_fit: &KeptFit) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let KeptFit { fit, keep } = kept_fit;
    let team = ranks::team()?;
    ranks::together(&team, || {
        check_outputs(fit)?;
        check_holdout(fit.source.holdout)?;
        start_threads(fit.knobs.threads.or_else(|| team.threads()))?;
        let mut options = knobs::options(&fit.knobs, fit.source.seed)?;
        knobs::share(&mut options, &team);
        let kept = kept::open(keep, &options, fit.force)?;
        let interrupt = Interrupt::listen()?;
        let memory = options.settings.memory_limit_bytes;
        let mut job = Job::read_for(&fit.source, &team, Some(memory.unwrap_or_else(available)))?;
        let imputation = job.impute(&fit.source)?;
        knobs::tell_of_stream(&options, &*job.train);
        let work = Work {
            interrupt: &interrupt,
            kept: kept.as_ref(),
            start,
        };
        learn(fit, job, &options, imputation, &work)
    })
}

/// What a training is done with.
pub(super) struct Work<'a> {
    pub interrupt: &'a Interrupt,
    /// Who keeps its state, if anyone does.
    pub kept: Option<&'a Kept>,
    pub start: Instant,
}

impl Work<'_> {
    /// A state that could not be kept is a failure, whatever else was found.
    fn ended(&self, code: ExitCode) -> Result<ExitCode, Failure> {
        match self.kept.and_then(Kept::failure) {
            Some(failure) => Err(failure),
            None => Ok(code),
        }
    }
}

/// Trains on a job, writes what was asked for and reports.
pub(super) fn learn(
    fit: &Fit,
    mut job: Job,
    options: &Options,
    imputation: Option<Vec<f64>>,
    work: &Work<'_>,
) -> Result<ExitCode, Failure> {
    knobs::check_gates(&fit.knobs, &options.gates, job.train.columns())?;
    let fitted = train(&mut job, options, work)?;
    let mut model = model(&job, &fitted, options, imputation);
    let team = &options.settings.team;
    let train_score = ranks::score(team, &job.train_truth, &model, &job.train)?;
    let test_score = match &job.test {
        Some((x, truth)) => Some(ranks::score(team, truth, &model, x)?),
        None => None,
    };
    let code = exit_code(fitted.status, fit.strict);
    if team.rank() > 0 {
        // the first writes and tells
        return work.ended(code);
    }
    model.training.train_score = Some(train_score.value());
    model.training.test_score = test_score.as_ref().map(Score::value);
    if let Some(out) = &fit.out {
        model_file::write(out, &model.to_bytes()?, fit.force)?;
    }
    let importance = match &fit.report {
        Some(_) => Some(importance(&job, &model, fitted.status)?),
        None => None,
    };
    let summary = Summary {
        data: &job.name,
        model: &model,
        fitted: &fitted,
        train: &train_score,
        test: test_score.as_ref(),
        importance: importance.as_ref(),
        out: fit.out.as_deref(),
        total_seconds: work.start.elapsed().as_secs_f64(),
    };
    if let Some(folder) = &fit.report {
        write_report(folder, &summary, fit.force)?;
        let page = report::page(fit, &job, &summary, None)?;
        model_file::write(&folder.join(PAGE), page.as_bytes(), fit.force)?;
    }
    if fit.json {
        let mut report = summary.json();
        if !team.is_alone() {
            report["ranks"] = team.ranks().into();
            report["sent_bytes"] = team.sent().into();
        }
        if job.train.streams() {
            report["read_bytes"] = job.train.read_bytes().into();
        }
        output::print_json(&report)?;
    } else {
        output::print(&summary.text())?;
    }
    work.ended(code)
}

/// How much the features matter, on the test rows or, if there are none, the training rows.
fn importance(job: &Job, model: &Model, status: Status) -> Result<Measured, Failure> {
    if status == Status::Interrupted || job.train.streams() {
        // whoever interrupts wants to wait no longer, and shuffling would bring all rows into memory
        return Ok(Measured::by_weights(model));
    }
    match &job.test {
        Some((x, truth)) => Measured::by_shuffling(model, x, truth, "test rows"),
        None => Measured::by_shuffling(model, &job.train, &job.train_truth, "training rows"),
    }
}

/// Refuses outputs that cannot be written before any work is done for them.
pub(super) fn check_outputs(fit: &Fit) -> Result<(), Failure> {
    if let Some(out) = &fit.out {
        model_file::check_writable(out, fit.force)?;
    }
    check_folder(fit.report.as_deref(), &[REPORT, HISTORY, PAGE], fit.force)
}

fn train(job: &mut Job, options: &Options, work: &Work<'_>) -> Result<Fitted, Failure> {
    let progress = match options.gates {
        GateSource::Learned { .. } => Progress::of_search(work.interrupt),
        _ => Progress::of_iterations(options.settings.max_iterations, work.interrupt),
    };
    let progress = progress.keeping(work.kept);
    if !options.settings.team.is_alone() {
        let fitted = train_share(job, options.clone(), &progress);
        progress.finish();
        return fitted;
    }
    let fitted = match (train_all(job, options.clone(), &progress), job.train.stay()) {
        // with the arrays of the solver features do not fit, so they stay where they are
        (Err(Error::Memory { .. }), Some(stays)) => {
            job.train = stays;
            knobs::tell_of_stream(options, &*job.train);
            train_all(job, options.clone(), &progress)
        }
        (fitted, _) => fitted,
    };
    progress.finish();
    Ok(fitted?)
}

/// Trains on all rows. Of the memory that is given, the solver has what the features leave.
fn train_all(job: &Job, mut options: Options, observer: &Progress<'_>) -> Result<Fitted, Error> {
    let weights = job.weights.as_deref();
    if let Some(limit) = &mut options.settings.memory_limit_bytes {
        *limit = limit.saturating_sub(in_memory(&job.train));
    }
    match &job.train_truth {
        Truth::Classes(indices) => Classifier { options }
            .fit_observed(&job.train, indices, weights, observer)
            .map(|trained| trained.fitted),
        Truth::Numbers(y) => Regressor { options }.fit_observed(&job.train, y, weights, observer),
    }
}

/// Bytes of the features as numbers, unless they stay in a file.
fn in_memory(features: &dyn Table) -> u64 {
    match features.stay() {
        Some(_) => (features.rows() * features.columns() * size_of::<f64>()) as u64,
        None => features.bytes(),
    }
}

/// Trains on this rank's share of the rows.
fn train_share(job: &Job, options: Options, observer: &Progress<'_>) -> Result<Fitted, Failure> {
    let own = Share::of(job, &options)?;
    let (x, weights) = (&own.x, own.weights.as_deref());
    Ok(match &own.truth {
        Truth::Classes(indices) => {
            let classes = job.classes().len();
            Classifier { options }.fit_shared(x, indices, classes, weights, observer)?
        }
        Truth::Numbers(y) => Regressor { options }.fit_shared(x, y, weights, observer)?,
    })
}

fn write_report(folder: &Path, summary: &Summary<'_>, force: bool) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::Work(format!("cannot create {}: {error}", folder.display())))?;
    let report = format!("{:#}\n", summary.json());
    model_file::write(&folder.join(REPORT), report.as_bytes(), force)?;
    let history = summary::history_csv(&summary.fitted.history);
    model_file::write(&folder.join(HISTORY), history.as_bytes(), force)
}
