//! Rows and targets as a deep network takes them.

use crate::arguments::{self, Network};
use crate::commands::job::Job;
use crate::commands::labelled::Truth;
use crate::failure::Failure;
use cronos::{Chosen, Loss, Matrix, Table, TargetScaling};
use cronos_data::split;
use cronos_deep::{Augment, Goal, Inputs, Samples};

/// Training rows that choose the epoch rather than train.
const VALIDATION: f64 = 0.1;
/// An image may be shifted by one part in so many of its size.
const SHIFT: usize = 8;

/// The training rows of a job, split.
pub struct Data<'a> {
    train: Part<'a>,
    validation: Part<'a>,
    image: Option<[usize; 3]>,
    pub loss: Loss,
    pub goal: Goal,
    /// What was done to the targets of a regression.
    pub scaling: TargetScaling,
}

/// Some of the rows.
struct Part<'a> {
    x: Chosen<'a>,
    y: Matrix<f32>,
    weights: Option<Vec<f64>>,
}

impl<'a> Data<'a> {
    pub fn of(job: &'a Job, network: &Network) -> Result<Self, Failure> {
        let (y, loss, goal, scaling) = match &job.train_truth {
            Truth::Classes(indices) => {
                let classes = job.classes().len();
                let loss = match loss(network.loss).unwrap_or(Loss::Softmax) {
                    // the same likelihood with one output
                    Loss::Softmax if classes == 2 => Loss::Logistic,
                    loss => loss,
                };
                let y = class_targets(indices, classes, loss);
                let scaling = TargetScaling::identity(y.columns());
                (y, loss, Goal::Classes, scaling)
            }
            Truth::Numbers(y) => {
                let scaling = TargetScaling::standard(y, job.weights.as_deref());
                let scaled = Matrix::from_fn(y.rows(), y.columns(), |i, c| {
                    ((y.at(i, c) - scaling.mean[c]) / scaling.scale[c]) as f32
                });
                let loss = loss(network.loss).unwrap_or(Loss::Squared);
                (scaled, loss, Goal::Numbers, scaling)
            }
        };
        loss.check(&y)?;
        let strata = match &job.train_truth {
            Truth::Classes(indices) => Some(&indices[..]),
            Truth::Numbers(_) => None,
        };
        let rows = job.train.rows();
        let (train, held) = split::holdout(rows, VALIDATION, network.source.seed, strata)
            .map_err(Failure::reading)?;
        let part = |rows: Vec<usize>| Part {
            y: y.select(&rows),
            weights: (job.weights.as_ref()).map(|all| rows.iter().map(|&row| all[row]).collect()),
            x: Chosen {
                table: &*job.train,
                rows,
            },
        };
        Ok(Self {
            train: part(train),
            validation: part(held),
            image: job
                .image_shape
                .map(|(height, width, channels)| [height, width, channels]),
            loss,
            goal,
            scaling,
        })
    }

    pub fn train(&self) -> Samples<'_> {
        self.samples(&self.train)
    }

    pub fn validation(&self) -> Option<Samples<'_>> {
        (self.validation.x.rows() > 0).then(|| self.samples(&self.validation))
    }

    /// Rows to train on and rows that choose the epoch.
    pub fn rows(&self) -> [usize; 2] {
        [self.train.x.rows.len(), self.validation.x.rows.len()]
    }

    fn samples<'b>(&self, part: &'b Part<'_>) -> Samples<'b> {
        Samples {
            inputs: Inputs {
                table: &part.x,
                image: self.image,
            },
            y: &part.y,
            weights: part.weights.as_deref(),
        }
    }

    /// Whether rows are images.
    pub fn is_image(&self) -> bool {
        self.image.is_some()
    }

    /// What is done to images at random: all may be shifted, and coloured ones, which are likely
    /// photographs, mirrored; a mirrored digit or letter is another.
    pub fn augment(&self, wanted: Option<arguments::Augment>) -> Option<Augment> {
        let [height, width, channels] = self.image?;
        let mirror = match wanted {
            None => channels >= 3,
            Some(arguments::Augment::None) => return None,
            Some(arguments::Augment::Shift) => false,
            Some(arguments::Augment::Mirror) => true,
        };
        Some(Augment {
            shift: height.min(width) / SHIFT,
            mirror,
        })
    }
}

fn loss(named: Option<arguments::DeepLoss>) -> Option<Loss> {
    named.map(|loss| match loss {
        arguments::DeepLoss::Squared => Loss::Squared,
        arguments::DeepLoss::Logistic => Loss::Logistic,
        arguments::DeepLoss::Softmax => Loss::Softmax,
        arguments::DeepLoss::SquaredHinge => Loss::SquaredHinge,
    })
}

/// 1 for the class of a row, else 0, or −1 where the loss or a single output asks for it.
fn class_targets(indices: &[usize], classes: usize, loss: Loss) -> Matrix<f32> {
    if classes == 2 {
        return Matrix::from_fn(indices.len(), 1, |i, _| [-1.0, 1.0][indices[i]]);
    }
    let other = match loss {
        Loss::Logistic | Loss::SquaredHinge => -1.0,
        _ => 0.0,
    };
    Matrix::from_fn(indices.len(), classes, |i, c| match indices[i] == c {
        true => 1.0,
        false => other,
    })
}
