//! The loss's part of an ADMM step: thin arrays, one row at a time.

use super::{BLOCK, SweepStep, SweepSums};
use crate::admm::Split;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::real::Real;
use std::ops::Range;

/// The loss's part of the state on one chunk: rows x C, row by row.
///
/// The paper's split has no `f` and no `μ`, but a quadratic model of the loss at
/// `F u`; for the squared loss its curvature is 1 and its top `y`.
#[derive(Clone)]
pub(crate) struct ThinState<T> {
    /// `F u + μ`; paper: `H F u − ∇loss(F u)`
    pub e: Vec<T>,
    /// `prox(e)`, so `μ = e − f`; paper: the curvature `H` of the model
    pub f: Vec<T>,
    /// `F u`
    pub fu: Vec<T>,
}

impl<T: Real> ThinState<T> {
    /// `f = prox(e)` on row `k` of the chunk.
    pub(super) fn prox(&mut self, k: usize, y: &[T], step: &SweepStep, scratch: &mut [f64]) {
        let at = k * y.len()..(k + 1) * y.len();
        let weight = step.rho * step.weight;
        let (e, f) = (&self.e[at.clone()], &mut self.f[at]);
        step.loss.prox(e, y, weight, f, scratch);
    }

    /// The quadratic model of the loss at `F u` on row `k` of the chunk.
    pub(super) fn model(&mut self, k: usize, y: &[T], step: &SweepStep, scratch: &mut [f64]) {
        let outputs = y.len();
        let (prediction, rest) = scratch.split_at_mut(outputs);
        let (target, rest) = rest.split_at_mut(outputs);
        let (gradient, curvature) = rest.split_at_mut(outputs);
        let at = k * outputs;
        for c in 0..outputs {
            (prediction[c], target[c]) = (self.fu[at + c].wide(), y[c].wide());
        }
        step.loss.gradient(prediction, target, gradient);
        step.loss
            .curvature(prediction, target, &mut curvature[..outputs]);
        step.loss.apply_curvature(|c| curvature[c], prediction);
        for c in 0..outputs {
            self.e[at + c] = T::of(prediction[c] - gradient[c]);
            self.f[at + c] = T::of(curvature[c]);
        }
    }
}

/// A block of rows, where it lies in its chunk, and `√w` of its rows.
pub(super) struct RowsOf<'b, T> {
    pub block: &'b Range<usize>,
    pub first: usize,
    pub roots: Option<&'b [T]>,
}

impl<T: Real> RowsOf<'_, T> {
    #[inline(always)]
    pub(super) fn root(&self, k: usize) -> T {
        self.roots.map_or(T::ONE, |roots| roots[k])
    }

    /// `1/√w` of the block's rows.
    #[inline(always)]
    pub(super) fn inverse_roots(&self) -> [T; BLOCK] {
        let mut inverse = [T::ONE; BLOCK];
        for (inverse, &root) in inverse.iter_mut().zip(self.roots.unwrap_or_default()) {
            *inverse = T::ONE / root;
        }
        inverse
    }

    /// `e = α Fu + (1 − α) f + μ`, then `f = prox(e)`
    #[inline(always)]
    pub(super) fn update_loss(
        &self,
        y: &Matrix<T>,
        step: &SweepStep,
        thin: &mut ThinState<T>,
        scratch: &mut [f64],
        sums: &mut SweepSums,
    ) {
        let outputs = y.columns();
        let relaxation = T::of(step.relaxation);
        for (k, row) in self.block.clone().enumerate() {
            let at = (self.first + k) * outputs..(self.first + k + 1) * outputs;
            let weight = self.root(k).wide() * self.root(k).wide();
            sums.loss += weight * wide_value(step.loss, &thin.fu[at.clone()], y.row(row), scratch);
            if step.split == Split::Paper {
                thin.model(self.first + k, y.row(row), step, scratch);
                continue;
            }
            let squared = |value: T| step.weight * weight * value.wide() * value.wide();
            for i in at.clone() {
                let (old, e) = (thin.f[i], &mut thin.e[i]);
                *e = relaxation * thin.fu[i] + (T::ONE - relaxation) * old + (*e - old);
            }
            let (old, scratch) = scratch.split_at_mut(outputs);
            for (old, f) in old.iter_mut().zip(&thin.f[at.clone()]) {
                *old = f.wide();
            }
            thin.prox(self.first + k, y.row(row), step, scratch);
            for (i, &old) in at.zip(old.iter()) {
                let (fu, f, e, old) = (thin.fu[i], thin.f[i], thin.e[i], T::of(old));
                sums.primal += squared(fu - f);
                sums.change += squared(f - old);
                sums.image += squared(fu);
                sums.copy += squared(f);
                sums.multiplier += squared(e - f);
            }
        }
    }

    /// `√w (2f − e)` of output `c` of `outputs`; in the paper's split
    /// `√w (H Fu − ∇loss(Fu))`.
    #[inline(always)]
    pub(super) fn reflected(
        &self,
        outputs: usize,
        split: Split,
        thin: &ThinState<T>,
        c: usize,
    ) -> [T; BLOCK] {
        let mut h = [T::ZERO; BLOCK];
        for (k, h) in h.iter_mut().take(self.block.len()).enumerate() {
            let at = (self.first + k) * outputs + c;
            let reflected = match split {
                Split::Paper => thin.e[at],
                Split::Loss => thin.f[at] + thin.f[at] - thin.e[at],
            };
            *h = self.root(k) * reflected;
        }
        h
    }
}

/// The loss of a row of predictions, computed in `f64`.
fn wide_value<T: Real>(loss: Loss, f: &[T], y: &[T], scratch: &mut [f64]) -> f64 {
    let (prediction, rest) = scratch.split_at_mut(f.len());
    let target = &mut rest[..f.len()];
    for (wide, value) in prediction.iter_mut().zip(f).chain(target.iter_mut().zip(y)) {
        *wide = value.wide();
    }
    loss.value(prediction, target)
}
