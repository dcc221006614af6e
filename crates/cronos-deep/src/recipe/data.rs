//! Rows and targets as a deep network takes them.

use super::Recipe;
use crate::inputs::Inputs;
use crate::train::{Goal, Samples};
use cronos::{Chosen, Error, Loss, Matrix, Table, TargetScaling, holdout};

/// Training rows that choose the epoch rather than train.
const VALIDATION: f64 = 0.1;

/// What the rows should be.
#[derive(Clone, Copy)]
pub enum Truth<'a> {
    /// The index of the class of each row.
    Classes {
        /// One for each row.
        indices: &'a [usize],
        /// How many classes there are.
        count: usize,
    },
    /// Rows x outputs.
    Numbers(&'a Matrix<f64>),
}

impl Truth<'_> {
    /// Refuses another number of rows, and classes that are not there.
    fn check(&self, rows: usize) -> Result<(), Error> {
        let found = match self {
            Self::Classes { indices, .. } => indices.len(),
            Self::Numbers(y) => y.rows(),
        };
        if found != rows {
            return Err(Error::Shape {
                what: "targets",
                expected: format!("{rows} rows, as many as the features"),
                found: format!("{found} rows"),
            });
        }
        match *self {
            Self::Classes { indices, count } => match indices.iter().max() {
                Some(&most) if most >= count => Err(Error::Data(format!(
                    "a row has the class number {most}, but there are {count} classes, from 0"
                ))),
                _ => Ok(()),
            },
            Self::Numbers(y) => y.check_finite("targets"),
        }
    }
}

/// Rows to train on, and some that choose the epoch.
pub struct Data<'a> {
    train: Part<'a>,
    validation: Part<'a>,
    image: Option<[usize; 3]>,
    /// What an error costs.
    pub loss: Loss,
    /// What the outputs stand for.
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
    /// Splits the rows; where they are too few for that, all train and choose. `image` is the height, width and
    /// number of channels of rows that are images.
    pub fn new(
        table: &'a dyn Table,
        image: Option<[usize; 3]>,
        truth: Truth<'_>,
        weights: Option<&[f64]>,
        recipe: &Recipe,
    ) -> Result<Self, Error> {
        if table.rows() == 0 || table.columns() == 0 {
            return Err(Error::Data(format!(
                "there are {} rows of {} numbers to train on; at least one of each is needed",
                table.rows(),
                table.columns()
            )));
        }
        truth.check(table.rows())?;
        let (y, loss, goal, scaling) = match truth {
            Truth::Classes { indices, count } => {
                let loss = match recipe.loss.unwrap_or(Loss::Softmax) {
                    // the same likelihood with one output
                    Loss::Softmax if count == 2 => Loss::Logistic,
                    loss => loss,
                };
                let y = class_targets(indices, count, loss);
                let scaling = TargetScaling::identity(y.columns());
                (y, loss, Goal::Classes, scaling)
            }
            Truth::Numbers(y) => {
                let scaling = TargetScaling::standard(y, weights);
                let scaled = Matrix::from_fn(y.rows(), y.columns(), |i, c| {
                    ((y.at(i, c) - scaling.mean[c]) / scaling.scale[c]) as f32
                });
                let loss = recipe.loss.unwrap_or(Loss::Squared);
                (scaled, loss, Goal::Numbers, scaling)
            }
        };
        loss.check(&y)?;
        let strata = match truth {
            Truth::Classes { indices, .. } => Some(indices),
            Truth::Numbers(_) => None,
        };
        let rows = table.rows();
        let (train, held) = holdout(rows, VALIDATION, recipe.seed, strata)
            .unwrap_or_else(|_| ((0..rows).collect(), Vec::new()));
        let part = |rows: Vec<usize>| Part {
            y: y.select(&rows),
            weights: weights.map(|all| rows.iter().map(|&row| all[row]).collect()),
            x: Chosen { table, rows },
        };
        Ok(Self {
            train: part(train),
            validation: part(held),
            image,
            loss,
            goal,
            scaling,
        })
    }

    /// Rows to train on.
    pub fn train(&self) -> Samples<'_> {
        self.samples(&self.train)
    }

    /// Rows that choose the epoch, if there are any.
    pub fn validation(&self) -> Option<Samples<'_>> {
        (self.validation.x.rows() > 0).then(|| self.samples(&self.validation))
    }

    /// How many rows train and how many choose the epoch.
    pub fn rows(&self) -> [usize; 2] {
        [self.train.x.rows.len(), self.validation.x.rows.len()]
    }

    /// Height, width and channels, if rows are images.
    pub fn image(&self) -> Option<[usize; 3]> {
        self.image
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
