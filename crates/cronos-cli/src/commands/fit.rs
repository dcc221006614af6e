//! `cronos fit`

use super::importance::Measured;
use super::job::Job;
use super::knobs;
use super::labelled::Truth;
use super::report;
use crate::arguments::Fit;
use crate::failure::{self, Failure};
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Progress;
use crate::score::Score;
use crate::summary::Summary;
use crate::{model_file, summary};
use cronos::{Classifier, Fitted, GateSource, Model, Options, Regressor, Status, Training};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// The files of a report.
const REPORT: &str = "report.json";
const HISTORY: &str = "history.csv";
const PAGE: &str = "index.html";

pub fn run(fit: &Fit) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    check_outputs(fit)?;
    check_holdout(fit.holdout)?;
    start_threads(fit.knobs.threads)?;
    let options = knobs::options(&fit.knobs)?;
    let interrupt = Interrupt::listen()?;
    let mut job = Job::read(fit)?;
    knobs::check_gates(&fit.knobs, &options.gates, job.train.columns())?;
    let imputation = job.impute(fit)?;
    let fitted = train(&job, &options, &interrupt)?;
    let mut model = model(&job, &fitted, &options, imputation);
    let train_score = job.train_truth.score(&model, &job.train)?;
    let test_score = match &job.test {
        Some((x, truth)) => Some(truth.score(&model, x)?),
        None => None,
    };
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
        total_seconds: start.elapsed().as_secs_f64(),
    };
    if let Some(folder) = &fit.report {
        write_report(folder, &summary, fit.force)?;
        let page = report::page(fit, &job, &summary, None)?;
        model_file::write(&folder.join(PAGE), page.as_bytes(), fit.force)?;
    }
    if fit.json {
        output::print_json(&summary.json())?;
    } else {
        output::print(&summary.text())?;
    }
    Ok(match fitted.status {
        Status::Interrupted => ExitCode::from(failure::INTERRUPTED),
        Status::Solved => ExitCode::SUCCESS,
        Status::NumericalFailure => ExitCode::from(1),
        _ if fit.strict => ExitCode::from(failure::TOLERANCE_NOT_REACHED),
        _ => ExitCode::SUCCESS,
    })
}

/// How much the features matter, on the test rows or, if there are none, the training rows.
fn importance(job: &Job, model: &Model, status: Status) -> Result<Measured, Failure> {
    if status == Status::Interrupted {
        // whoever interrupts wants to wait no longer
        return Ok(Measured::by_weights(model));
    }
    match &job.test {
        Some((x, truth)) => Measured::by_shuffling(model, x, truth, "test rows"),
        None => Measured::by_shuffling(model, &job.train, &job.train_truth, "training rows"),
    }
}

/// Refuses outputs that cannot be written before any work is done for them.
fn check_outputs(fit: &Fit) -> Result<(), Failure> {
    if let Some(out) = &fit.out {
        model_file::check_writable(out, fit.force)?;
    }
    check_folder(fit.report.as_deref(), &[REPORT, HISTORY, PAGE], fit.force)
}

/// Refuses a folder for a report that is a file or holds one of its files.
pub(super) fn check_folder(
    folder: Option<&Path>,
    names: &[&str],
    force: bool,
) -> Result<(), Failure> {
    let Some(folder) = folder.filter(|folder| folder.exists()) else {
        return Ok(());
    };
    if !folder.is_dir() {
        return Err(Failure::Work(format!(
            "cannot write a report to {}: it is a file; name a folder",
            folder.display()
        )));
    }
    for name in names {
        model_file::check_writable(&folder.join(name), force)?;
    }
    Ok(())
}

pub(super) fn check_holdout(fraction: Option<f64>) -> Result<(), Failure> {
    match fraction {
        Some(fraction) if !(0.0..1.0).contains(&fraction) => Err(Failure::Usage(format!(
            "holdout is {fraction}; it must be at least 0 and less than 1"
        ))),
        _ => Ok(()),
    }
}

pub(super) fn start_threads(threads: Option<usize>) -> Result<(), Failure> {
    if threads == Some(0) {
        return Err(Failure::Usage("threads is 0; it must be at least 1".into()));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build_global()
        .map_err(|error| Failure::Work(format!("cannot start threads: {error}")))
}

fn train(job: &Job, options: &Options, interrupt: &Interrupt) -> Result<Fitted, Failure> {
    let progress = match options.gates {
        GateSource::Learned { .. } => Progress::of_search(interrupt),
        _ => Progress::of_iterations(options.settings.max_iterations, interrupt),
    };
    let (options, weights) = (options.clone(), job.weights.as_deref());
    let fitted = match &job.train_truth {
        Truth::Classes(indices) => Classifier { options }
            .fit_observed(&job.train, indices, weights, &progress)
            .map(|trained| trained.fitted),
        Truth::Numbers(y) => Regressor { options }.fit_observed(&job.train, y, weights, &progress),
    };
    progress.finish();
    Ok(fitted?)
}

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

fn write_report(folder: &Path, summary: &Summary<'_>, force: bool) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::Work(format!("cannot create {}: {error}", folder.display())))?;
    let report = format!("{:#}\n", summary.json());
    model_file::write(&folder.join(REPORT), report.as_bytes(), force)?;
    let history = summary::history_csv(&summary.fitted.history);
    model_file::write(&folder.join(HISTORY), history.as_bytes(), force)
}
