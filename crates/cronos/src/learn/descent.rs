//! Descent on a function of many numbers: limited-memory BFGS.

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

/// The value of a function at a point, and how it changes.
pub(crate) struct Slope<V> {
    pub value: f64,
    /// Without the penalty.
    pub loss: f64,
    pub gradient: V,
}

/// A function whose points and gradients are here, or on a device.
pub(crate) trait Landscape {
    type Point: Clone;
    type Vector;

    fn slope(&self, at: &Self::Point) -> Slope<Self::Vector>;

    /// `point += factor vector`
    fn go(&self, point: &mut Self::Point, factor: f64, vector: &Self::Vector);

    /// The length of a point.
    fn length(&self, point: &Self::Point) -> f64;

    /// `aᵀb`
    fn dot(&self, a: &Self::Vector, b: &Self::Vector) -> f64;

    /// `a += factor b`
    fn add(&self, a: &mut Self::Vector, factor: f64, b: &Self::Vector);

    /// `factor a`
    fn scaled(&self, factor: f64, a: &Self::Vector) -> Self::Vector;

    /// `‖a‖`
    fn norm(&self, a: &Self::Vector) -> f64 {
        self.dot(a, a).sqrt()
    }
}

struct Pair<V> {
    step: V,
    change: V,
    /// `1 / stepᵀchange`
    inverse: f64,
}

/// Lowers the function from a point, never raising it; returns its last slope.
pub(crate) fn descend<L: Landscape>(
    on: &L,
    point: &mut L::Point,
    patience: Patience,
    stop: &(dyn Fn() -> bool + Sync),
) -> Slope<L::Vector> {
    let mut here = on.slope(point);
    let mut pairs: VecDeque<Pair<L::Vector>> = VecDeque::new();
    let mut before = here.value;
    let mut restarted = false;
    for iteration in 1..=patience.iterations {
        if stop() {
            break;
        }
        let direction = direction(on, &here.gradient, &pairs);
        let Some((length, next)) = search(on, point, &here, &direction, pairs.is_empty()) else {
            // a kink may spoil the memory; once more from the plain gradient
            if restarted || pairs.is_empty() {
                break;
            }
            pairs.clear();
            restarted = true;
            continue;
        };
        restarted = false;
        let step = on.scaled(length, &direction);
        on.go(point, 1.0, &step);
        let mut change = on.scaled(1.0, &next.gradient);
        on.add(&mut change, -1.0, &here.gradient);
        let curvature = on.dot(&step, &change);
        if curvature > 1e-10 * on.norm(&step) * on.norm(&change) {
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
fn direction<L: Landscape>(
    on: &L,
    gradient: &L::Vector,
    pairs: &VecDeque<Pair<L::Vector>>,
) -> L::Vector {
    let mut q = on.scaled(-1.0, gradient);
    let mut factors = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let factor = pair.inverse * on.dot(&pair.step, &q);
        on.add(&mut q, -factor, &pair.change);
        factors.push(factor);
    }
    if let Some(last) = pairs.back() {
        q = on.scaled(
            1.0 / (last.inverse * on.dot(&last.change, &last.change)),
            &q,
        );
    }
    for (pair, factor) in pairs.iter().zip(factors.iter().rev()) {
        let back = pair.inverse * on.dot(&pair.change, &q);
        on.add(&mut q, factor - back, &pair.step);
    }
    q
}

/// A step length that meets the weak Wolfe conditions, by doubling and halving.
fn search<L: Landscape>(
    on: &L,
    point: &L::Point,
    here: &Slope<L::Vector>,
    direction: &L::Vector,
    first: bool,
) -> Option<(f64, Slope<L::Vector>)> {
    let slope = on.dot(&here.gradient, direction);
    if slope >= 0.0 || !slope.is_finite() {
        return None;
    }
    let mut length = if first {
        // a first step as long as a tenth of the weights, or so
        0.1 * (1.0 + on.length(point)) / on.norm(direction)
    } else {
        1.0
    };
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut best = None;
    for _ in 0..TRIES {
        let mut trial = point.clone();
        on.go(&mut trial, length, direction);
        let there = on.slope(&trial);
        // a value that is not a number is too far
        let descends = there.value <= here.value + 1e-4 * length * slope;
        if !descends {
            high = length;
        } else if on.dot(&there.gradient, direction) < 0.9 * slope {
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
