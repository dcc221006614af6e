//! `cronos path`

mod outcome;
mod validation;

use super::checks::{check_folder, check_holdout, exit_code, start_threads};
use super::importance::Measured;
use super::job::Job;
use super::knobs;
use super::labelled::{Truth, WithTruth};
use super::model::model;
use super::ranks::{self, Share};
use super::report::{self, Walked};
use crate::arguments;
use crate::failure::{self, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::report::{Measure, path_plot};
use crate::score::Score;
use crate::summary::Summary;
use crate::{model_file, output};
use cronos::{Classifier, GateSource, Grid, Options, Path, Regressor, Status, Table, Team};
use outcome::{Outcome, Point};
use std::process::ExitCode;
use std::time::Instant;

/// The files of a report.
const REPORT: &str = "report.json";
const POINTS: &str = "path.csv";
const PAGE: &str = "index.html";

pub fn run(path: &arguments::Path) -> Result<ExitCode, Failure> {
    let team = ranks::team()?;
    ranks::together(&team, || walk(path, &team))
}

fn walk(path: &arguments::Path, team: &Team) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let fit = &path.fit;
    check_options(path)?;
    check_outputs(path)?;
    check_holdout(fit.source.holdout)?;
    let grid = Grid {
        steps: path.steps,
        smallest: path.smallest,
    };
    grid.check()?;
    start_threads(fit.knobs.threads.or_else(|| team.threads()))?;
    let mut options = options(path)?;
    knobs::share(&mut options, team);
    let interrupt = Interrupt::listen()?;
    let mut job = Job::read_for(&fit.source, team, None)?;
    knobs::check_gates(&fit.knobs, &options.gates, job.train.columns())?;
    let validation = validation::set_aside(&mut job, fit.source.seed)?;
    let imputation = job.impute(&fit.source)?;
    let followed = follow(&job, &grid, &options, &interrupt)?;
    // the first point, the zero network, needs no work
    if followed.points.len() < 2 {
        return nothing(followed.status);
    }
    let judge = |fitted| {
        let mut model = model(&job, fitted, &options, imputation.clone());
        let train = ranks::score(team, &job.train_truth, &model, &job.train)?;
        let validation = match &validation {
            Some((x, truth)) => Some(ranks::score(team, truth, &model, x)?),
            None => None,
        };
        model.training.train_score = Some(train.value());
        Ok(Point {
            fitted,
            model,
            train,
            validation,
        })
    };
    let points: Result<Vec<Point<'_>>, Failure> = followed.points.iter().map(judge).collect();
    let mut outcome = Outcome::new(&job, path, &followed, points?);
    if let (Some(best), Some((x, truth))) = (outcome.best, &job.test) {
        let score = ranks::score(team, truth, &outcome.points[best].model, x)?;
        outcome.points[best].model.training.test_score = Some(score.value());
        outcome.test = Some(score);
    }
    outcome.total_seconds = start.elapsed().as_secs_f64();
    let code = exit_code(followed.status, fit.strict);
    if team.rank() > 0 {
        // the first writes and tells
        return Ok(code);
    }
    write(path, &job, &outcome, validation.as_ref())?;
    if fit.json {
        output::print_json(&outcome.json())?;
    } else {
        output::print(&outcome.text())?;
    }
    Ok(code)
}

/// Refuses options of `fit` that a path has no use for.
fn check_options(path: &arguments::Path) -> Result<(), Failure> {
    let fit = &path.fit;
    let knobs = &fit.knobs;
    let refuse = |text: String| Err(Failure::Usage(text));
    if let Some(beta) = knobs.beta {
        return refuse(format!(
            "--beta {beta} is one penalty, and a path has many; choose them with --steps and \
             --smallest, or train with cronos fit"
        ));
    }
    for (given, option) in [
        (knobs.fast, "--fast"),
        (knobs.best, "--best"),
        (knobs.learn_gates, "--learn-gates"),
    ] {
        if given {
            return refuse(format!(
                "{option} is for learned gates, and a path has sampled ones; leave it out, or \
                 train with cronos fit"
            ));
        }
    }
    let wanted = [
        (fit.out.is_some(), "--out"),
        (fit.report.is_some(), "--report"),
    ];
    match wanted.into_iter().find(|(given, _)| *given) {
        Some((_, option)) if fit.source.holdout == Some(0.0) => refuse(format!(
            "{option} needs the best network, and --holdout 0 leaves no rows to choose it by; \
             hold some out"
        )),
        _ => Ok(()),
    }
}

/// Refuses outputs that cannot be written before any work is done for them.
fn check_outputs(path: &arguments::Path) -> Result<(), Failure> {
    let fit = &path.fit;
    for file in [&fit.out, &path.csv, &path.plot].into_iter().flatten() {
        model_file::check_writable(file, fit.force)?;
    }
    check_folder(fit.report.as_deref(), &[REPORT, POINTS, PAGE], fit.force)
}

/// The options of a fit, with gates that are drawn unless they are given.
fn options(path: &arguments::Path) -> Result<Options, Failure> {
    let mut options = knobs::options(&path.fit.knobs, path.fit.source.seed)?;
    if let GateSource::Learned { .. } = options.gates {
        options.gates = GateSource::of(None, false, true);
    }
    Ok(options)
}

fn follow(
    job: &Job,
    grid: &Grid,
    options: &Options,
    interrupt: &Interrupt,
) -> Result<Path, Failure> {
    let progress = Progress::of_path(grid.steps, interrupt);
    if !options.settings.team.is_alone() {
        let followed = follow_share(job, grid, options.clone(), &progress);
        progress.finish();
        return followed;
    }
    let (options, weights) = (options.clone(), job.weights.as_deref());
    let followed = match &job.train_truth {
        Truth::Classes(indices) => Classifier { options }
            .path(&job.train, indices, weights, grid, &progress)
            .map(|(_, path)| path),
        Truth::Numbers(y) => Regressor { options }.path(&job.train, y, weights, grid, &progress),
    };
    progress.finish();
    Ok(followed?)
}

/// Follows the path on this rank's share of the rows.
fn follow_share(
    job: &Job,
    grid: &Grid,
    options: Options,
    observer: &Progress<'_>,
) -> Result<Path, Failure> {
    let own = Share::of(job, &options)?;
    let (x, weights) = (&own.x, own.weights.as_deref());
    Ok(match &own.truth {
        Truth::Classes(indices) => {
            let classes = job.classes().len();
            Classifier { options }.path_shared(x, indices, classes, weights, grid, observer)?
        }
        Truth::Numbers(y) => Regressor { options }.path_shared(x, y, weights, grid, observer)?,
    })
}

/// A path that ended before its first penalty was done.
fn nothing(status: Status) -> Result<ExitCode, Failure> {
    let text = match status {
        Status::Interrupted => {
            output::remark("interrupted before the first network was found; nothing is written");
            return Ok(ExitCode::from(failure::INTERRUPTED));
        }
        Status::TimeLimit => {
            "the time limit came before the first network was found; raise --time-limit"
        }
        _ => "a numerical failure came before the first network was found; try --precision f64",
    };
    Err(Failure::Work(text.into()))
}

/// Writes every file that was asked for.
fn write(
    path: &arguments::Path,
    job: &Job,
    outcome: &Outcome<'_>,
    validation: Option<&WithTruth>,
) -> Result<(), Failure> {
    let fit = &path.fit;
    if let Some(file) = &path.csv {
        model_file::write(file, outcome.csv().as_bytes(), fit.force)?;
    }
    let measure = Measure::of_classes(matches!(outcome.points[0].train, Score::Classes { .. }));
    if let Some(file) = &path.plot {
        let title = format!("{}: path of penalties", job.name);
        let plot = path_plot(&title, &outcome.plotted(), &measure);
        model_file::write(file, plot.as_bytes(), fit.force)?;
    }
    let (Some(best), Some(validation)) = (outcome.best_point(), validation) else {
        return Ok(());
    };
    if let Some(out) = &fit.out {
        model_file::write(out, &best.model.to_bytes()?, fit.force)?;
    }
    let (Some(folder), Some(score)) = (&fit.report, &best.validation) else {
        return Ok(());
    };
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::Work(format!("cannot create {}: {error}", folder.display())))?;
    let numbers = format!("{:#}\n", outcome.json());
    model_file::write(&folder.join(REPORT), numbers.as_bytes(), fit.force)?;
    model_file::write(&folder.join(POINTS), outcome.csv().as_bytes(), fit.force)?;
    let (x, truth) = validation;
    let importance = Measured::by_shuffling(&best.model, x, truth, "validation rows")?;
    let summary = Summary {
        data: &job.name,
        importance: Some(&importance),
        model: &best.model,
        fitted: best.fitted,
        train: &best.train,
        test: outcome.test.as_ref(),
        out: fit.out.as_deref(),
        total_seconds: outcome.total_seconds,
    };
    let walked = Walked {
        points: outcome.plotted(),
        validation,
        score,
    };
    let page = report::page(fit, job, &summary, Some(&walked))?;
    model_file::write(&folder.join(PAGE), page.as_bytes(), fit.force)
}

/// Accuracy or R², or nothing.
fn value(score: Option<&Score>) -> f64 {
    score.map_or(f64::NAN, Score::value)
}
