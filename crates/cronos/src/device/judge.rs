//! What the state is worth, in single precision: enough to tell when to ask for a certificate.

use super::groups::squares;
use super::link::Link;
use super::loss;
use super::rows::{Block, Rows, Sizes};
use crate::admm::Split;
use crate::engine::{Evaluation, SweepStep};
use crate::loss::Loss;
use burn::tensor::Tensor;

/// Halvings of the bracket around the best scale of a dual point.
const HALVINGS: usize = 20;

impl Rows {
    /// Objective, violation and the objective of the recovered network, and what the multipliers say
    /// of the cones.
    ///
    /// u: k x d
    pub fn evaluate(&self, u: &Tensor<2>, step: &SweepStep, beta: f64, link: &Link) -> Evaluation {
        let loss = step.loss;
        let mut numbers = vec![squares(u.clone()).sqrt().sum()];
        for block in &self.blocks {
            let weighted = block.forward(u);
            let z = match &block.root {
                Some(root) => weighted.clone() / root.clone(),
                None => weighted.clone(),
            };
            let convex = block.lost(loss, self.sum(block, z.clone()));
            let [network, outside, held] = match &block.a {
                None => [convex.clone(), convex.zeros_like(), convex.zeros_like()],
                Some(a) => {
                    // αᵀG u with α = −ρ R ν
                    let nu = a.clone().clamp_max(0.0).mul_scalar(-step.rho);
                    let held = (self.turn(block, weighted) * block.stiff(nu)).sum();
                    let units = self.signed(z.clone().clamp_min(0.0));
                    let outside = self.turn(block, z).neg().max().clamp_min(0.0);
                    [block.lost(loss, units), outside, held]
                }
            };
            numbers.extend([convex, network, outside, held]);
        }
        let numbers = link.numbers(numbers);
        let penalty = beta * numbers[0];
        let mut found = Evaluation::of_penalty(penalty);
        for &[convex, network, outside, held] in numbers[1..].as_chunks().0 {
            found.objective += convex;
            found.network_objective += network;
            found.violation = found.violation.max(outside);
            found.held += held;
        }
        found
    }

    /// What the multipliers prove about each of some sets of outputs.
    pub fn bounds(&self, step: &SweepStep, beta: f64, sets: usize, link: &Link) -> Vec<f64> {
        let Sizes { rows, outputs, .. } = self.sizes;
        // F_gᵀ z − G_gᵀ α_g with α = −ρ R ν
        let groups = self.total(|block| {
            let z = match &block.root {
                Some(root) => block.dual(step) * root.clone(),
                None => block.dual(step),
            };
            let wide = self.spread(block, z);
            match &block.a {
                None => wide,
                Some(a) => {
                    let nu = a.clone().clamp_max(0.0).mul_scalar(step.rho);
                    wide + self.turn(block, block.stiff(nu))
                }
            }
        });
        let norms = squares(groups).sqrt();
        let norms = norms.reshape([sets, self.sizes.groups() / sets]);
        let limits = link.fetch(norms.max_dim(1)).into_iter().map(f64::from);
        let limits = limits.map(|largest| match largest {
            _ if beta == 0.0 || !largest.is_finite() => 0.0,
            0.0 => f64::INFINITY,
            _ => beta / largest,
        });
        let of_all = |part: &dyn Fn(&Block) -> Tensor<2>| {
            Tensor::cat(self.blocks.iter().map(part).collect(), 0)
        };
        let (z, y) = (
            of_all(&|block| block.dual(step)),
            of_all(&|block| block.y.clone()),
        );
        let weights = self.weights();
        let of_set = outputs / sets;
        let bound = |(set, limit): (usize, f64)| {
            let own = |all: &Tensor<2>| {
                all.clone()
                    .slice([0..rows, set * of_set..(set + 1) * of_set])
            };
            let point = Point {
                z: own(&z),
                y: own(&y),
                weights: weights.clone(),
                link,
            };
            let value = match step.loss {
                Loss::Logistic | Loss::Softmax => point.entropy_bound(step.loss, limit),
                _ => point.parabola_bound(step.loss, limit),
            };
            if value.is_finite() { value } else { 0.0 }
        };
        limits.enumerate().map(bound).collect()
    }

    /// `w` of all rows, if they have any: n x 1
    fn weights(&self) -> Option<Tensor<2>> {
        let roots: Option<Vec<Tensor<2>>> = self.blocks.iter().map(|b| b.root.clone()).collect();
        Some(Tensor::cat(roots?, 0).square())
    }
}

impl Block {
    /// `Σ w loss(f)` over the rows
    pub fn lost(&self, loss: Loss, f: Tensor<2>) -> Tensor<1> {
        let rows = loss::value(loss, f, self.y.clone());
        match &self.root {
            Some(root) => (rows * root.clone().square()).sum(),
            None => rows.sum(),
        }
    }

    /// `R` times slacks: rows x k
    pub fn stiff(&self, slacks: Tensor<2>) -> Tensor<2> {
        match &self.stiffness {
            Some(stiffness) => slacks * stiffness.clone(),
            None => slacks,
        }
    }

    /// `z = ∇loss(f)` in the loss split, `∇loss(F u)` in the paper's: rows x C
    fn dual(&self, step: &SweepStep) -> Tensor<2> {
        match (step.split, step.loss) {
            (Split::Paper, loss) => loss::gradient(loss, self.fu.clone(), self.y.clone()),
            (Split::Loss, Loss::Quantile { level }) => {
                let pull = (self.e.clone() - self.f.clone()).mul_scalar(step.rho * step.weight);
                pull.clamp(-level, 1.0 - level)
            }
            (Split::Loss, loss) => loss::gradient(loss, self.f.clone(), self.y.clone()),
        }
    }
}

/// A dual point of the outputs that share a scale, rows x outputs, and the weights of its rows.
struct Point<'l> {
    z: Tensor<2>,
    y: Tensor<2>,
    weights: Option<Tensor<2>>,
    link: &'l Link,
}

impl Point<'_> {
    fn total(&self, terms: Tensor<2>) -> Tensor<1> {
        match &self.weights {
            Some(weights) => (terms * weights.clone()).sum(),
            None => terms.sum(),
        }
    }

    /// The largest `t ≤ limit` at which the conjugate is finite.
    fn reach(&self, loss: Loss, limit: f64) -> f64 {
        let (z, y) = (self.z.clone(), self.y.clone());
        // 1/t
        let needed = match loss {
            Loss::Squared | Loss::SquaredHinge => return limit,
            Loss::Huber { delta } => z.abs().div_scalar(delta),
            Loss::Quantile { level } => {
                let below = z.clone().neg().div_scalar(level);
                below.max_pair(z.div_scalar(1.0 - level))
            }
            Loss::Logistic => (y * z).neg(),
            Loss::Softmax => z.neg() / y.clamp_min(f32::MIN_POSITIVE),
        };
        let most = self.link.numbers(vec![needed.max()])[0];
        if most > 0.0 {
            limit.min(1.0 / most)
        } else {
            limit
        }
    }

    /// `loss*(t z) = ½ t² z² + t z y`, or `t z y` for the quantile loss, as far as it is finite.
    fn parabola_bound(&self, loss: Loss, limit: f64) -> f64 {
        let limit = self.reach(loss, limit);
        let inner = self.total(self.z.clone() * self.y.clone());
        let squared = self.total(self.z.clone().square());
        let sums = self.link.numbers(vec![inner, squared]);
        let (inner, squared) = match loss {
            Loss::Quantile { .. } => (sums[0], 0.0),
            _ => (sums[0], sums[1]),
        };
        let t = if squared > 0.0 {
            (-inner / squared).clamp(0.0, limit)
        } else if inner < 0.0 && limit.is_finite() {
            limit
        } else {
            0.0
        };
        -0.5 * t * t * squared - t * inner
    }

    /// Bisection on the derivative of `−Σ loss*(t z)`, which falls in `t`.
    fn entropy_bound(&self, loss: Loss, limit: f64) -> f64 {
        let most = self.reach(loss, limit);
        if !most.is_finite() || most <= 0.0 {
            return self.entropy(loss, 0.0, false);
        }
        let (mut low, mut high) = (0.0, most);
        let mut t = most.min(1.0);
        for _ in 0..HALVINGS {
            match self.entropy(loss, t, true) >= 0.0 {
                true => low = t,
                false => high = t,
            }
            if high - low <= 1e-7 * high {
                break;
            }
            t = 0.5 * (low + high);
        }
        self.entropy(loss, if low > 0.0 { low } else { t }, false)
    }

    /// `−Σ loss*(t z)`, or its derivative in `t`.
    fn entropy(&self, loss: Loss, t: f64, derivative: bool) -> f64 {
        let log = |q: Tensor<2>| q.clamp_min(f32::MIN_POSITIVE).log();
        let terms = match loss {
            // Σ q log q with q = y + t z, whose sum does not change with t
            Loss::Softmax => {
                let q = (self.y.clone() + self.z.clone().mul_scalar(t)).clamp_min(0.0);
                match derivative {
                    true => self.z.clone() * log(q),
                    false => q.clone() * log(q),
                }
            }
            // s log s + (1 − s) log(1 − s) with s = −t y z
            _ => {
                let slope = (self.y.clone() * self.z.clone()).neg();
                let s = slope.clone().mul_scalar(t);
                let other = s.clone().neg().add_scalar(1.0).clamp_min(0.0);
                match derivative {
                    true => slope * (log(s) - log(other)),
                    false => s.clone() * log(s) + other.clone() * log(other),
                }
            }
        };
        -self.link.numbers(vec![self.total(terms)])[0]
    }
}
