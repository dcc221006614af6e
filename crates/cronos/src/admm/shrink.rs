//! The feature-space half of an ADMM step: group shrinkage.

use crate::inner::norm;
use crate::real::Real;
use rayon::prelude::*;

/// Sums over the groups, for residuals and history.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ShrinkSums {
    /// `‖u − v‖²`
    pub primal: f64,
    /// `‖v − v_old‖²`
    pub change: f64,
    /// `‖u‖²`
    pub image: f64,
    /// `‖v‖²`
    pub copy: f64,
    /// `‖λ‖²`
    pub multiplier: f64,
    /// `Σ ‖u_g‖`
    pub norms: f64,
}

/// `v = max(0, 1 − threshold/‖b‖) b`: the factor in front of `b`.
fn factor<T: Real>(b: &[T], threshold: f64) -> T {
    let length = norm(b);
    if length > threshold {
        T::of(1.0 - threshold / length)
    } else {
        T::ZERO
    }
}

/// `b = α u + (1 − α) v + λ`, then `reflected = 2v − b`; one group is `d` numbers.
pub(crate) fn step<T: Real>(
    u: &[T],
    b: &mut [T],
    reflected: &mut [T],
    d: usize,
    threshold: f64,
    relaxation: f64,
) -> ShrinkSums {
    let relaxation = T::of(relaxation);
    let parts: Vec<ShrinkSums> = b
        .par_chunks_mut(d)
        .zip(u.par_chunks(d))
        .zip(reflected.par_chunks_mut(d))
        .map(|((b, u), reflected)| {
            let old = factor(b, threshold);
            for ((b, &u), v) in b.iter_mut().zip(u).zip(reflected.iter_mut()) {
                *v = old * *b;
                *b = relaxation * u + (T::ONE - relaxation) * *v + (*b - *v);
            }
            let new = factor(b, threshold);
            let mut sums = ShrinkSums::default();
            for ((&b, &u), v) in b.iter().zip(u).zip(reflected) {
                let (v_old, v_new) = (*v, new * b);
                let squared = |value: T| value.wide() * value.wide();
                sums.primal += squared(u - v_new);
                sums.change += squared(v_new - v_old);
                sums.image += squared(u);
                sums.copy += squared(v_new);
                sums.multiplier += squared(b - v_new);
                *v = v_new + v_new - b;
            }
            sums.norms = sums.image.sqrt();
            sums
        })
        .collect();
    let mut total = ShrinkSums::default();
    for part in parts {
        total.primal += part.primal;
        total.change += part.change;
        total.image += part.image;
        total.copy += part.copy;
        total.multiplier += part.multiplier;
        total.norms += part.norms;
    }
    total
}

/// `λ ← ratio λ`, then `reflected = 2v − b`.
pub(crate) fn rescale<T: Real>(
    b: &mut [T],
    reflected: &mut [T],
    d: usize,
    threshold: f64,
    ratio: f64,
) {
    let ratio = T::of(ratio);
    for (b, reflected) in b.chunks_mut(d).zip(reflected.chunks_mut(d)) {
        let keep = factor(b, threshold);
        for (b, reflected) in b.iter_mut().zip(reflected) {
            let v = keep * *b;
            *b = v + ratio * (*b - v);
            *reflected = v + v - *b;
        }
    }
}

/// `v = shrink(b)`, in `f64`.
pub(crate) fn shrunk<T: Real>(b: &[T], d: usize, threshold: f64) -> Vec<f64> {
    b.chunks(d)
        .flat_map(|b| {
            let keep = factor(b, threshold).wide();
            b.iter().map(move |b| keep * b.wide())
        })
        .collect()
}
