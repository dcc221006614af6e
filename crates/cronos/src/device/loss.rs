//! Losses on thin arrays, rows x C, in the terms of `crate::loss`.

use super::link::Link;
use crate::loss::Loss;
use burn::tensor::Tensor;

/// Newton steps of a prox without a formula, and between looks at how far it is.
const STEPS: usize = 200;
const LOOK: usize = 10;
/// A step this short, relative to the largest number, is the last.
const SHORT: f64 = 1e-6;

type Thin = Tensor<2>;

/// The loss of each row: rows x 1.
pub(super) fn value(loss: Loss, f: Thin, y: Thin) -> Thin {
    let each = match loss {
        Loss::Squared => (f - y).square().mul_scalar(0.5),
        // log(1 + exp(−m)), without overflow
        Loss::Logistic => {
            let m = f * y;
            m.clone().neg().clamp_min(0.0) + m.abs().neg().exp().log1p()
        }
        Loss::Huber { delta } => {
            let r = (f - y).abs();
            let inner = r.clone().clamp_max(delta);
            inner.clone() * (r - inner.mul_scalar(0.5))
        }
        Loss::SquaredHinge => (f * y).neg().add_scalar(1.0).clamp_min(0.0).square() * 0.5,
        Loss::Quantile { level } => {
            let r = y - f;
            (r.clone() * level).max_pair(r * (level - 1.0))
        }
        Loss::Softmax => {
            let f = f.clone() - f.max_dim(1);
            return f.clone().exp().sum_dim(1).log() - (f * y).sum_dim(1);
        }
    };
    each.sum_dim(1)
}

/// Its gradient in the predictions.
pub(super) fn gradient(loss: Loss, f: Thin, y: Thin) -> Thin {
    match loss {
        Loss::Squared => f - y,
        Loss::Logistic => {
            let miss = sigmoid((y.clone() * f).neg());
            (y * miss).neg()
        }
        Loss::Huber { delta } => (f - y).clamp(-delta, delta),
        Loss::SquaredHinge => {
            let short = (f * y.clone()).neg().add_scalar(1.0).clamp_min(0.0);
            (y * short).neg()
        }
        Loss::Quantile { level } => (f - y).sign().mul_scalar(0.5).add_scalar(0.5 - level),
        Loss::Softmax => probabilities(f) - y,
    }
}

/// The curvature of its quadratic model; of softmax `p`.
pub(super) fn curvature(loss: Loss, f: Thin, y: Thin) -> Thin {
    match loss {
        Loss::Logistic => {
            let chance = sigmoid(f);
            chance.clone() * chance.neg().add_scalar(1.0)
        }
        Loss::Huber { delta } => {
            let r = (f - y).abs().clamp_min(1e-30);
            r.recip().mul_scalar(delta).clamp_max(1.0)
        }
        Loss::Softmax => probabilities(f),
        _ => f.ones_like(),
    }
}

/// `H f` for these curvatures.
pub(super) fn apply_curvature(loss: Loss, curvature: Thin, f: Thin) -> Thin {
    match loss {
        Loss::Softmax => {
            let mean = (curvature.clone() * f.clone()).sum_dim(1);
            curvature * (f - mean)
        }
        _ => curvature * f,
    }
}

/// `argmin_f  loss(f) + (w/2) ‖f − e‖²`
pub(super) fn prox(loss: Loss, e: Thin, y: Thin, w: f64, link: &Link) -> Thin {
    match loss {
        Loss::Squared => (e.mul_scalar(w) + y).div_scalar(w + 1.0),
        Loss::Logistic => {
            let margin = prox_logistic(e * y.clone(), w, link);
            y * margin
        }
        Loss::Huber { delta } => {
            let slope = (e.clone() - y).mul_scalar(w / (w + 1.0));
            e - slope.clamp(-delta, delta).div_scalar(w)
        }
        Loss::SquaredHinge => {
            let margin = e * y.clone();
            let met = margin.clone().greater_equal_elem(1.0);
            let short = margin.clone().mul_scalar(w).add_scalar(1.0) / (w + 1.0);
            y * short.mask_where(met, margin)
        }
        Loss::Quantile { level } => {
            let r = e - y.clone();
            let above = r.clone().sub_scalar((1.0 - level) / w).clamp_min(0.0);
            y + above + r.add_scalar(level / w).clamp_max(0.0)
        }
        Loss::Softmax => prox_softmax(e, y, w, link),
    }
}

/// Newton's method for `w (m − e) = σ(−m)`, kept between `e` and `e + 1/w`; a step that is not half as
/// long as the one before goes to the middle instead, or it might go to and fro.
fn prox_logistic(e: Thin, w: f64, link: &Link) -> Thin {
    let (mut low, mut high) = (e.clone(), e.clone().add_scalar(1.0 / w));
    let mut m = e.clone() + sigmoid(e.clone().neg()) / (w + 0.25);
    let mut last = high.clone() - low.clone();
    for step in 1..=STEPS {
        let p = sigmoid(m.clone().neg());
        let slope = (m.clone() - e.clone()).mul_scalar(w) - p.clone();
        let above = slope.clone().greater_elem(0.0);
        high = high.mask_where(above.clone(), m.clone());
        low = m.clone().mask_where(above, low);
        let curvature = (p.clone() * p.neg().add_scalar(1.0)).add_scalar(w);
        let newton = m.clone() - slope / curvature;
        let length = (newton.clone() - m.clone()).abs();
        let outside =
            (newton.clone().lower(low.clone())).bool_or(newton.clone().greater(high.clone()));
        let room = m.clone().abs().add_scalar(1.0).mul_scalar(SHORT);
        let long = length.greater(last.mul_scalar(0.5).max_pair(room));
        let middle = (low.clone() + high.clone()).mul_scalar(0.5);
        let next = newton.mask_where(outside.bool_or(long), middle);
        let moved = next.clone() - m;
        m = next;
        last = moved.clone().abs();
        if step % LOOK == 0 && settled(moved, m.clone(), link) {
            break;
        }
    }
    m
}

/// A damped Newton method; the formulas stand at the loss itself.
fn prox_softmax(e: Thin, y: Thin, w: f64, link: &Link) -> Thin {
    let mut f = e.clone();
    for step in 1..=STEPS {
        let p = probabilities(f.clone());
        let gradient = p.clone() - y.clone() + (f.clone() - e.clone()).mul_scalar(w);
        let share = p.clone() / p.clone().add_scalar(w);
        let mut newton = gradient / p.clone().add_scalar(w);
        let pg = (p * newton.clone()).sum_dim(1);
        let pp = share.clone().mul_scalar(w).sum_dim(1);
        newton = newton + share * (pg / pp);
        let r = (newton.clone().square().sum_dim(1) * 2.0).sqrt();
        let r = r.clamp_min(1e-6);
        let moved = newton * (r.clone().log1p() / r);
        f = f - moved.clone();
        if step % LOOK == 0 && settled(moved, f.clone(), link) {
            break;
        }
    }
    f
}

/// Whether a step was short beside the numbers.
fn settled(moved: Thin, at: Thin, link: &Link) -> bool {
    let sizes = link.numbers(vec![moved.abs().max(), at.abs().max()]);
    // numbers that are none do not get better
    sizes[0] <= SHORT * (1.0 + sizes[1]) || sizes[0].is_nan()
}

fn probabilities(f: Thin) -> Thin {
    let e = (f.clone() - f.max_dim(1)).exp();
    e.clone() / e.sum_dim(1)
}

/// `1 / (1 + exp(−m))`
fn sigmoid(m: Thin) -> Thin {
    m.neg().exp().add_scalar(1.0).recip()
}
