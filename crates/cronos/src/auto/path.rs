//! The β path: from a penalty that allows nothing to one that allows much, each
//! network starting from the one before.

use crate::learn::{Climb, Effort, Features, Hidden, Objective, Patience, largest_gain, learn};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::real::Real;
use std::sync::Arc;

/// A grid of penalties per unit of row weight, falling geometrically.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    /// The first.
    pub top: f64,
    pub ratio: f64,
    pub steps: usize,
}

impl Grid {
    pub fn at(&self, step: usize) -> f64 {
        self.top * self.ratio.powi(step as i32)
    }
}

/// The penalty on rows of weight `to` in the place of `per_weight` for each unit of the
/// weight `from`. Noise in the gradient of the loss grows with the square root of the
/// rows, and so does the penalty against it.
pub(super) fn penalty_for(per_weight: f64, from: f64, to: f64) -> f64 {
    per_weight * (from * to).sqrt()
}

/// Rows as the learner sees them.
pub(super) struct Seen<T, X = Matrix<T>> {
    /// Shared by the losses that are tried on the same columns.
    pub x: Arc<X>,
    pub y: Matrix<T>,
    pub weights: Option<Vec<f64>>,
}

impl<T: Real, X> Clone for Seen<T, X> {
    fn clone(&self) -> Self {
        Self {
            x: self.x.clone(),
            y: self.y.clone(),
            weights: self.weights.clone(),
        }
    }
}

impl<T: Real, X: Features<T>> Seen<T, X> {
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            x: Arc::new(self.x.select(rows)),
            y: self.y.select(rows),
            weights: (self.weights.as_ref())
                .map(|weights| rows.iter().map(|&i| weights[i]).collect()),
        }
    }

    /// Weights of all rows together.
    pub fn total(&self) -> f64 {
        match &self.weights {
            Some(weights) => weights.iter().sum(),
            None => self.x.rows() as f64,
        }
    }

    pub fn objective(&self, loss: Loss, beta: f64) -> Objective<'_, T, X> {
        Objective {
            x: &self.x,
            y: &self.y,
            weights: self.weights.as_deref(),
            loss,
            beta,
        }
    }

    /// The penalty per unit of weight above which no direction found is worth a unit.
    pub fn zero_beta(&self, loss: Loss, climb: Climb, seed: u64) -> f64 {
        let nothing = Hidden::none(self.x.columns(), self.y.columns());
        largest_gain(&self.objective(loss, 1.0), &nothing, climb, seed) / self.total()
    }
}

impl<T: Real> Seen<T> {
    /// The same rows in `f64`.
    pub fn wide(&self) -> Seen<f64> {
        Seen {
            x: Arc::new(self.x.cast()),
            y: self.y.cast(),
            weights: self.weights.clone(),
        }
    }
}

/// What is learned at each step of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Units at most.
    pub units: usize,
    /// New units in a round at most.
    pub new_units: usize,
    pub rounds: usize,
    pub iterations: usize,
    /// How a round looks for new units.
    pub climb: Climb,
}

impl Pace {
    /// Enough to find the steepest direction nearly always.
    pub const CLIMB: Climb = Climb {
        starts: 64,
        steps: 8,
    };

    pub fn effort(&self) -> Effort {
        Effort {
            units: self.units,
            spare: 0,
            new_units: self.new_units,
            climb: self.climb,
            rounds: self.rounds,
            tries: 1,
            tolerance: 0.02,
            patience: Patience {
                iterations: self.iterations,
                memory: 10,
                window: 10,
                progress: 1e-3,
            },
        }
    }
}

/// Walks down the grid; `visit` sees the network at each step and says whether to go on.
pub(super) fn walk<T: Real, X: Features<T>>(
    rows: &Seen<T, X>,
    loss: Loss,
    grid: &Grid,
    pace: &Pace,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
    mut visit: impl FnMut(usize, &Hidden<T>) -> bool,
) -> Hidden<T> {
    let mut units = Hidden::none(rows.x.columns(), rows.y.columns());
    let total = rows.total();
    for step in 0..grid.steps {
        let objective = rows.objective(loss, grid.at(step) * total);
        let seed = seed.wrapping_add(977 * step as u64);
        learn(&objective, &mut units, pace.effort(), seed, stop);
        if !visit(step, &units) || stop() {
            break;
        }
    }
    units
}
