//! Descent by batches of rows, where there are more than a step should read: Adam.
//!
//! Every weight moves by `rate m/√v`, with `m` and `v` the running means of its gradients
//! and of their squares. So the rate is a length, and the weights themselves say what is
//! long: it begins as a share of their root mean square. Over the second half of the steps
//! it falls to 0, which settles the noise of the batches.
//!
//! Units that the penalty has put out do not come back, and are dropped after every epoch.

use super::hidden::Hidden;
use super::objective::Objective;
use super::strongest;
use crate::inner::norm;
use crate::real::Real;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Rows of a batch, and of the parts of it that run in parallel.
pub(crate) const BATCH: usize = 512;
const PART: usize = 256;
/// Weights that are moved together.
const CHUNK: usize = 1 << 14;

/// The first rate, relative to the root mean square of the weights.
const RATE: f64 = 0.03;
/// Memories of the two means.
const MEMORY: (f64, f64) = (0.9, 0.999);
/// The least `√v`.
const LEAST: f64 = 1e-8;

/// Goes over all rows `epochs` times; `tick` is called after each.
pub(super) fn descend_by_batches<T: Real>(
    objective: &Objective<'_, T>,
    units: &mut Hidden<T>,
    epochs: usize,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) {
    let n = objective.x.rows();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..n).collect();
    let size = units.values.len();
    let rate = RATE * norm(&units.values) / (size as f64).sqrt();
    let mut adam = Adam::new(units);
    let steps = epochs * n.div_ceil(BATCH);
    for _ in 0..epochs {
        order.shuffle(&mut rng);
        for rows in order.chunks(BATCH) {
            if stop() {
                return;
            }
            let (x, y) = (objective.x.select(rows), objective.y.select(rows));
            let weights: Option<Vec<f64>> = objective
                .weights
                .map(|weights| rows.iter().map(|&row| weights[row]).collect());
            let batch = Objective {
                x: &x,
                y: &y,
                weights: weights.as_deref(),
                loss: objective.loss,
                beta: objective.beta * rows.len() as f64 / n as f64,
            };
            let slope = batch.slope_in_parts(units, PART);
            let left = 1.0 - adam.steps as f64 / steps as f64;
            let rate = rate * (2.0 * left).min(1.0);
            adam.step(&mut units.values, &slope.gradient, rate);
        }
        let strongest = strongest(units, units.len());
        if strongest.len() < units.len() {
            *units = units.only(&strongest);
            adam.m = adam.m.only(&strongest);
            adam.v = adam.v.only(&strongest);
        }
        tick();
    }
}

/// The running means, biased towards the 0 they begin at.
struct Adam<T> {
    steps: usize,
    m: Hidden<T>,
    v: Hidden<T>,
}

impl<T: Real> Adam<T> {
    fn new(units: &Hidden<T>) -> Self {
        let zero = Hidden {
            values: vec![T::ZERO; units.values.len()],
            ..*units
        };
        Self {
            steps: 0,
            m: zero.clone(),
            v: zero,
        }
    }

    fn step(&mut self, values: &mut [T], gradient: &[T], rate: f64) {
        self.steps += 1;
        let unbiased = |memory: f64| 1.0 - memory.powf(self.steps as f64);
        let scale = unbiased(MEMORY.1).sqrt();
        let (rate, least) = (
            T::of(rate * scale / unbiased(MEMORY.0)),
            T::of(LEAST * scale),
        );
        let [first, second] =
            [MEMORY.0, MEMORY.1].map(|memory| (T::of(memory), T::of(1.0 - memory)));
        let means = self.m.values.par_chunks_mut(CHUNK);
        let means = means.zip(self.v.values.par_chunks_mut(CHUNK));
        let moved = values.par_chunks_mut(CHUNK).zip(gradient.par_chunks(CHUNK));
        moved.zip(means).for_each(|((values, gradient), (m, v))| {
            let means = m.iter_mut().zip(v);
            for ((value, &g), (m, v)) in values.iter_mut().zip(gradient).zip(means) {
                *m = first.0 * *m + first.1 * g;
                *v = second.0 * *v + second.1 * g * g;
                *value -= rate * *m / (v.root() + least);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Landscape;
    use crate::loss::Loss;
    use crate::matrix::Matrix;

    /// Three steps by the textbook, bias corrections apart, on a gradient that changes.
    #[test]
    fn steps_are_those_of_adam() {
        let mut adam = Adam::new(&Hidden {
            features: 1,
            outputs: 0,
            values: vec![0.0],
        });
        let (mut value, mut expected) = ([1.0], 1.0);
        let (mut m, mut v) = (0.0, 0.0);
        for (step, g) in [0.5, -2.0, 0.1].into_iter().enumerate() {
            adam.step(&mut value, &[g], 0.01);
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            let k = step as i32 + 1;
            let (m_hat, v_hat): (f64, f64) =
                (m / (1.0 - 0.9f64.powi(k)), v / (1.0 - 0.999f64.powi(k)));
            expected -= 0.01 * m_hat / (v_hat.sqrt() + 1e-8);
            assert!((value[0] - expected).abs() < 1e-12, "{step}");
        }
    }

    #[test]
    fn batches_lower_the_objective() {
        let wave = |at: usize| (at as f64 * 0.7 + (at * at % 97) as f64).sin();
        let x = Matrix::from_fn(3000, 4, |i, j| wave(4 * i + j));
        let y = Matrix::from_fn(3000, 1, |i, _| (x.at(i, 0) - x.at(i, 1)).max(0.0));
        let objective = Objective {
            x: &x,
            y: &y,
            weights: None,
            loss: Loss::Squared,
            beta: 1.0,
        };
        let start = Hidden {
            features: 4,
            outputs: 1,
            values: (0..8 * 5).map(|at| wave(31 * at + 5)).collect(),
        };
        let before = objective.slope(&start).value;
        let mut units = start.clone();
        descend_by_batches(&objective, &mut units, 30, 1, &|| false, &|| ());
        let after = objective.slope(&units).value;
        assert!(after < 0.2 * before, "{before} {after}");
        // the same bits again, and none moved once told to stop
        let mut again = start.clone();
        descend_by_batches(&objective, &mut again, 30, 1, &|| false, &|| ());
        assert_eq!(again.values, units.values);
        let mut stopped = start.clone();
        descend_by_batches(&objective, &mut stopped, 30, 1, &|| true, &|| ());
        assert_eq!(stopped.values, start.values);
    }
}
