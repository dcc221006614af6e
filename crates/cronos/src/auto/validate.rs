//! How good a network is on rows it has not seen.

use super::path::Seen;
use crate::estimator::chosen_class;
use crate::learn::{Features, Hidden};
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

impl Goal {
    /// Labels stand for classes.
    pub fn of(labels: Option<&[usize]>) -> Self {
        match labels {
            Some(_) => Self::Class,
            None => Self::Number,
        }
    }
}

/// The price of the mean log-loss in a score, next to the error rate: among
/// networks that err equally often the surer one is better, and less noisy.
const LOSS_PRICE: f64 = 0.3;

/// Factors that may turn outputs into log-odds. The best one on held-out rows
/// calibrates a network, and makes networks of different losses comparable.
const HEATS: [f64; 15] = [
    0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0, 23.0, 32.0,
];

/// Sums over held-out rows, by weight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub weight: f64,
    /// Wrongly classified, or squared errors.
    pub errors: f64,
    /// The loss, for numbers.
    pub loss: f64,
    /// The log-loss with the outputs times each of `HEATS`, for classes.
    log_losses: [f64; HEATS.len()],
    /// The same if every row were of the class that is likeliest after its own.
    doubts: [f64; HEATS.len()],
    /// Squared targets (they have mean 0), for R².
    pub squares: f64,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.weight += other.weight;
        self.errors += other.errors;
        self.loss += other.loss;
        for (sum, term) in self.log_losses.iter_mut().zip(other.log_losses) {
            *sum += term;
        }
        for (sum, term) in self.doubts.iter_mut().zip(other.doubts) {
            *sum += term;
        }
        self.squares += other.squares;
    }

    /// Lower is better.
    pub fn score(&self, goal: Goal) -> f64 {
        match goal {
            Goal::Class => {
                let log_loss = self
                    .log_losses
                    .iter()
                    .copied()
                    .fold(f64::INFINITY, f64::min);
                (self.errors + LOSS_PRICE * log_loss) / self.weight
            }
            Goal::Number => self.loss / self.weight,
        }
    }

    /// The factor that turns outputs into log-odds best; 1 for numbers.
    ///
    /// Among the rows is one more, which is like the others on average but of another class: n rows
    /// that are all right make sure to `n / (n + 1)`, not beyond doubt.
    pub fn heat(&self, goal: Goal) -> f64 {
        let loss = |at: usize| self.log_losses[at] + self.doubts[at] / self.weight.max(1.0);
        let best = (0..HEATS.len()).min_by(|&a, &b| loss(a).total_cmp(&loss(b)));
        match (goal, best) {
            (Goal::Class, Some(at)) => HEATS[at],
            _ => 1.0,
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

/// Judges the units on some rows; `surely` also by their log-loss, for classes.
pub(super) fn tally<T: Real, X: Features<T>>(
    rows: &Seen<T, X>,
    units: &Hidden<T>,
    loss: Loss,
    goal: Goal,
    surely: bool,
) -> Tally {
    let outputs = units.outputs;
    let predictions = rows.x.predict(units);
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
        let (mut log_losses, mut doubts) = ([0.0; HEATS.len()], [0.0; HEATS.len()]);
        if surely && goal == Goal::Class {
            let class = chosen_class(&target);
            let other = likeliest_other(f, class);
            for (at, heat) in HEATS.into_iter().enumerate() {
                log_losses[at] = weight * log_loss(f, class, heat);
                doubts[at] = weight * log_loss(f, other, heat);
            }
        }
        tally.add(&Tally {
            weight,
            errors: weight * errors,
            loss: weight * loss.value(f, &target),
            log_losses,
            doubts,
            squares: weight * target.iter().map(|y| y * y).sum::<f64>(),
        });
    }
    tally
}

/// The class with the largest output but for one.
fn likeliest_other(f: &[f64], class: usize) -> usize {
    match f.len() {
        1 => 1 - class,
        classes => (0..classes)
            .filter(|&other| other != class)
            .max_by(|&a, &b| f[a].total_cmp(&f[b]))
            .unwrap_or(class),
    }
}

/// `−log p(class)` with the outputs times `heat` as log-odds.
fn log_loss(f: &[f64], class: usize, heat: f64) -> f64 {
    if let [f] = f {
        let target = if class == 1 { 1.0 } else { -1.0 };
        return Loss::Logistic.value(&[heat * f], &[target]);
    }
    let largest = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = f.iter().map(|f| (heat * (f - largest)).exp()).sum();
    sum.ln() - heat * (f[class] - largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of one output, all right by the same margin.
    fn right(count: usize, margin: f64) -> Tally {
        let mut sum = Tally::default();
        for row in 0..count {
            let class = row % 2;
            let f = [if class == 1 { margin } else { -margin }];
            let losses = |class: usize| HEATS.map(|heat| log_loss(&f, class, heat));
            sum.add(&Tally {
                weight: 1.0,
                log_losses: losses(class),
                doubts: losses(likeliest_other(&f, class)),
                ..Tally::default()
            });
        }
        sum
    }

    #[test]
    fn rows_that_are_all_right_do_not_make_sure_beyond_doubt() {
        for (count, margin) in [(20, 1.0), (200, 1.0), (200, 3.0), (5000, 2.0)] {
            let heat = right(count, margin).heat(Goal::Class);
            let odds = heat * margin;
            // the factors are √2 apart, so log-odds are right to that
            let expected = (count as f64).ln();
            let near = odds / expected;
            assert!(
                (0.7..1.42).contains(&near),
                "{count} {margin}: {odds}, {expected}"
            );
        }
    }

    #[test]
    fn the_likeliest_other_class_is_the_largest_but_for_one() {
        assert_eq!(likeliest_other(&[0.3], 1), 0);
        assert_eq!(likeliest_other(&[0.3, 2.0, 1.0], 1), 2);
        assert_eq!(likeliest_other(&[0.3, 2.0, 1.0], 0), 1);
    }
}
