//! Preconditioned conjugate gradients for several right-hand sides at once,
//! each with step lengths of its own.

use crate::inner::{add_scaled, dot};
use crate::real::Real;

/// Scratch vectors of a solve, each size x C.
pub(crate) struct PcgSpace<T> {
    residual: Vec<T>,
    preconditioned: Vec<T>,
    direction: Vec<T>,
    image: Vec<T>,
}

impl<T: Real> PcgSpace<T> {
    pub fn new(length: usize) -> Self {
        Self {
            residual: vec![T::ZERO; length],
            preconditioned: vec![T::ZERO; length],
            direction: vec![T::ZERO; length],
            image: vec![T::ZERO; length],
        }
    }
}

/// When to stop.
#[derive(Clone, Copy)]
pub(crate) struct Stop {
    /// `‖b − A x‖` to reach; rounding may stop all progress before.
    pub tolerance: f64,
    /// Iterations at most.
    pub most: usize,
}

/// Solves `A x = b` from the guess in `x`, column by column, and tells in how many iterations;
/// `dots` makes the inner product of each column.
///
/// b, x: size x C
pub(crate) fn solve<T: Real>(
    mut apply: impl FnMut(&[T], &mut [T]),
    precondition: impl Fn(&[T], &mut [T]),
    dots: impl Fn(&[T], &[T]) -> Vec<f64>,
    b: &[T],
    x: &mut [T],
    space: &mut PcgSpace<T>,
    stop: Stop,
) -> usize {
    let PcgSpace {
        residual: w,
        preconditioned: z,
        direction: p,
        image: q,
    } = space;
    // w = b − A x
    apply(x, q);
    for ((w, &b), &q) in w.iter_mut().zip(b).zip(q.iter()) {
        *w = b - q;
    }
    precondition(w, z);
    p.copy_from_slice(z);
    let norm = |a: &[T]| dots(a, a).iter().sum::<f64>().sqrt();
    let mut rho = dots(w, z);
    let (count, size) = (rho.len(), b.len() / rho.len());
    let floor = 4.0 * T::EPSILON * norm(b);
    for iterations in 0..stop.most {
        let residual = norm(w);
        if residual <= stop.tolerance.max(floor) || !residual.is_finite() {
            return iterations;
        }
        apply(p, q);
        let curvatures = dots(p, q);
        for (c, at) in columns(size, count).enumerate() {
            // α = wᵀz / pᵀAp
            let curvature = curvatures[c];
            if curvature <= 0.0 || rho[c] <= 0.0 {
                continue;
            }
            let alpha = T::of(rho[c] / curvature);
            add_scaled(&mut x[at.clone()], alpha, &p[at.clone()]);
            add_scaled(&mut w[at.clone()], -alpha, &q[at]);
        }
        precondition(w, z);
        let next = dots(w, z);
        for (c, at) in columns(size, count).enumerate() {
            // p = z + (w'ᵀz' / wᵀz) p
            let ratio = T::of(if rho[c] > 0.0 { next[c] / rho[c] } else { 0.0 });
            for (p, &z) in p[at.clone()].iter_mut().zip(&z[at]) {
                *p = z + ratio * *p;
            }
        }
        rho = next;
    }
    stop.most
}

/// `aᵀb` of each column of `size` numbers.
pub(crate) fn dots<T: Real>(size: usize) -> impl Fn(&[T], &[T]) -> Vec<f64> {
    move |a, b| {
        let columns = a.chunks(size).zip(b.chunks(size));
        columns.map(|(a, b)| dot(a, b)).collect()
    }
}

fn columns(size: usize, count: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..count).map(move |c| c * size..(c + 1) * size)
}
