//! The data of a fit on texts.

use super::goal::{Goal, only};
use super::rows::Rows;
use super::{HOLDOUT, Job, class_weights};
use crate::arguments::Source;
use crate::commands::labelled::Truth;
use crate::failure::Failure;
use cronos::{Table, TextInput, holdout};
use cronos_data::Texts;

/// What an encoder makes of texts.
pub struct Encoded {
    pub train: Box<dyn Table>,
    pub test: Option<Box<dyn Table>>,
    /// The name of each feature.
    pub names: Vec<String>,
    /// What the model must know of it.
    pub text: TextInput,
}

impl Job {
    /// Splits texts and encodes them; `encode` gets the training texts, what they should be, and
    /// the test texts.
    pub fn of_texts(
        source: &Source,
        mut train: Texts,
        mut test: Option<Texts>,
        encode: impl FnOnce(&[String], &Truth, Option<&[String]>) -> Result<Encoded, Failure>,
    ) -> Result<Self, Failure> {
        let class_weights = class_weights(source)?;
        if let Some(classes) = only(source, &train.data)? {
            train = of_classes(&train, &classes)?;
            test = test.map(|test| of_classes(&test, &classes)).transpose()?;
        }
        let fingerprint = train.fingerprint();
        let (goal, truth) = Goal::of(source, &train.data)?;
        let held_out = test.is_none();
        let (train, truth, test) = match test {
            Some(test) => {
                let known = Truth::of(&test.data, &goal.task, goal.grouping.as_ref())?;
                (train, truth, Some((test, known)))
            }
            None => held(source, train, truth)?,
        };
        let texts = test.as_ref().map(|(test, _)| &test.texts[..]);
        let encoded = encode(&train.texts, &truth, texts)?;
        let rows = Rows {
            features: train.data.features,
            truth,
            weights: None,
        };
        Ok(Self {
            name: train.data.name,
            weights: rows.weights(&goal.task, class_weights.as_ref())?,
            train: encoded.train,
            train_truth: rows.truth,
            test: encoded.test.zip(test.map(|(_, truth)| truth)),
            held_out,
            task: goal.task,
            grouping: goal.grouping,
            feature_names: encoded.names,
            left_out: Vec::new(),
            target_name: train.data.target_name,
            fingerprint,
            image_shape: None,
            images: None,
            text: Some(encoded.text),
        })
    }
}

type Split = (Texts, Truth, Option<(Texts, Truth)>);

/// Sets texts aside for the test.
fn held(source: &Source, all: Texts, truth: Truth) -> Result<Split, Failure> {
    let fraction = source.holdout.unwrap_or(HOLDOUT);
    if fraction == 0.0 {
        return Ok((all, truth, None));
    }
    let strata = match &truth {
        Truth::Classes(indices) => Some(&indices[..]),
        Truth::Numbers(_) => None,
    };
    let (train, test) = holdout(all.texts.len(), fraction, source.seed, strata)?;
    let aside = (all.select(&test), truth.select(&test));
    Ok((all.select(&train), truth.select(&train), Some(aside)))
}

fn of_classes(texts: &Texts, classes: &[String]) -> Result<Texts, Failure> {
    let rows = texts.data.rows_of(classes).map_err(Failure::reading)?;
    match rows.is_empty() {
        true => Err(Failure::Input(format!(
            "{:?} has no text of the classes of --classes",
            texts.data.name
        ))),
        false => Ok(texts.select(&rows)),
    }
}
