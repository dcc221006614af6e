//! The data of a fit: read, split, weighted and filled.

mod goal;
mod reading;
mod rows;
mod texts;

pub use texts::Encoded;

use super::labelled::{Truth, WithTruth};
use crate::arguments::{self, Source};
use crate::failure::Failure;
use crate::{model_file, output};
use cronos::{Grouping, Images, Table, Task, Team, TextInput};
use cronos_data::impute::{Imputation, Imputer};
use cronos_data::weights::ClassWeights;
use cronos_data::{Dataset, Features, ImageFit, ReadOptions, Values, bytes_of_numbers};
use goal::{Goal, only};
use reading::{read, read_options, read_test};
use rows::{Rows, hold_out};

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
    /// How texts become features, if the rows are texts.
    pub text: Option<TextInput>,
}

impl Job {
    pub fn read(source: &Source) -> Result<Self, Failure> {
        Self::read_for(source, &Team::default(), None)
    }

    /// The same for ranks that share the rows, or for so many bytes of memory, if there is a bound:
    /// features of an npy file stay in it, those of a text table or Parquet in a temporary one.
    pub fn read_for(source: &Source, team: &Team, memory: Option<u64>) -> Result<Self, Failure> {
        let class_weights = class_weights(source)?;
        let options = ReadOptions {
            in_file: memory.is_some_and(|memory| is_large(source, memory))
                || (!team.is_alone() && source.data.ends_with(".npy")),
            ..read_options(source)?
        };
        let loaded = read(&source.data, &options)?;
        let mut data = loaded.train;
        let only = only(source, &data)?;
        if let Some(classes) = &only {
            data = data.of_classes(classes).map_err(Failure::reading)?;
        }
        if team.rank() == 0 {
            remark_on_index(source, &data);
            data.remarks.iter().for_each(|text| output::remark(text));
        }
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
        // whoever saves the model knows it
        let fingerprint = match team.rank() {
            0 => data.fingerprint(),
            _ => String::new(),
        };
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
            train: model_file::table_within(train.features, memory)?,
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
            text: None,
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

/// How much larger a packed table is, or so.
const PACKED: u64 = 4;

/// Whether a file has more bytes than a sixth of the memory: as numbers and as the solver sees them
/// they are three times as many, and the solver needs room beside them. The same for a fourth where
/// the bytes of its numbers are known.
fn is_large(source: &Source, memory: u64) -> bool {
    if let Some(bytes) = bytes_of_numbers(&source.data) {
        return bytes > memory / 4;
    }
    let file = std::fs::metadata(&source.data);
    let packed = source.data.ends_with(".gz");
    file.is_ok_and(|file| {
        let bytes = file.len().saturating_mul(if packed { PACKED } else { 1 });
        file.is_file() && bytes > memory / 6
    })
}

fn class_weights(source: &Source) -> Result<Option<ClassWeights>, Failure> {
    if source.class_weight.is_empty() {
        return Ok(None);
    }
    ClassWeights::parse(&source.class_weight)
        .map(Some)
        .map_err(|error| Failure::Usage(format!("--class-weight: {error}")))
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

fn needs_classes(option: &str) -> Failure {
    Failure::Usage(format!("{option} needs a classification task"))
}

#[cfg(test)]
mod tests;
