//! The feature-space half of an ADMM step: group shrinkage.

use super::link::Link;
use crate::admm::{Groups, ShrinkSums};
use burn::tensor::Tensor;

/// Thresholds and stiffness of the groups: k x 1 each.
pub(super) struct Thresholds {
    threshold: Tensor<2>,
    kappa: Tensor<2>,
}

impl Thresholds {
    pub fn new(groups: &Groups, link: &Link) -> Self {
        let k = groups.stiffness.len();
        let thresholds = (0..k).map(|group| groups.threshold(group) as f32).collect();
        let kappa = groups.stiffness.iter().map(|&kappa| kappa as f32).collect();
        Self {
            threshold: link.send(thresholds, [k, 1]),
            kappa: link.send(kappa, [k, 1]),
        }
    }

    /// `v = max(0, 1 − threshold/‖b‖) b`
    pub fn shrunk(&self, b: &Tensor<2>) -> Tensor<2> {
        let length = squares(b.clone()).sqrt().clamp_min(f32::MIN_POSITIVE);
        let keep = (self.threshold.clone() / length).neg().add_scalar(1.0);
        b.clone() * keep.clamp_min(0.0)
    }

    /// `κ (2v − b)`
    pub fn reflected(&self, v: Tensor<2>, b: Tensor<2>) -> Tensor<2> {
        self.kappa.clone() * (v.mul_scalar(2.0) - b)
    }

    /// `b = α u + (1 − α) v + λ`; returns it with `κ (2v − b)` and the sums.
    pub fn step(
        &self,
        u: &Tensor<2>,
        b: Tensor<2>,
        relaxation: f64,
        link: &Link,
    ) -> (Tensor<2>, Tensor<2>, ShrinkSums) {
        let old = self.shrunk(&b);
        let b = u.clone().mul_scalar(relaxation)
            + old.clone().mul_scalar(1.0 - relaxation)
            + (b - old.clone());
        let v = self.shrunk(&b);
        let image = squares(u.clone());
        let stiff = |squares: Tensor<2>| (self.kappa.clone() * squares).sum();
        let sums = link.numbers(vec![
            stiff(squares(u.clone() - v.clone())),
            stiff(squares(v.clone() - old)),
            stiff(image.clone()),
            stiff(squares(v.clone())),
            stiff(squares(b.clone() - v.clone())),
            image.sqrt().sum(),
        ]);
        let sums = ShrinkSums {
            primal: sums[0],
            change: sums[1],
            image: sums[2],
            copy: sums[3],
            multiplier: sums[4],
            norms: sums[5],
        };
        (b.clone(), self.reflected(v, b), sums)
    }
}

/// `λ ← ratio λ` with a ratio for each group.
pub(super) fn rescale(
    b: &Tensor<2>,
    before: &Thresholds,
    ratios: Tensor<2>,
) -> (Tensor<2>, Tensor<2>) {
    let v = before.shrunk(b);
    let b = v.clone() + ratios * (b.clone() - v.clone());
    (b, v)
}

/// `‖·‖²` of every group: k x 1
pub(super) fn squares(values: Tensor<2>) -> Tensor<2> {
    values.square().sum_dim(1)
}
