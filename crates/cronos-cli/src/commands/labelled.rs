//! Data with its truth: classes or numbers.

use super::text::bundle;
use crate::failure::Failure;
use crate::model_file;
use crate::score::Score;
use cronos::{Grouping, Matrix, Model, Table, Task, TextInput, chosen_classes};
use cronos_data::{Dataset, ImageFit, ImageOptions, Missing, ReadOptions, Target, TargetColumn};
use std::path::PathBuf;

/// What the rows should be.
pub enum Truth {
    /// Index of the class of each row.
    Classes(Vec<usize>),
    /// Rows x outputs.
    Numbers(Matrix<f64>),
}

/// Features and what their rows should be.
pub type WithTruth = (Box<dyn Table>, Truth);

impl Truth {
    /// The rows that `rows` names.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Classes(indices) => Self::Classes(rows.iter().map(|&i| indices[i]).collect()),
            Self::Numbers(y) => Self::Numbers(Matrix::from_fn(rows.len(), y.columns(), |i, c| {
                y.at(rows[i], c)
            })),
        }
    }

    /// The truth in a data set, in the terms of a task.
    pub fn of(data: &Dataset, task: &Task, grouping: Option<&Grouping>) -> Result<Self, Failure> {
        target_of(data)?;
        let Task::Classification { classes } = task else {
            return Self::numbers(data);
        };
        let known = grouping.map_or(classes, |grouping| &grouping.classes);
        let mut indices = data.labels_as(known).map_err(Failure::reading)?;
        if let Some(grouping) = grouping {
            indices = indices
                .into_iter()
                .map(|class| grouping.group[class])
                .collect();
        }
        Ok(Self::Classes(indices))
    }

    /// A numeric target.
    pub fn numbers(data: &Dataset) -> Result<Self, Failure> {
        let (columns, values) = data.numbers().map_err(Failure::reading)?;
        let rows = data.features.rows;
        Ok(Self::Numbers(Matrix::from_rows(rows, columns, values)?))
    }

    /// How well a model does on these rows.
    pub fn score(&self, model: &Model, x: &dyn Table) -> Result<Score, Failure> {
        self.score_of(&model.decide(x)?)
    }

    /// How well the outputs of a model do on these rows.
    pub fn score_of(&self, predicted: &Matrix<f64>) -> Result<Score, Failure> {
        Ok(match self {
            Self::Classes(truth) => Score::of_classes(&chosen_classes(predicted), truth),
            Self::Numbers(truth) => {
                if truth.columns() != predicted.columns() {
                    return Err(Failure::Input(format!(
                        "the model predicts {} number(s) per row, the data has {}",
                        predicted.columns(),
                        truth.columns()
                    )));
                }
                Score::of_numbers(predicted, truth)
            }
        })
    }
}

/// Labelled data for a model.
pub struct Labelled {
    pub x: Box<dyn Table>,
    pub truth: Truth,
    /// A short name of the data.
    pub name: String,
}

impl Labelled {
    /// Reads data as a model wants it; of data that comes with a test part that part.
    pub fn read(
        model: &Model,
        data: &str,
        target: Option<&String>,
        place: &TextPlace<'_>,
    ) -> Result<Self, Failure> {
        if let Some(input) = &model.training.text {
            return Self::read_texts(model, input, data, target, place);
        }
        let options = ReadOptions {
            target: target_column(target.or(model.target_name.as_ref())),
            missing: missing(model),
            expected_features: Some(&model.feature_names),
            images: images(model)?,
            ..ReadOptions::default()
        };
        let loaded = cronos_data::read(data, &options).map_err(Failure::reading)?;
        let data = loaded.test.unwrap_or(loaded.train);
        let truth = Truth::of(&data, &model.task, model.training.grouping.as_ref())?;
        Ok(Self {
            name: data.name,
            truth,
            x: model_file::table(data.features)?,
        })
    }

    fn read_texts(
        model: &Model,
        input: &TextInput,
        data: &str,
        target: Option<&String>,
        place: &TextPlace<'_>,
    ) -> Result<Self, Failure> {
        let target = target_column(target.or(model.target_name.as_ref()));
        let texts = bundle::read(data, place.text, target)?;
        let truth = Truth::of(&texts.data, &model.task, model.training.grouping.as_ref())?;
        Ok(Self {
            x: bundle::features(model, input, place.encoder, &texts.texts)?,
            truth,
            name: texts.data.name,
        })
    }
}

/// Where texts are, and the encoder of their model.
#[derive(Default)]
pub struct TextPlace<'a> {
    pub text: Option<&'a String>,
    pub encoder: Option<&'a PathBuf>,
}

/// A model that knows how to fill missing values accepts them.
pub fn missing(model: &Model) -> Missing {
    match model.imputation {
        Some(_) => Missing::Keep,
        None => Missing::Refuse,
    }
}

/// What images must be brought to for a model.
pub fn images(model: &Model) -> Result<ImageOptions, Failure> {
    let mut options = ImageOptions {
        memory_limit_bytes: Some(cronos::memory::available()),
        ..ImageOptions::default()
    };
    if let Some(images) = &model.training.images {
        let fit = ImageFit::named(&images.fit);
        options.fit = Some(fit.ok_or_else(|| {
            Failure::Input(format!(
                "the model fits images by {:?}, which this version does not know; use a newer one",
                images.fit
            ))
        })?);
        options.size = Some((images.height, images.width));
        options.channels = Some(images.channels);
    }
    Ok(options)
}

/// The target of a data set, or an input error.
pub fn target_of(data: &Dataset) -> Result<&Target, Failure> {
    data.target.as_ref().ok_or_else(|| {
        Failure::Input(match data.files.is_empty() {
            true => format!("{} has no target; name one with --target", data.name),
            false => format!(
                "the images of {} have no classes; put each into a sub-folder called like its class",
                data.name
            ),
        })
    })
}

/// The target the user named, or the usual one.
pub fn target_column(named: Option<&String>) -> TargetColumn {
    named.map_or(TargetColumn::Auto, |name| TargetColumn::Named(name.clone()))
}
