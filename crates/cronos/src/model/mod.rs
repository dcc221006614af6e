//! A trained network together with what is needed to use it: the meaning of
//! its columns, the missing values and how it came to be.

mod checksum;
mod file;
mod onnx;
mod onnx_graph;
mod onnx_proto;
mod onnx_stack;
mod stack_file;
mod tensors;
mod training;

pub(crate) use checksum::Checksum;
pub use file::FORMAT_VERSION;
pub use training::{Deep, Grouping, Images, TextInput, Training};

use crate::Error;
use crate::estimator::chosen_class;
use crate::fit::{Fitted, Options};
use crate::matrix::Matrix;
use crate::network::{BATCH, Network};
use crate::stack::{Forward, Layer, Stack};
use crate::table::Table;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Features of rows that are held at a time, at most, if `BATCH` rows have no more.
const PART: usize = 1 << 22;

/// What the outputs of the network stand for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// One of several classes. With two classes there is one output, and class 1
    /// is chosen when it is at least 0. With more there is one output per class,
    /// and the largest is chosen, the first of them on a tie.
    Classification {
        /// The names of the classes, in the order of their indices.
        classes: Vec<String>,
    },
    /// Numbers.
    Regression,
}

/// A network, perhaps with layers in front, the meaning of its columns and its history.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The network.
    pub network: Network,
    /// Layers that make the features of the network from the raw ones.
    pub stack: Option<Stack>,
    /// What its outputs stand for.
    pub task: Task,
    /// The name of each feature.
    pub feature_names: Vec<String>,
    /// The name of the target, if it has one.
    pub target_name: Option<String>,
    /// The value of each feature that replaces a missing (NaN) one.
    pub imputation: Option<Vec<f64>>,
    /// How the network came to be.
    pub training: Training,
}

impl Model {
    /// The model of a network that was trained on so many rows. Nothing is missing in its
    /// features, and nothing is known about where they come from.
    pub fn of(
        fitted: &Fitted,
        options: &Options,
        task: Task,
        feature_names: Vec<String>,
        rows: usize,
    ) -> Self {
        let certificate = &fitted.certificate;
        Self {
            network: fitted.network.clone(),
            stack: None,
            task,
            feature_names,
            target_name: None,
            imputation: None,
            training: Training {
                seed: options.seed,
                data_fingerprint: String::new(),
                left_out: Vec::new(),
                rows,
                status: fitted.status.name().into(),
                iterations: fitted.iterations,
                solver: fitted.solver.into(),
                loss: fitted.loss.name().into(),
                log_odds: fitted.log_odds(),
                activation: options.activation.name().into(),
                precision: options.precision.name().into(),
                beta: fitted.beta,
                gates: fitted.gates,
                grouping: None,
                images: None,
                text: None,
                deep: None,
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

    /// Number of raw features.
    pub fn features(&self) -> usize {
        (self.stack.as_ref()).map_or(self.network.features(), Stack::inputs)
    }

    /// Numbers that were trained; the scaling of the inputs and the offset of the outputs are not.
    pub fn parameters(&self) -> usize {
        let network = &self.network;
        let last =
            network.hidden.values().len() + network.neurons() + network.output.values().len();
        let layers = self.stack.iter().flat_map(|stack| stack.places());
        let trained = layers
            .flatten()
            .filter(|place| !matches!(place.layer, Layer::Scale { .. }))
            .map(|place| place.layer.parameters());
        trained.sum::<usize>() + last
    }

    /// The outputs of the network for each row of `x`, rows x outputs, after
    /// missing (NaN) features were replaced.
    pub fn decide(&self, x: &dyn Table) -> Result<Matrix<f64>, Error> {
        match &self.imputation {
            // nothing is missing in what is sparse
            Some(_) if x.to_sparse().is_none() => {
                self.decide_filled(self.filled(&x.to_matrix())?.as_ref())
            }
            _ => self.decide_filled(x),
        }
    }

    /// The outputs of the network for rows where nothing is missing.
    pub(crate) fn decide_filled(&self, x: &dyn Table) -> Result<Matrix<f64>, Error> {
        let Some(stack) = &self.stack else {
            return self.network.predict(x);
        };
        let forward = Forward::new(stack, x)?;
        let most = (PART / self.network.features().max(1)).max(BATCH);
        let mut values = Vec::with_capacity(x.rows() * self.network.outputs());
        for first in (0..x.rows()).step_by(most) {
            let features = forward.rows(first..x.rows().min(first + most))?;
            values.extend_from_slice(self.network.predict(&features)?.values());
        }
        Matrix::from_rows(x.rows(), self.network.outputs(), values)
    }

    /// The features after missing (NaN) ones were replaced.
    pub(crate) fn filled<'a>(&self, x: &'a Matrix<f64>) -> Result<Cow<'a, Matrix<f64>>, Error> {
        match &self.imputation {
            Some(imputation)
                if imputation.len() == x.columns() && x.values().iter().any(|v| v.is_nan()) =>
            {
                let filled = x
                    .values()
                    .iter()
                    .zip(imputation.iter().cycle())
                    .map(|(&value, &known)| if value.is_nan() { known } else { value })
                    .collect();
                Matrix::from_rows(x.rows(), x.columns(), filled).map(Cow::Owned)
            }
            _ => Ok(Cow::Borrowed(x)),
        }
    }

    /// The index of the class of each row of `x`. Refused for regression.
    pub fn classify(&self, x: &dyn Table) -> Result<Vec<usize>, Error> {
        let Task::Classification { .. } = &self.task else {
            return Err(Error::Format(
                "this is a regression model, which has no classes; ask it for predictions".into(),
            ));
        };
        Ok(chosen_classes(&self.decide(x)?))
    }

    /// The probability of each class for each row of `x`, rows x classes; `None`
    /// unless the outputs are log-odds.
    pub fn probabilities(&self, x: &dyn Table) -> Result<Option<Matrix<f64>>, Error> {
        let Task::Classification { classes } = &self.task else {
            return Ok(None);
        };
        if !self.training.log_odds {
            return Ok(None);
        }
        let decisions = self.decide(x)?;
        let mut values = vec![0.0; decisions.rows() * classes.len()];
        for (i, p) in values.chunks_mut(classes.len()).enumerate() {
            match decisions.row(i) {
                // two classes: the odds of the second against the first
                [odds] => crate::loss::probabilities(&[0.0, *odds], p),
                odds => crate::loss::probabilities(odds, p),
            }
        }
        Matrix::from_rows(decisions.rows(), classes.len(), values).map(Some)
    }

    /// Refuses parts that do not fit together or numbers that are not finite.
    pub fn check(&self) -> Result<(), Error> {
        self.network.check()?;
        if let Some(stack) = &self.stack {
            stack.check()?;
            let features = self.network.features();
            fits("features behind the layers", stack.outputs()?, features)?;
        }
        let (features, outputs) = (self.features(), self.network.outputs());
        if let Task::Classification { classes } = &self.task {
            let expected = match classes.len() {
                0 | 1 => {
                    return Err(Error::Format(format!(
                        "a classifier needs at least 2 classes, found {}",
                        classes.len()
                    )));
                }
                2 => 1,
                more => more,
            };
            fits("network outputs", outputs, expected)?;
            if let Some(grouping) = &self.training.grouping {
                fits("groups", grouping.group.len(), grouping.classes.len())?;
                if grouping.group.iter().any(|&class| class >= classes.len()) {
                    return Err(Error::Format(
                        "a group names a class that is not there".into(),
                    ));
                }
            }
        }
        fits("feature names", self.feature_names.len(), features)?;
        if let Some(imputation) = &self.imputation {
            fits("imputation values", imputation.len(), features)?;
        }
        let training = &self.training;
        let encoded = self.network.hidden.columns();
        for (what, numbers, expected) in [
            ("feature means", &training.feature_mean, encoded),
            ("feature scales", &training.feature_scale, encoded),
            ("target means", &training.target_mean, outputs),
            ("target scales", &training.target_scale, outputs),
        ] {
            fits(what, numbers.len(), expected)?;
            finite(what, numbers)?;
        }
        finite(
            "imputation values",
            self.imputation.as_deref().unwrap_or_default(),
        )
    }
}

/// The index of the class that each row of outputs stands for.
pub fn chosen_classes(outputs: &Matrix<f64>) -> Vec<usize> {
    (0..outputs.rows())
        .map(|i| chosen_class(outputs.row(i)))
        .collect()
}

fn fits(what: &'static str, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(Error::Shape {
        what,
        expected: expected.to_string(),
        found: found.to_string(),
    })
}

fn finite(what: &str, numbers: &[f64]) -> Result<(), Error> {
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::Format(format!(
            "{what}: number {at} (counting from 0) is not finite; a model holds finite numbers only"
        ))),
    }
}
