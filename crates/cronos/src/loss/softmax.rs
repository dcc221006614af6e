//! Softmax cross-entropy: `log Σ_c exp f_c − Σ_c y_c f_c`.

use super::logistic::entropy;
use crate::real::Real;

/// The largest prediction and `log Σ exp(f − largest)`.
fn log_sum(f: &[f64]) -> (f64, f64) {
    let largest = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = f.iter().map(|f| (f - largest).exp()).sum();
    (largest, sum.ln())
}

pub(super) fn value(f: &[f64], y: &[f64]) -> f64 {
    let (largest, log) = log_sum(f);
    let own: f64 = f.iter().zip(y).map(|(f, y)| y * (f - largest)).sum();
    log - own
}

/// `p_c = exp f_c / Σ exp f`
pub(crate) fn probabilities(f: &[f64], p: &mut [f64]) {
    let (largest, log) = log_sum(f);
    for (p, f) in p.iter_mut().zip(f) {
        *p = (f - largest - log).exp();
    }
}

/// `p − y`
pub(super) fn gradient(f: &[f64], y: &[f64], out: &mut [f64]) {
    probabilities(f, out);
    for (out, y) in out.iter_mut().zip(y) {
        *out -= y;
    }
}

pub(super) fn value_and_gradient(f: &[f64], y: &[f64], out: &mut [f64]) -> f64 {
    let largest = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut own) = (0.0, 0.0);
    for ((out, f), y) in out.iter_mut().zip(f).zip(y) {
        *out = (f - largest).exp();
        sum += *out;
        own += y * (f - largest);
    }
    for (out, y) in out.iter_mut().zip(y) {
        *out = *out / sum - y;
    }
    sum.ln() - own
}

/// `Σ q log q` for `q = z + y` among the probabilities.
pub(super) fn conjugate(z: &[f64], y: &[f64]) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (z, y) in z.iter().zip(y) {
        let q = z + y;
        // rounding may leave a probability just below zero
        if q < -1e-12 {
            return f64::INFINITY;
        }
        total += q;
        sum += entropy(q);
    }
    if (total - 1.0).abs() > 1e-6 {
        return f64::INFINITY;
    }
    sum
}

/// `argmin_f  loss(f) + (w/2) ‖f − e‖²`, by a damped Newton method.
///
/// The Hessian is `diag(p + w) − p pᵀ`, so a step costs a few sums:
/// `step = D⁻¹g + D⁻¹p (pᵀD⁻¹g) / (1 − pᵀD⁻¹p)` with `D = diag(p + w)` and
/// `1 − pᵀD⁻¹p = Σ p w/(p + w)`. The third derivative along `s` is at most
/// `√2 ‖s‖` times the second, so the length `log(1 + r)/r` with `r = √2 ‖step‖`
/// always descends.
pub(super) fn prox<T: Real>(e: &[T], target: &[T], w: f64, out: &mut [T], scratch: &mut [f64]) {
    let classes = e.len();
    let (f, rest) = scratch.split_at_mut(classes);
    let (p, rest) = rest.split_at_mut(classes);
    let step = &mut rest[..classes];
    for (f, e) in f.iter_mut().zip(e) {
        *f = e.wide();
    }
    for _ in 0..200 {
        probabilities(f, p);
        let (mut pg, mut pp) = (0.0, 0.0);
        for c in 0..classes {
            let gradient = p[c] - target[c].wide() + w * (f[c] - e[c].wide());
            step[c] = gradient / (p[c] + w);
            pg += p[c] * step[c];
            pp += p[c] * w / (p[c] + w);
        }
        let (mut squared, mut largest) = (0.0, 0.0f64);
        for c in 0..classes {
            step[c] += p[c] / (p[c] + w) * pg / pp;
            squared += step[c] * step[c];
            largest = largest.max(f[c].abs());
        }
        let r = (2.0 * squared).sqrt();
        let length = if r > 1e-8 { r.ln_1p() / r } else { 1.0 };
        for (f, step) in f.iter_mut().zip(step.iter()) {
            *f -= length * step;
        }
        // the error after a step this short is its square
        if r <= 1e-8 * (1.0 + largest) || !r.is_finite() {
            break;
        }
    }
    for (out, f) in out.iter_mut().zip(f.iter()) {
        *out = T::of(*f);
    }
}
