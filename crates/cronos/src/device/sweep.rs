//! The row-space half of an ADMM step.

use super::link::Link;
use super::loss;
use super::rows::{Block, Rows};
use crate::admm::Split;
use crate::engine::{SweepStep, SweepSums};
use crate::loss::Loss;
use burn::tensor::Tensor;

/// Numbers that come back for each block.
const SUMS: usize = 12;

impl Rows {
    /// The state at `u = 0`: no slack, multipliers zero, `f` at the target or at 0.
    pub fn reset(&mut self, step: &SweepStep, link: &Link) {
        let k = self.sizes.groups();
        for block in &mut self.blocks {
            let from_targets = matches!(
                step.loss,
                Loss::Squared | Loss::Huber { .. } | Loss::Quantile { .. }
            );
            block.fu = block.y.zeros_like();
            block.e = match from_targets {
                true => block.y.clone(),
                false => block.y.zeros_like(),
            };
            match step.split {
                Split::Loss => block.prox(step, link),
                Split::Paper => block.model(step),
            }
            let cones = self.sizes.signs == 2;
            block.a = cones.then(|| Tensor::zeros([block.range.len(), k], &link.device));
            block.stiffness = None;
        }
    }

    /// `s = (Gu + ν)_+ ,  f = prox(Fu + μ) ,  ν, μ updated`; returns `Gᵀ R (s − ν) + c Fᵀ(2f − e)`.
    pub fn sweep(
        &mut self,
        u: &Tensor<2>,
        step: &SweepStep,
        link: &Link,
    ) -> (Tensor<2>, SweepSums) {
        let mut numbers = Vec::new();
        let mut image = u.zeros_like();
        for at in 0..self.blocks.len() {
            let z = self.blocks[at].forward(u);
            let mut fu = self.sum(&self.blocks[at], z.clone());
            if let Some(root) = &self.blocks[at].root {
                fu = fu / root.clone();
            }
            numbers.extend(self.blocks[at].update_loss(fu, step, link));
            let g = match self.blocks[at].a {
                Some(_) => self.turn(&self.blocks[at], z),
                None => z,
            };
            numbers.extend(self.blocks[at].update_slacks(g, step.relaxation, link));
            let block = &self.blocks[at];
            image = image + block.back(self.fill(block, step));
        }
        let mut sums = SweepSums::default();
        for of_block in link.numbers(numbers).chunks(SUMS) {
            let (thin, wide) = of_block.split_at(6);
            sums.primal += step.weight * thin[0] + wide[0];
            sums.change += step.weight * thin[1] + wide[1];
            sums.image += step.weight * thin[2] + wide[2];
            sums.copy += step.weight * thin[3] + wide[3];
            sums.multiplier += step.weight * thin[4] + wide[4];
            sums.loss += thin[5];
            sums.violation = sums.violation.max(wide[5]);
        }
        (image, sums)
    }

    /// `Gᵀ R (s − ν) + c Fᵀ(2f − e)` for the state as it is.
    pub fn image(&self, step: &SweepStep) -> Tensor<2> {
        self.total(|block| self.fill(block, step))
    }

    /// `(2D − I) R |a| ± c D h`
    fn fill(&self, block: &Block, step: &SweepStep) -> Tensor<2> {
        let h = block.reflected(step.split).mul_scalar(step.weight);
        let spread = self.spread(block, h);
        match &block.a {
            None => spread,
            Some(a) => spread + self.turn(block, block.stiff(a.clone().abs())),
        }
    }

    /// Multiplies the multipliers by `ratio = ρ_old / ρ_new`.
    pub fn rescale(&mut self, step: &SweepStep, ratio: f64) {
        for block in &mut self.blocks {
            block.a = block.a.take().map(|a| {
                let multiplier = a.clone().clamp_max(0.0).mul_scalar(ratio);
                a.clamp_min(0.0) + multiplier
            });
            if step.split == Split::Loss {
                let (e, f) = (block.e.clone(), block.f.clone());
                block.e = f.clone() + (e - f).mul_scalar(ratio);
            }
        }
    }

    /// Slacks that push against their cone become stiff, the others soft; `ρ R ν` stays.
    pub fn stiffen(&mut self, stiff: f64, soft: f64) {
        for block in &mut self.blocks {
            let Some(a) = block.a.take() else { continue };
            let old = block.stiffness.take().unwrap_or_else(|| a.ones_like());
            let pushing = a.clone().lower_elem(0.0);
            let new = a.zeros_like().add_scalar(soft).mask_fill(pushing, stiff);
            let multiplier = a.clone().clamp_max(0.0) * old / new.clone();
            block.a = Some(a.clamp_min(0.0) + multiplier);
            block.stiffness = Some(new);
        }
    }
}

impl Block {
    /// `f = prox(e)`
    fn prox(&mut self, step: &SweepStep, link: &Link) {
        let weight = step.rho * step.weight;
        self.f = loss::prox(step.loss, self.e.clone(), self.y.clone(), weight, link);
    }

    /// The quadratic model of the loss at `F u`: `e = H Fu − ∇loss`, `f = H`.
    fn model(&mut self, step: &SweepStep) {
        let (fu, y) = (self.fu.clone(), self.y.clone());
        self.f = loss::curvature(step.loss, fu.clone(), y.clone());
        let curved = loss::apply_curvature(step.loss, self.f.clone(), fu.clone());
        self.e = curved - loss::gradient(step.loss, fu, y);
    }

    /// `e = α Fu + (1 − α) f + μ`, then `f = prox(e)`; returns sums over the rows.
    fn update_loss(&mut self, fu: Tensor<2>, step: &SweepStep, link: &Link) -> [Tensor<1>; 6] {
        let value = self.lost(step.loss, fu.clone());
        self.fu = fu.clone();
        if step.split == Split::Paper {
            self.model(step);
            let zero = value.zeros_like();
            return [
                zero.clone(),
                zero.clone(),
                zero.clone(),
                zero.clone(),
                zero,
                value,
            ];
        }
        let old = self.f.clone();
        self.e = fu.clone().mul_scalar(step.relaxation)
            + old.clone().mul_scalar(1.0 - step.relaxation)
            + (self.e.clone() - old.clone());
        self.prox(step, link);
        let (f, e) = (self.f.clone(), self.e.clone());
        let root = self.root.clone();
        let total = |values: Tensor<2>| match &root {
            Some(root) => (values * root.clone()).square().sum(),
            None => values.square().sum(),
        };
        [
            total(fu.clone() - f.clone()),
            total(f.clone() - old),
            total(fu),
            total(f.clone()),
            total(e - f),
            value,
        ]
    }

    /// `a = α Gu + (1 − α) s + ν`; returns sums over the slacks and the largest violation.
    fn update_slacks(&mut self, g: Tensor<2>, relaxation: f64, link: &Link) -> [Tensor<1>; 6] {
        let Some(a) = self.a.take() else {
            let zero = Tensor::zeros([1], &link.device);
            return std::array::from_fn(|_| zero.clone());
        };
        let old = a.clone().clamp_min(0.0);
        let new = g.clone().mul_scalar(relaxation)
            + old.clone().mul_scalar(1.0 - relaxation)
            + a.clamp_max(0.0);
        let (s, nu) = (new.clone().clamp_min(0.0), new.clone().clamp_max(0.0));
        self.a = Some(new);
        let total = |values: Tensor<2>| self.stiff(values.square()).sum();
        let outside = match &self.root {
            Some(root) => g.clone().neg() / root.clone(),
            None => g.clone().neg(),
        };
        [
            total(g.clone() - s.clone()),
            total(s.clone() - old),
            total(g),
            total(s),
            total(nu),
            outside.max().clamp_min(0.0),
        ]
    }

    /// `√w (2f − e)`; in the paper's split `√w (H Fu − ∇loss(Fu))`.
    fn reflected(&self, split: Split) -> Tensor<2> {
        let h = match split {
            Split::Paper => self.e.clone(),
            Split::Loss => self.f.clone().mul_scalar(2.0) - self.e.clone(),
        };
        match &self.root {
            Some(root) => h * root.clone(),
            None => h,
        }
    }
}
