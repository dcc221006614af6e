//! Inner products and norms: accumulated in `f64`, always in the same order.

use crate::real::Real;

/// Independent running sums, so that the loop can use vector registers.
const LANES: usize = 8;

/// `Σ a_j b_j`
pub(crate) fn dot<A: Real, B: Real>(a: &[A], b: &[B]) -> f64 {
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
    for (y, &x) in y.iter_mut().zip(x) {
        *y += alpha * x;
    }
}
