//! Inner products, norms and sums of arrays. Inner products are accumulated in `f64`; orders are
//! always the same.

use crate::real::Real;
use rayon::prelude::*;

/// Independent running sums, so that the loop can use vector registers.
const LANES: usize = 8;

/// Numbers that one thread takes at a time where arrays are added.
const PART: usize = 8192;
/// Numbers that are worth a choice of registers.
const MANY: usize = 64;

/// Runs loops on registers of 256 bits if this processor has them. Both `work` and what it calls must
/// be `#[inline(always)]`, or they stay on those that every processor has. Nothing is reordered, so
/// the result is that of any other processor.
#[inline(always)]
pub(crate) fn vectorized<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// `Σ a_j b_j`
pub(crate) fn dot<A: Real, B: Real>(a: &[A], b: &[B]) -> f64 {
    match a.len() {
        ..MANY => dot_by_lanes(a, b),
        _ => vectorized(
            #[inline(always)]
            || dot_by_lanes(a, b),
        ),
    }
}

#[inline(always)]
fn dot_by_lanes<A: Real, B: Real>(a: &[A], b: &[B]) -> f64 {
    let mut sums = [0.0; LANES];
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane].wide() * b[lane].wide();
        }
    }
    let rest: f64 = a_rest
        .iter()
        .zip(b_rest)
        .map(|(a, b)| a.wide() * b.wide())
        .sum();
    sums.iter().sum::<f64>() + rest
}

/// `‖a‖²`
pub(crate) fn norm_squared<T: Real>(a: &[T]) -> f64 {
    dot(a, a)
}

/// `‖a‖`
pub(crate) fn norm<T: Real>(a: &[T]) -> f64 {
    norm_squared(a).sqrt()
}

/// `y += alpha x`
pub(crate) fn add_scaled<T: Real>(y: &mut [T], alpha: T, x: &[T]) {
    update(y, x, |y, x| *y += alpha * x);
}

/// The same step for each pair of numbers of two arrays, which threads share if they are large.
pub(crate) fn update<A: Real, B: Real>(y: &mut [A], x: &[B], step: impl Fn(&mut A, B) + Sync) {
    let part = |y: &mut [A], x: &[B]| {
        vectorized(
            #[inline(always)]
            || step_by_step(y, x, &step),
        );
    };
    match y.len() {
        ..MANY => step_by_step(y, x, &step),
        MANY..=PART => part(y, x),
        _ => {
            let parts = y.par_chunks_mut(PART).zip(x.par_chunks(PART));
            parts.for_each(|(y, x)| part(y, x));
        }
    }
}

#[inline(always)]
fn step_by_step<A: Copy, B: Copy>(y: &mut [A], x: &[B], step: &impl Fn(&mut A, B)) {
    for (y, &x) in y.iter_mut().zip(x) {
        step(y, x);
    }
}
