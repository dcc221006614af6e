//! Training: an epoch on the features, then the last two layers, and again.

mod checkpoint;
mod course;
mod dense;
mod direct;
mod here;
mod holder;
mod judge;
mod last;
mod passes;
mod run;
mod taped;
mod there;

pub use checkpoint::Checkpoint;
pub use course::{Keep, Watch, train, train_with};

use crate::augment::Augment;
use crate::features::Features;
use crate::inputs::{Inputs, Scale};
use crate::optim::Method;
use crate::parameters;
use burn::tensor::Device;
use cronos::{Error, HeadOptions, Matrix, Network, Place};

/// Rows and what they should be: one row of targets each, as the loss has them.
#[derive(Clone, Copy)]
pub struct Samples<'a> {
    /// The inputs.
    pub inputs: Inputs<'a>,
    /// The targets, rows x outputs.
    pub y: &'a Matrix<f32>,
    /// How much each row counts, if they do not all count the same.
    pub weights: Option<&'a [f64]>,
}

/// What the outputs stand for, and so how well they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Classes: the largest output, or the sign of a single one. Scored by accuracy.
    #[default]
    Classes,
    /// Numbers, scored by R².
    Numbers,
}

/// How the network is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// The last two layers by a convex program, the others by D-adapted Adam.
    Alternate,
    /// All layers by one optimizer.
    Descend {
        /// Which.
        method: Method,
        /// Its learning rate; a factor for those that find their own.
        rate: f64,
    },
}

/// Everything that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Default: alternate.
    pub rule: Rule,
    /// The last two layers.
    pub head: HeadOptions,
    /// What the outputs stand for.
    pub goal: Goal,
    /// Times that all rows are gone over at most. Default 30.
    pub epochs: usize,
    /// Epochs in a row without a better validation score before training ends; `None` goes on.
    pub patience: Option<usize>,
    /// Rows in a step. Default 128.
    pub batch: usize,
    /// `α`, the weight decay of the features, in the sum over all rows. Default 0.
    pub decay: f64,
    /// Where parameters, features and the last two layers are; if on a device, it must be the one
    /// that training is given. Default: the processor.
    pub place: Place,
    /// What is done to images at random.
    pub augment: Option<Augment>,
    /// Default 0.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rule: Rule::Alternate,
            head: HeadOptions::default(),
            goal: Goal::default(),
            epochs: 30,
            patience: None,
            batch: 128,
            decay: 0.0,
            place: Place::Cpu,
            augment: None,
            seed: 0,
        }
    }
}

/// What an epoch did. Epoch 0 is the network before the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Its number.
    pub number: usize,
    /// `Σ loss + ½ α ‖θ‖² + β Σ ‖w‖‖a‖` over the training rows, before the head was solved
    /// for; infinite where there was none, and unknown (NaN) where there is no head step.
    pub before_head: f64,
    /// The same after it, never more.
    pub objective: f64,
    /// Score on the training rows.
    pub train: f64,
    /// Score on the validation rows; that on the training rows without any.
    pub validation: f64,
    /// Mean loss on the same rows.
    pub validation_loss: f64,
    /// Seconds since training began.
    pub seconds: f64,
    /// Seconds of the steps of this epoch, without the last layers and the scores.
    pub step_seconds: f64,
}

/// A trained network.
pub struct Trained<F> {
    /// What turns inputs into features.
    pub features: F,
    /// The last two layers.
    pub network: Network,
    /// The penalty on them, lower than was asked for if that left no unit.
    pub beta: f64,
    /// How inputs were scaled.
    pub scale: Scale,
    /// One record per epoch.
    pub history: Vec<Epoch>,
    /// The epoch this network is from: the best on the validation rows.
    pub best: usize,
    /// How training ended.
    pub end: End,
}

/// How a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All epochs are done, or patience ran out.
    Finished,
    /// It was broken off.
    BrokenOff,
    /// An epoch led to numbers that are none; it is not among the records.
    Diverged,
}

impl<F: Features> Trained<F> {
    /// The features of rows, as [`network`](Self::network) takes them.
    pub fn features_of(&self, inputs: Inputs<'_>, device: &Device) -> Result<Matrix<f64>, Error> {
        let (values, _) = parameters::read(&self.features);
        let mut passes = run::passes(&self.features, values.len(), device);
        let h = passes.features(&values, inputs, &self.scale)?;
        Ok(Matrix::from_fn(h.rows(), h.columns() - 1, |i, j| {
            f64::from(h.at(i, j))
        }))
    }
}
