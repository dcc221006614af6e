//! How good a network is on rows it has not seen.

use super::path::Seen;
use crate::estimator::chosen_class;
use crate::learn::Hidden;
use crate::loss::Loss;
use crate::real::Real;

/// What the outputs stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// The right class.
    Class,
    /// The right number.
    Number,
}

/// The price of the mean loss in a score, next to the error rate: among networks
/// that err equally often the surer one is better, and its loss is less noisy.
const LOSS_PRICE: f64 = 0.3;

/// Sums over held-out rows, by weight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub weight: f64,
    /// Wrongly classified, or squared errors.
    pub errors: f64,
    pub loss: f64,
    /// Squared targets (they have mean 0), for R².
    pub squares: f64,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.weight += other.weight;
        self.errors += other.errors;
        self.loss += other.loss;
        self.squares += other.squares;
    }

    /// Lower is better.
    pub fn score(&self, goal: Goal) -> f64 {
        match goal {
            Goal::Class => (self.errors + LOSS_PRICE * self.loss) / self.weight,
            Goal::Number => self.loss / self.weight,
        }
    }

    /// Accuracy or R².
    pub fn shown(&self, goal: Goal) -> f64 {
        match goal {
            Goal::Class => 1.0 - self.errors / self.weight,
            Goal::Number => 1.0 - self.errors / self.squares,
        }
    }
}

/// Judges the units on held-out rows.
pub(super) fn tally<T: Real>(rows: &Seen<T>, units: &Hidden<T>, loss: Loss, goal: Goal) -> Tally {
    let outputs = units.outputs;
    let predictions = rows.objective(loss, 0.0).predict(units);
    let mut tally = Tally::default();
    let mut target = vec![0.0; outputs];
    for (row, f) in predictions.chunks(outputs).enumerate() {
        for (target, y) in target.iter_mut().zip(rows.y.row(row)) {
            *target = y.wide();
        }
        let weight = rows.weights.as_ref().map_or(1.0, |weights| weights[row]);
        let errors = match goal {
            Goal::Class => f64::from(chosen_class(f) != chosen_class(&target)),
            Goal::Number => f.iter().zip(&target).map(|(f, y)| (f - y).powi(2)).sum(),
        };
        tally.add(&Tally {
            weight,
            errors: weight * errors,
            loss: weight * loss.value(f, &target).min(50.0 * outputs as f64),
            squares: weight * target.iter().map(|y| y * y).sum::<f64>(),
        });
    }
    tally
}
