//! `cronos fit`

use super::labelled::{Truth, target_column, target_of};
use crate::arguments::{self, Fit, Knobs};
use crate::failure::{self, Failure};
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Progress;
use crate::score::Score;
use crate::summary::Summary;
use crate::{model_file, summary};
use cronos::{
    Activation, Classifier, Fitted, GateSource, Iteration, Loss, Matrix, Model, Options, Precision,
    Regressor, Settings, Solver, Status, Task, Training,
};
use cronos_data::impute::{Imputation, Imputer};
use cronos_data::labels::{self, Labels};
use cronos_data::{Dataset, Missing, ReadOptions, TargetColumn, split};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Rows held out when nothing is said.
const HOLDOUT: f64 = 0.3;

pub fn run(fit: &Fit) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    if let Some(out) = &fit.out {
        model_file::check_writable(out, fit.force)?;
    }
    if let Some(folder) = &fit.report {
        for name in ["report.json", "history.csv"] {
            if folder.exists() {
                model_file::check_writable(&folder.join(name), fit.force)?;
            }
        }
    }
    start_threads(fit.knobs.threads)?;
    let options = options(&fit.knobs)?;
    let interrupt = Interrupt::listen()?;
    let mut job = Job::read(fit)?;
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
    let summary = Summary {
        data: &job.name,
        model: &model,
        fitted: &fitted,
        train: &train_score,
        test: test_score.as_ref(),
        out: fit.out.as_deref(),
        total_seconds: start.elapsed().as_secs_f64(),
    };
    if let Some(folder) = &fit.report {
        write_report(folder, &summary, fit.force)?;
    }
    if fit.json {
        output::print_json(&summary.json())?;
    } else {
        output::print(&summary.text())?;
    }
    Ok(match fitted.solution.status {
        Status::Interrupted => ExitCode::from(failure::INTERRUPTED),
        Status::Solved => ExitCode::SUCCESS,
        _ if fit.strict => ExitCode::from(failure::TOLERANCE_NOT_REACHED),
        _ => ExitCode::SUCCESS,
    })
}

fn start_threads(threads: Option<usize>) -> Result<(), Failure> {
    if threads == Some(0) {
        return Err(Failure::Usage("threads is 0; it must be at least 1".into()));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build_global()
        .map_err(|error| Failure::Work(format!("cannot start threads: {error}")))
}

/// The options that the knobs stand for.
fn options(knobs: &Knobs) -> Result<Options, Failure> {
    let gates = match &knobs.gate_file {
        Some(path) => GateSource::Given(gate_directions(path)?),
        None => GateSource::Sampled(knobs.gates),
    };
    Ok(Options {
        beta: knobs.beta,
        gates,
        activation: match knobs.activation {
            arguments::Activation::Relu => Activation::Relu,
            arguments::Activation::Gated => Activation::Gated,
        },
        loss: match knobs.loss {
            arguments::Loss::Squared => Loss::Squared,
        },
        bias: !knobs.no_bias,
        standardize: !knobs.no_standardize,
        precision: match knobs.precision {
            arguments::Precision::F32 => Precision::F32,
            arguments::Precision::F64 => Precision::F64,
        },
        seed: knobs.seed,
        settings: Settings {
            solver: match knobs.solver {
                arguments::Solver::Auto => Solver::Auto,
                arguments::Solver::Direct => Solver::Direct,
                arguments::Solver::SamplePcg => Solver::SamplePcg,
                arguments::Solver::PrimalPcg => Solver::PrimalPcg,
            },
            rank: knobs.rank,
            rho: knobs.rho,
            adapt_rho: !knobs.fixed_rho,
            max_iterations: knobs.max_iterations,
            gap_relative: knobs.tolerance,
            time_limit_seconds: knobs.time_limit,
            ..Settings::default()
        },
    })
}

/// Gate directions from an npy file: features x gates.
fn gate_directions(path: &Path) -> Result<Matrix<f64>, Failure> {
    let options = ReadOptions {
        target: TargetColumn::Absent,
        ..ReadOptions::default()
    };
    let loaded = cronos_data::read(&path.to_string_lossy(), &options).map_err(Failure::reading)?;
    model_file::matrix(loaded.train.features)
}

/// The data of a fit, split.
struct Job {
    name: String,
    train: Matrix<f64>,
    train_truth: Truth,
    test: Option<(Matrix<f64>, Truth)>,
    task: Task,
    feature_names: Vec<String>,
    target_name: Option<String>,
    fingerprint: String,
}

impl Job {
    fn read(fit: &Fit) -> Result<Self, Failure> {
        let missing = if fit.impute.is_some() {
            Missing::Keep
        } else {
            Missing::Refuse
        };
        let options = ReadOptions {
            target: target_column(fit.target.as_ref()),
            missing,
            ..ReadOptions::default()
        };
        let loaded = cronos_data::read(&fit.data, &options).map_err(Failure::reading)?;
        let data = loaded.train;
        let (task, truth) = task_and_truth(fit, &data)?;
        let other = match &fit.test {
            Some(source) => {
                let options = ReadOptions {
                    expected_features: Some(&data.feature_names),
                    ..options
                };
                let test = cronos_data::read(source, &options).map_err(Failure::reading)?;
                Some(test.train)
            }
            None if fit.holdout.is_none() => loaded.test,
            None => None,
        };
        let fingerprint = data.fingerprint();
        let Dataset {
            name,
            features,
            feature_names,
            target_name,
            ..
        } = data;
        let (train, train_truth, test) = match other {
            Some(test) => {
                let test_truth = test_truth(fit, &test, &task)?;
                let x = model_file::matrix(test.features)?;
                (features, truth, Some((x, test_truth)))
            }
            None => match fit.holdout.unwrap_or(HOLDOUT) {
                0.0 => (features, truth, None),
                fraction => {
                    let strata = match &truth {
                        Truth::Classes(indices) => Some(&indices[..]),
                        Truth::Numbers(_) => None,
                    };
                    let (train, test) =
                        split::holdout(features.rows, fraction, fit.knobs.seed, strata)
                            .map_err(Failure::reading)?;
                    let x = model_file::matrix(features.select(&test))?;
                    let held_out = truth.select(&test);
                    (
                        features.select(&train),
                        truth.select(&train),
                        Some((x, held_out)),
                    )
                }
            },
        };
        Ok(Self {
            name,
            train: model_file::matrix(train)?,
            train_truth,
            test,
            task,
            feature_names,
            target_name,
            fingerprint,
        })
    }

    /// Fills missing values from the training rows; returns what fills each column.
    fn impute(&mut self, fit: &Fit) -> Result<Option<Vec<f64>>, Failure> {
        let Some(how) = fit.impute else {
            return Ok(None);
        };
        let how = match how {
            arguments::Impute::Mean => Imputation::Mean,
            arguments::Impute::Median => Imputation::Median,
        };
        let mut features = cronos_data::Features {
            rows: self.train.rows(),
            columns: self.train.columns(),
            values: self.train.values().to_vec(),
        };
        let imputer = Imputer::fit(&features, how).map_err(Failure::reading)?;
        imputer.apply(&mut features);
        self.train = model_file::matrix(features)?;
        Ok(Some(imputer.values))
    }
}

/// What is to be learned, and the truth of the training data.
fn task_and_truth(fit: &Fit, data: &Dataset) -> Result<(Task, Truth), Failure> {
    let target = target_of(data)?;
    let task = match fit.knobs.task {
        Some(arguments::Task::Classification) => cronos_data::Task::Classification,
        Some(arguments::Task::Regression) => cronos_data::Task::Regression,
        None if fit.positive.is_empty() => labels::infer_task(target),
        None => cronos_data::Task::Classification,
    };
    match task {
        cronos_data::Task::Regression if !fit.positive.is_empty() => Err(Failure::Usage(
            "--positive needs a classification task".into(),
        )),
        cronos_data::Task::Regression => Ok((Task::Regression, Truth::numbers(target)?)),
        cronos_data::Task::Classification => {
            let mut labels = labels::encode(target).map_err(Failure::reading)?;
            if !fit.positive.is_empty() {
                labels = labels::group_positive(&labels, &fit.positive).map_err(Failure::reading)?;
            }
            let Labels { classes, indices } = labels;
            Ok((Task::Classification { classes }, Truth::Classes(indices)))
        }
    }
}

/// The truth of separate test data, grouped like the training data.
fn test_truth(fit: &Fit, test: &Dataset, task: &Task) -> Result<Truth, Failure> {
    if fit.positive.is_empty() {
        return Truth::of(test, task);
    }
    let labels = labels::encode(target_of(test)?).map_err(Failure::reading)?;
    let grouped = labels::group_positive(&labels, &fit.positive).map_err(Failure::reading)?;
    Ok(Truth::Classes(grouped.indices))
}

fn train(job: &Job, options: &Options, interrupt: &Interrupt) -> Result<Fitted, Failure> {
    let mut progress = Progress::new(options.settings.max_iterations);
    let mut observe = |iteration: &Iteration| {
        progress.show(iteration);
        if interrupt.asked() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = options.clone();
    let fitted = match &job.train_truth {
        Truth::Classes(indices) => Classifier { options }
            .fit_observed(&job.train, indices, &mut observe)
            .map(|trained| trained.fitted),
        Truth::Numbers(y) => Regressor { options }.fit_observed(&job.train, y, &mut observe),
    };
    progress.finish();
    Ok(fitted?)
}

fn model(
    job: &Job,
    fitted: &Fitted,
    options: &Options,
    imputation: Option<Vec<f64>>,
) -> Model {
    let solution = &fitted.solution;
    let certificate = &solution.certificate;
    Model {
        network: fitted.network.clone(),
        task: job.task.clone(),
        feature_names: job.feature_names.clone(),
        target_name: job.target_name.clone(),
        imputation,
        training: Training {
            seed: options.seed,
            data_fingerprint: job.fingerprint.clone(),
            rows: job.train.rows(),
            status: solution.status.name().into(),
            iterations: solution.history.len(),
            solver: solution.choice.solver.name().into(),
            loss: options.loss.name().into(),
            activation: options.activation.name().into(),
            precision: options.precision.name().into(),
            beta: fitted.beta,
            gates: fitted.gates,
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
    model_file::write(&folder.join("report.json"), report.as_bytes(), force)?;
    let history = summary::history_csv(&summary.fitted.solution.history);
    model_file::write(&folder.join("history.csv"), history.as_bytes(), force)
}
