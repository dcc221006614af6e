//! The data of a fit: read, split, weighted and filled.

use super::labelled::{Truth, WithTruth, target_column, target_of};
use crate::arguments::{self, Source};
use crate::failure::Failure;
use crate::{model_file, output};
use cronos::{Grouping, Images, Table, Task};
use cronos_data::impute::{Imputation, Imputer};
use cronos_data::labels::{self, Labels};
use cronos_data::weights::{self, ClassWeights};
use cronos_data::{
    DataError, Dataset, Features, ImageFit, ImageOptions, IndexColumn, Missing, ReadOptions,
    TargetColumn, Values, WeightColumn, names, split,
};
use std::path::Path;

/// Rows held out when nothing is said.
pub const HOLDOUT: f64 = 0.3;

/// The data of a fit, split.
pub struct Job {
    pub name: String,
    pub train: Box<dyn Table>,
    pub train_truth: Truth,
    /// How much each training row counts: its own weight times that of its class. `None` if
    /// neither was asked for.
    pub weights: Option<Vec<f64>>,
    pub test: Option<WithTruth>,
    /// Whether the test rows were held out of the data.
    pub held_out: bool,
    pub task: Task,
    pub grouping: Option<Grouping>,
    pub feature_names: Vec<String>,
    /// Columns that are no features: an index, and those dropped on request.
    pub left_out: Vec<String>,
    pub target_name: Option<String>,
    pub fingerprint: String,
    /// Height, width and channels when every row is an image.
    pub image_shape: Option<(usize, usize, usize)>,
    /// What other images are to be brought to, if the rows are images of bytes.
    pub images: Option<Images>,
}

impl Job {
    pub fn read(source: &Source) -> Result<Self, Failure> {
        let class_weights = class_weights(source)?;
        let options = read_options(source)?;
        let loaded = cronos_data::read(&source.data, &options).map_err(Failure::reading)?;
        let mut data = loaded.train;
        let only = only(source, &data)?;
        if let Some(classes) = &only {
            data = data.of_classes(classes).map_err(Failure::reading)?;
        }
        remark_on_index(source, &data);
        data.remarks.iter().for_each(|text| output::remark(text));
        let images = images(&data);
        let (goal, truth) = Goal::of(source, &data)?;
        let mut other = match &source.test {
            Some(test) => Some(read_test(source, test, &data, options)?),
            // a test part without a target can test nothing
            None if source.holdout.is_none() => loaded.test.filter(|test| test.target.is_some()),
            None => None,
        };
        if let (Some(classes), Some(test)) = (&only, &mut other) {
            *test = test.of_classes(classes).map_err(Failure::reading)?;
            if test.features.rows == 0 {
                return Err(Failure::Input(format!(
                    "the test data {:?} has no row of the classes of --classes",
                    test.name
                )));
            }
        }
        let fingerprint = data.fingerprint();
        let held_out = other.is_none();
        let left_out = left_out(&data);
        let Dataset {
            name,
            features,
            feature_names,
            target_name,
            weights,
            image_shape,
            ..
        } = data;
        let all = Rows {
            features,
            truth,
            weights,
        };
        let (train, test) = match other {
            Some(test) => {
                let truth = Truth::of(&test, &goal.task, goal.grouping.as_ref())?;
                let x = model_file::table(test.features)?;
                (all, Some((x, truth)))
            }
            None => hold_out(source, all)?,
        };
        Ok(Self {
            name,
            weights: train.weights(&goal.task, class_weights.as_ref())?,
            train: model_file::table(train.features)?,
            train_truth: train.truth,
            test,
            held_out,
            task: goal.task,
            grouping: goal.grouping,
            feature_names,
            left_out,
            target_name,
            fingerprint,
            image_shape,
            images,
        })
    }

    /// The names of the classes; none for numbers.
    pub fn classes(&self) -> &[String] {
        match &self.task {
            Task::Classification { classes } => classes,
            Task::Regression => &[],
        }
    }

    /// Fills missing values from the training rows; returns what fills each column.
    pub fn impute(&mut self, source: &Source) -> Result<Option<Vec<f64>>, Failure> {
        let Some(how) = source.impute else {
            return Ok(None);
        };
        let how = match how {
            arguments::Impute::Mean => Imputation::Mean,
            arguments::Impute::Median => Imputation::Median,
        };
        let mut features = Features {
            rows: self.train.rows(),
            columns: self.train.columns(),
            values: Values::Numbers(self.train.to_matrix().values().to_vec()),
        };
        let imputer = Imputer::fit(&features, &self.feature_names, how)
            .map_err(|error| Failure::Input(format!("{}: {error}", source.data)))?;
        imputer.apply(&mut features);
        self.train = model_file::table(features)?;
        Ok(Some(imputer.values))
    }
}

fn usage(error: DataError) -> Failure {
    Failure::Usage(error.to_string())
}

fn class_weights(source: &Source) -> Result<Option<ClassWeights>, Failure> {
    if source.class_weight.is_empty() {
        return Ok(None);
    }
    ClassWeights::parse(&source.class_weight)
        .map(Some)
        .map_err(|error| Failure::Usage(format!("--class-weight: {error}")))
}

/// The classes whose rows alone are used, if they were named.
fn only(source: &Source, data: &Dataset) -> Result<Option<Vec<String>>, Failure> {
    if source.classes.is_empty() {
        return Ok(None);
    }
    let all = data.labels().map_err(Failure::reading)?.classes;
    labels::chosen(&source.classes, &all)
        .map(Some)
        .map_err(Failure::reading)
}

/// How the training data is read.
fn read_options(source: &Source) -> Result<ReadOptions<'static>, Failure> {
    let mut drop = Vec::new();
    for list in &source.drop {
        drop.extend(names::split(list).map_err(usage)?);
    }
    Ok(ReadOptions {
        target: target_column(source.target.as_ref()),
        weight: match &source.weight_column {
            Some(name) => WeightColumn::Named(name.clone()),
            None => WeightColumn::Absent,
        },
        drop,
        index: match source.keep_index {
            true => IndexColumn::Keep,
            false => IndexColumn::LeaveOut,
        },
        missing: match source.impute {
            Some(_) => Missing::Keep,
            None => Missing::Refuse,
        },
        expected_features: None,
        images: source.images.options(),
    })
}

/// What other images are to be brought to. Those that come in one array have one size; others
/// are then padded, as they would be in a folder.
fn images(data: &Dataset) -> Option<Images> {
    let (height, width, channels) = data.image_shape?;
    let fit = data.image_fit.unwrap_or(ImageFit::Pad);
    matches!(data.features.values, Values::Bytes(_)).then(|| Images {
        height,
        width,
        channels,
        fit: fit.name().into(),
    })
}

/// Reads the data named by `--test`, which may lack the weights.
fn read_test(
    source: &Source,
    test: &str,
    train: &Dataset,
    options: ReadOptions<'static>,
) -> Result<Dataset, Failure> {
    let weight = train.weight_name.as_ref().or(source.weight_column.as_ref());
    let options = ReadOptions {
        target: test_target(source)?,
        weight: weight.map_or(WeightColumn::Absent, |name| {
            WeightColumn::IfThere(name.clone())
        }),
        drop: train.dropped.clone(),
        expected_features: Some(&train.feature_names),
        images: ImageOptions {
            size: train.image_shape.map(|(height, width, _)| (height, width)),
            channels: train.image_shape.map(|(.., channels)| channels),
            fit: Some(train.image_fit.unwrap_or(ImageFit::Pad)),
            ..options.images
        },
        ..options
    };
    let test = cronos_data::read(test, &options).map_err(Failure::reading)?;
    Ok(test.train)
}

/// Where the target of the test data is. A target in a file of its own belongs
/// to the training data, so the test data needs another.
fn test_target(source: &Source) -> Result<TargetColumn, Failure> {
    match (&source.test_target, &source.target) {
        (None, Some(target)) if Path::new(target).is_file() => Err(Failure::Usage(format!(
            "--target {target} holds the targets of the training data; name those of the test \
             data with --test-target"
        ))),
        (named, usual) => Ok(target_column(named.as_ref().or(usual.as_ref()))),
    }
}

/// Columns that are no features: an index, and those dropped on request.
fn left_out(data: &Dataset) -> Vec<String> {
    let index = data.counting.iter().filter(|column| column.left_out);
    let index = index.map(|column| column.name.clone());
    index.chain(data.dropped.iter().cloned()).collect()
}

/// Says which column seems to be an index, and what to do about it.
fn remark_on_index(source: &Source, data: &Dataset) {
    for column in &data.counting {
        let (file, name) = (&source.data, &column.name);
        output::remark(&if column.left_out {
            format!(
                "{file}: column {name:?} only counts the rows, so it is left out; pass \
                 --keep-index to use it"
            )
        } else {
            format!(
                "{file}: its first column only counts the rows; if it is an index, leave it out \
                 with --drop {name}"
            )
        });
    }
}

/// Rows with all that belongs to them.
struct Rows {
    features: Features,
    truth: Truth,
    weights: Option<Vec<f64>>,
}

impl Rows {
    /// The named rows, which are in ascending order.
    fn keep(self, rows: &[usize]) -> Self {
        let chosen = |all: Vec<f64>| rows.iter().map(|&row| all[row]).collect();
        Self {
            features: self.features.keep(rows),
            truth: self.truth.select(rows),
            weights: self.weights.map(chosen),
        }
    }

    /// The weights of the rows times those of their classes.
    fn weights(
        &self,
        task: &Task,
        class_weights: Option<&ClassWeights>,
    ) -> Result<Option<Vec<f64>>, Failure> {
        let own = self.weights.clone();
        let product = match (class_weights, &self.truth, task) {
            (None, ..) => weights::product(own, None),
            (Some(wanted), Truth::Classes(indices), Task::Classification { classes }) => wanted
                .of(classes, indices, own.as_deref())
                .and_then(|factors| weights::product(own, Some((indices, &factors)))),
            _ => return Err(needs_classes("--class-weight")),
        };
        product.map_err(Failure::reading)
    }
}

fn needs_classes(option: &str) -> Failure {
    Failure::Usage(format!("{option} needs a classification task"))
}

type Held = Option<WithTruth>;

/// Sets rows aside for the test.
fn hold_out(source: &Source, all: Rows) -> Result<(Rows, Held), Failure> {
    let fraction = source.holdout.unwrap_or(HOLDOUT);
    if fraction == 0.0 {
        return Ok((all, None));
    }
    let strata = match &all.truth {
        Truth::Classes(indices) => Some(&indices[..]),
        Truth::Numbers(_) => None,
    };
    let (train, test) = split::holdout(all.features.rows, fraction, source.seed, strata)
        .map_err(Failure::reading)?;
    let truth = all.truth.select(&test);
    let x = model_file::table(all.features.select(&test))?;
    Ok((all.keep(&train), Some((x, truth))))
}

/// What is to be learned.
struct Goal {
    task: Task,
    grouping: Option<Grouping>,
}

impl Goal {
    /// What the training data is to teach, and its truth.
    fn of(source: &Source, data: &Dataset) -> Result<(Self, Truth), Failure> {
        let target = target_of(data)?;
        let task = match source.task {
            Some(arguments::Task::Classification) => cronos_data::Task::Classification,
            Some(arguments::Task::Regression) => cronos_data::Task::Regression,
            None if source.positive.is_empty() && source.classes.is_empty() => {
                labels::infer_task(target)
            }
            None => cronos_data::Task::Classification,
        };
        if task == cronos_data::Task::Regression {
            for (option, given) in [
                ("--positive", &source.positive),
                ("--classes", &source.classes),
            ] {
                if !given.is_empty() {
                    return Err(needs_classes(option));
                }
            }
            let goal = Self {
                task: Task::Regression,
                grouping: None,
            };
            return Ok((goal, Truth::numbers(data)?));
        }
        let mut labels = data.labels().map_err(Failure::reading)?;
        let mut grouping = None;
        if !source.positive.is_empty() {
            let positive =
                labels::chosen(&source.positive, &labels.classes).map_err(Failure::reading)?;
            let grouped = labels::group_positive(&labels, &positive).map_err(Failure::reading)?;
            let group = |class| usize::from(positive.contains(class));
            grouping = Some(Grouping {
                group: labels.classes.iter().map(group).collect(),
                classes: labels.classes,
            });
            labels = grouped;
        }
        let Labels { classes, indices } = labels;
        let task = Task::Classification { classes };
        Ok((Self { task, grouping }, Truth::Classes(indices)))
    }
}

#[cfg(test)]
mod tests;
