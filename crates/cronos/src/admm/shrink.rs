//! The feature-space half of an ADMM step: group shrinkage.

use crate::inner::{norm, update, vectorized};
use crate::real::Real;
use rayon::prelude::*;

/// Sums over the groups, for residuals and history.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ShrinkSums {
    /// `‖u − v‖²`, each group times its stiffness; so below
    pub primal: f64,
    /// `‖v − v_old‖²`
    pub change: f64,
    /// `‖u‖²`
    pub image: f64,
    /// `‖v‖²`
    pub copy: f64,
    /// `‖λ‖²`
    pub multiplier: f64,
    /// `Σ ‖u_g‖`, without stiffness
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

/// How far each group is shrunk, and how stiffly its `v` is held to `u`.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    /// Numbers in a group, `d`.
    pub size: usize,
    /// `β/ρ`
    pub threshold: f64,
    /// `κ` of each group: the penalty is `ρ κ/2 ‖u − v‖²`
    pub stiffness: Vec<f64>,
}

impl Groups {
    /// `β/(ρκ)` of a group.
    pub(crate) fn threshold(&self, group: usize) -> f64 {
        self.threshold / self.stiffness[group]
    }

    /// What a multiplier is multiplied by on the way to `after`: `ρκλ` stays; where `β/ρκ` is 0
    /// there is no `λ`.
    pub(crate) fn ratio(&self, after: &Self, group: usize) -> f64 {
        match self.threshold(group) {
            0.0 => 1.0,
            threshold => after.threshold(group) / threshold,
        }
    }
}

/// `b = α u + (1 − α) v + λ`, then `reflected = κ (2v − b)`.
pub(crate) fn step<T: Real>(
    u: &[T],
    b: &mut [T],
    reflected: &mut [T],
    groups: &Groups,
    relaxation: f64,
) -> ShrinkSums {
    let d = groups.size;
    let relaxation = T::of(relaxation);
    let parts: Vec<ShrinkSums> = b
        .par_chunks_mut(d)
        .zip(u.par_chunks(d))
        .zip(reflected.par_chunks_mut(d))
        .enumerate()
        .map(|(group, ((b, u), reflected))| {
            let (threshold, kappa) = (groups.threshold(group), groups.stiffness[group]);
            let scale = T::of(kappa);
            let old = factor(b, threshold);
            vectorized(
                #[inline(always)]
                || {
                    for ((b, &u), v) in b.iter_mut().zip(u).zip(reflected.iter_mut()) {
                        *v = old * *b;
                        *b = relaxation * u + (T::ONE - relaxation) * *v + (*b - *v);
                    }
                },
            );
            let new = factor(b, threshold);
            let mut sums = vectorized(
                #[inline(always)]
                || sums_of(b, u, reflected, new),
            );
            sums.norms = sums.image.sqrt();
            let reflect = |v: &mut T, b: T| {
                let v_new = new * b;
                *v = scale * (v_new + v_new - b);
            };
            update(reflected, b, reflect);
            sums.primal *= kappa;
            sums.change *= kappa;
            sums.image *= kappa;
            sums.copy *= kappa;
            sums.multiplier *= kappa;
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

/// What `‖·‖²` of a group are, `v = factor b`.
#[inline(always)]
fn sums_of<T: Real>(b: &[T], u: &[T], v_old: &[T], factor: T) -> ShrinkSums {
    const LANES: usize = 8;
    let mut sums = [[0.0; LANES]; 5];
    let mut add = |lane: usize, b: T, u: T, v_old: T| {
        let v = factor * b;
        for (sums, value) in sums.iter_mut().zip([u - v, v - v_old, u, v, b - v]) {
            sums[lane] += value.wide() * value.wide();
        }
    };
    let [(b, b_rest), (u, u_rest), (v_old, v_rest)] = [b, u, v_old].map(|a| a.as_chunks::<LANES>());
    for ((b, u), v_old) in b.iter().zip(u).zip(v_old) {
        for lane in 0..LANES {
            add(lane, b[lane], u[lane], v_old[lane]);
        }
    }
    for (lane, ((&b, &u), &v_old)) in b_rest.iter().zip(u_rest).zip(v_rest).enumerate() {
        add(lane, b, u, v_old);
    }
    let [primal, change, image, copy, multiplier] = sums.map(|lanes| lanes.iter().sum());
    ShrinkSums {
        primal,
        change,
        image,
        copy,
        multiplier,
        norms: 0.0,
    }
}

/// `λ ← ratio λ` with a ratio for each group, then `reflected = κ (2v − b)` with
/// the thresholds and the stiffness of `after`.
pub(crate) fn rescale<T: Real>(b: &mut [T], reflected: &mut [T], before: &Groups, after: &Groups) {
    let d = before.size;
    for (group, (b, reflected)) in b.chunks_mut(d).zip(reflected.chunks_mut(d)).enumerate() {
        let keep = factor(b, before.threshold(group));
        let ratio = T::of(before.ratio(after, group));
        let scale = T::of(after.stiffness[group]);
        for (b, reflected) in b.iter_mut().zip(reflected) {
            let v = keep * *b;
            *b = v + ratio * (*b - v);
            *reflected = scale * (v + v - *b);
        }
    }
}

/// `v = shrink(b)`, in `f64`.
pub(crate) fn shrunk<T: Real>(b: &[T], groups: &Groups) -> Vec<f64> {
    b.chunks(groups.size)
        .enumerate()
        .flat_map(|(group, b)| {
            let keep = factor(b, groups.threshold(group)).wide();
            b.iter().map(move |b| keep * b.wide())
        })
        .collect()
}
