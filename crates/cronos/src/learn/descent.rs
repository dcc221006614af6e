//! Descent on the objective of the network: limited-memory BFGS.

use super::features::Features;
use super::hidden::Hidden;
use super::objective::{Objective, Slope};
use crate::inner::{add_scaled, dot, norm};
use crate::real::Real;
use std::collections::VecDeque;

/// Tries in one line search.
const TRIES: usize = 25;

/// When a descent ends, and what it remembers on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    pub iterations: usize,
    /// Pairs of steps and gradient changes that are remembered.
    pub memory: usize,
    /// Ends when `window` iterations lowered the value by less than `progress` of it.
    pub window: usize,
    pub progress: f64,
}

struct Pair<T> {
    step: Vec<T>,
    change: Vec<T>,
    /// `1 / stepᵀchange`
    inverse: f64,
}

/// Lowers the objective from `units`, never raising it; returns its last slope.
pub(crate) fn descend<T: Real, X: Features<T>>(
    objective: &Objective<'_, T, X>,
    units: &mut Hidden<T>,
    patience: Patience,
    stop: &(dyn Fn() -> bool + Sync),
) -> Slope<T> {
    let mut here = objective.slope(units);
    let mut pairs: VecDeque<Pair<T>> = VecDeque::new();
    let mut before = here.value;
    let mut restarted = false;
    for iteration in 1..=patience.iterations {
        if stop() {
            break;
        }
        let direction = direction(&here.gradient, &pairs);
        let Some((length, next)) = search(objective, units, &here, &direction, pairs.is_empty())
        else {
            // a kink may spoil the memory; once more from the plain gradient
            if restarted || pairs.is_empty() {
                break;
            }
            pairs.clear();
            restarted = true;
            continue;
        };
        restarted = false;
        let step: Vec<T> = direction.iter().map(|&p| T::of(length) * p).collect();
        add_scaled(&mut units.values, T::ONE, &step);
        let change: Vec<T> = next
            .gradient
            .iter()
            .zip(&here.gradient)
            .map(|(&new, &old)| new - old)
            .collect();
        let curvature = dot(&step, &change);
        if curvature > 1e-10 * norm(&step) * norm(&change) {
            if pairs.len() == patience.memory {
                pairs.pop_front();
            }
            pairs.push_back(Pair {
                step,
                change,
                inverse: 1.0 / curvature,
            });
        }
        here = next;
        if iteration % patience.window == 0 {
            if before - here.value <= patience.progress * before.abs() {
                break;
            }
            before = here.value;
        }
    }
    here
}

/// `−H g` by the two-loop recursion.
fn direction<T: Real>(gradient: &[T], pairs: &VecDeque<Pair<T>>) -> Vec<T> {
    let mut q: Vec<T> = gradient.iter().map(|&g| -g).collect();
    let mut factors = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let factor = pair.inverse * dot(&pair.step, &q);
        add_scaled(&mut q, T::of(-factor), &pair.change);
        factors.push(factor);
    }
    if let Some(last) = pairs.back() {
        let scale = T::of(1.0 / (last.inverse * dot(&last.change, &last.change)));
        q.iter_mut().for_each(|q| *q *= scale);
    }
    for (pair, factor) in pairs.iter().zip(factors.iter().rev()) {
        let back = pair.inverse * dot(&pair.change, &q);
        add_scaled(&mut q, T::of(factor - back), &pair.step);
    }
    q
}

/// A step length that meets the weak Wolfe conditions, by doubling and halving.
fn search<T: Real, X: Features<T>>(
    objective: &Objective<'_, T, X>,
    units: &Hidden<T>,
    here: &Slope<T>,
    direction: &[T],
    first: bool,
) -> Option<(f64, Slope<T>)> {
    let slope = dot(&here.gradient, direction);
    if slope >= 0.0 || !slope.is_finite() {
        return None;
    }
    let mut length = if first {
        // a first step as long as a tenth of the weights, or so
        0.1 * (1.0 + norm(&units.values)) / norm(direction)
    } else {
        1.0
    };
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut best = None;
    let mut trial = units.clone();
    for _ in 0..TRIES {
        for ((trial, &value), &p) in trial.values.iter_mut().zip(&units.values).zip(direction) {
            *trial = value + T::of(length) * p;
        }
        let there = objective.slope(&trial);
        // a value that is not a number is too far
        let descends = there.value <= here.value + 1e-4 * length * slope;
        if !descends {
            high = length;
        } else if dot(&there.gradient, direction) < 0.9 * slope {
            low = length;
            best = Some((length, there));
        } else {
            return Some((length, there));
        }
        length = if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * length
        };
    }
    best
}
