//! The data of a fit: read, split and filled.

use super::labelled::{Truth, target_column, target_of};
use crate::arguments::{self, Fit};
use crate::failure::Failure;
use crate::model_file;
use cronos::{Grouping, Matrix, Task};
use cronos_data::impute::{Imputation, Imputer};
use cronos_data::labels::{self, Labels};
use cronos_data::{Dataset, Features, Missing, ReadOptions, TargetColumn, split};
use std::path::Path;

/// Rows held out when nothing is said.
const HOLDOUT: f64 = 0.3;

/// The data of a fit, split.
pub struct Job {
    pub name: String,
    pub train: Matrix<f64>,
    pub train_truth: Truth,
    pub test: Option<(Matrix<f64>, Truth)>,
    /// Whether the test rows were held out of the data.
    pub held_out: bool,
    pub task: Task,
    pub grouping: Option<Grouping>,
    pub feature_names: Vec<String>,
    pub target_name: Option<String>,
    pub fingerprint: String,
    /// Height, width and channels when every row is an image.
    pub image_shape: Option<(usize, usize, usize)>,
}

impl Job {
    pub fn read(fit: &Fit) -> Result<Self, Failure> {
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
        let (goal, truth) = Goal::of(fit, &data)?;
        let other = match &fit.test {
            Some(source) => {
                let options = ReadOptions {
                    target: test_target(fit)?,
                    expected_features: Some(&data.feature_names),
                    ..options
                };
                let test = cronos_data::read(source, &options).map_err(Failure::reading)?;
                Some(test.train)
            }
            // a test part without a target can test nothing
            None if fit.holdout.is_none() => loaded.test.filter(|test| test.target.is_some()),
            None => None,
        };
        let fingerprint = data.fingerprint();
        let held_out = other.is_none();
        let Dataset {
            name,
            features,
            feature_names,
            target_name,
            image_shape,
            ..
        } = data;
        let (train, train_truth, test) = match other {
            Some(test) => {
                let test_truth = Truth::of(&test, &goal.task, goal.grouping.as_ref())?;
                let x = model_file::matrix(test.features)?;
                (features, truth, Some((x, test_truth)))
            }
            None => hold_out(fit, features, truth)?,
        };
        Ok(Self {
            name,
            train: model_file::matrix(train)?,
            train_truth,
            test,
            held_out,
            task: goal.task,
            grouping: goal.grouping,
            feature_names,
            target_name,
            fingerprint,
            image_shape,
        })
    }

    /// Fills missing values from the training rows; returns what fills each column.
    pub fn impute(&mut self, fit: &Fit) -> Result<Option<Vec<f64>>, Failure> {
        let Some(how) = fit.impute else {
            return Ok(None);
        };
        let how = match how {
            arguments::Impute::Mean => Imputation::Mean,
            arguments::Impute::Median => Imputation::Median,
        };
        let mut features = Features {
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

/// Where the target of the test data is. A target in a file of its own belongs
/// to the training data, so the test data needs another.
fn test_target(fit: &Fit) -> Result<TargetColumn, Failure> {
    match (&fit.test_target, &fit.target) {
        (None, Some(target)) if Path::new(target).is_file() => Err(Failure::Usage(format!(
            "--target {target} holds the targets of the training data; name those of the test \
             data with --test-target"
        ))),
        (named, usual) => Ok(target_column(named.as_ref().or(usual.as_ref()))),
    }
}

type Parts = (Features, Truth, Option<(Matrix<f64>, Truth)>);

/// Sets rows aside for the test.
fn hold_out(fit: &Fit, features: Features, truth: Truth) -> Result<Parts, Failure> {
    let fraction = fit.holdout.unwrap_or(HOLDOUT);
    if fraction == 0.0 {
        return Ok((features, truth, None));
    }
    let strata = match &truth {
        Truth::Classes(indices) => Some(&indices[..]),
        Truth::Numbers(_) => None,
    };
    let (train, test) = split::holdout(features.rows, fraction, fit.knobs.seed, strata)
        .map_err(Failure::reading)?;
    let x = model_file::matrix(features.select(&test))?;
    let held_out = truth.select(&test);
    Ok((
        features.select(&train),
        truth.select(&train),
        Some((x, held_out)),
    ))
}

/// What is to be learned.
struct Goal {
    task: Task,
    grouping: Option<Grouping>,
}

impl Goal {
    /// What the training data is to teach, and its truth.
    fn of(fit: &Fit, data: &Dataset) -> Result<(Self, Truth), Failure> {
        let target = target_of(data)?;
        let task = match fit.knobs.task {
            Some(arguments::Task::Classification) => cronos_data::Task::Classification,
            Some(arguments::Task::Regression) => cronos_data::Task::Regression,
            None if fit.positive.is_empty() => labels::infer_task(target),
            None => cronos_data::Task::Classification,
        };
        if task == cronos_data::Task::Regression {
            if !fit.positive.is_empty() {
                return Err(Failure::Usage(
                    "--positive needs a classification task".into(),
                ));
            }
            let goal = Self {
                task: Task::Regression,
                grouping: None,
            };
            return Ok((goal, Truth::numbers(target)?));
        }
        let mut labels = labels::encode(target).map_err(Failure::reading)?;
        let mut grouping = None;
        if !fit.positive.is_empty() {
            let grouped =
                labels::group_positive(&labels, &fit.positive).map_err(Failure::reading)?;
            let positive = |class| usize::from(fit.positive.contains(class));
            grouping = Some(Grouping {
                group: labels.classes.iter().map(positive).collect(),
                classes: labels.classes,
            });
            labels = grouped;
        }
        let Labels { classes, indices } = labels;
        let task = Task::Classification { classes };
        Ok((Self { task, grouping }, Truth::Classes(indices)))
    }
}
