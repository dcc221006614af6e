//! Losses, each through its value, its gradient, its prox and its conjugate.
//!
//! Every function here speaks of one row: `C` predictions and `C` targets. The
//! loss of a data set is the sum over its rows, each times its weight, not a mean.

mod bound;
mod logistic;
mod softmax;
#[cfg(test)]
mod tests;

pub(crate) use bound::{DualRows, Row};
pub(crate) use softmax::probabilities;

use crate::Error;
use crate::matrix::Matrix;
use crate::real::Real;

/// What is minimised over the training rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// `½ (f − y)²`
    #[default]
    Squared,
    /// `log(1 + exp(−y f))`, for targets −1 and 1.
    Logistic,
    /// `log Σ_c exp f_c − Σ_c y_c f_c`, for targets that are probabilities; the
    /// outputs of a row are coupled.
    Softmax,
    /// `½ r²` where `|r| = |f − y| ≤ δ`, and `δ |r| − ½ δ²` beyond.
    Huber {
        /// `δ > 0`: errors larger than this count linearly.
        delta: f64,
    },
    /// `½ max(0, 1 − y f)²`, for targets −1 and 1.
    SquaredHinge,
    /// `τ (y − f)` below the target and `(1 − τ)(f − y)` above it.
    Quantile {
        /// `0 < τ < 1`: the fraction of targets that shall lie below the prediction.
        level: f64,
    },
}

impl Loss {
    /// The name a user types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squared => "squared",
            Self::Logistic => "logistic",
            Self::Softmax => "softmax",
            Self::Huber { .. } => "huber",
            Self::SquaredHinge => "squared-hinge",
            Self::Quantile { .. } => "quantile",
        }
    }

    /// Whether the outputs of a row enter together rather than as a sum.
    pub fn couples_outputs(self) -> bool {
        self == Self::Softmax
    }

    /// Whether its gradient is continuous.
    pub fn is_smooth(self) -> bool {
        !matches!(self, Self::Quantile { .. })
    }

    /// Refuses parameters out of range and targets the loss has no meaning for.
    pub fn check<T: Real>(self, y: &Matrix<T>) -> Result<(), Error> {
        match self {
            Self::Huber { delta } if !(delta > 0.0 && delta.is_finite()) => {
                let expected = "finite and greater than 0";
                return Err(Error::setting("huber delta", delta, expected));
            }
            Self::Quantile { level } if !(level > 0.0 && level < 1.0) => {
                let expected = "greater than 0 and less than 1";
                return Err(Error::setting("quantile level", level, expected));
            }
            _ => {}
        }
        for i in 0..y.rows() {
            if let Some(wanted) = self.objection(y.row(i)) {
                let targets: Vec<f64> = y.row(i).iter().map(|y| y.wide()).collect();
                return Err(Error::Data(format!(
                    "row {} has the target {targets:?}, but the {} loss needs {wanted}",
                    i + 1,
                    self.name()
                )));
            }
        }
        Ok(())
    }

    /// What the targets of a row should be, if they are not.
    fn objection<T: Real>(self, y: &[T]) -> Option<&'static str> {
        match self {
            Self::Logistic | Self::SquaredHinge => y
                .iter()
                .any(|y| y.wide().abs() != 1.0)
                .then_some("-1 or 1; encode two classes that way, or use squared"),
            Self::Softmax => {
                let total: f64 = y.iter().map(|y| y.wide()).sum();
                let valid = y.iter().all(|y| y.wide() >= 0.0) && (total - 1.0).abs() <= 1e-6;
                (!valid || y.len() < 2)
                    .then_some("one output per class, not negative, with the sum 1")
            }
            _ => None,
        }
    }

    /// The loss of one row.
    pub fn value(self, prediction: &[f64], target: &[f64]) -> f64 {
        if self == Self::Softmax {
            return softmax::value(prediction, target);
        }
        let pairs = prediction.iter().zip(target);
        pairs.map(|(&f, &y)| self.scalar_value(f, y)).sum()
    }

    fn scalar_value(self, f: f64, y: f64) -> f64 {
        match self {
            Self::Squared => 0.5 * (f - y) * (f - y),
            Self::Logistic => logistic::value(y * f),
            Self::Huber { delta } => {
                let r = (f - y).abs();
                if r <= delta {
                    0.5 * r * r
                } else {
                    delta * r - 0.5 * delta * delta
                }
            }
            Self::SquaredHinge => 0.5 * (1.0 - y * f).max(0.0).powi(2),
            Self::Quantile { level } => (level * (y - f)).max((level - 1.0) * (y - f)),
            Self::Softmax => 0.0,
        }
    }

    /// Both at once, which costs no more exponentials than one of them.
    pub(crate) fn value_and_gradient(
        self,
        prediction: &[f64],
        target: &[f64],
        out: &mut [f64],
    ) -> f64 {
        match self {
            Self::Softmax => softmax::value_and_gradient(prediction, target, out),
            Self::Logistic => {
                let mut sum = 0.0;
                for ((out, &f), &y) in out.iter_mut().zip(prediction).zip(target) {
                    let (value, chance) = logistic::value_and_miss(y * f);
                    sum += value;
                    *out = -y * chance;
                }
                sum
            }
            _ => {
                self.gradient(prediction, target, out);
                self.value(prediction, target)
            }
        }
    }

    /// Its gradient in the predictions; for the quantile loss a subgradient.
    pub fn gradient(self, prediction: &[f64], target: &[f64], out: &mut [f64]) {
        if self == Self::Softmax {
            return softmax::gradient(prediction, target, out);
        }
        for ((out, &f), &y) in out.iter_mut().zip(prediction).zip(target) {
            *out = match self {
                Self::Squared => f - y,
                Self::Logistic => -y * logistic::sigmoid(-y * f),
                Self::Huber { delta } => (f - y).clamp(-delta, delta),
                Self::SquaredHinge => -y * (1.0 - y * f).max(0.0),
                Self::Quantile { level } if f == y => 0.5 - level,
                Self::Quantile { level } => f64::from(f > y) - level,
                Self::Softmax => 0.0,
            };
        }
    }

    /// The curvature of the quadratic model of the loss for each output; softmax
    /// couples them as `diag(p) − p pᵀ`, of which this is `p`.
    pub(crate) fn curvature(self, prediction: &[f64], target: &[f64], out: &mut [f64]) {
        if self == Self::Softmax {
            return softmax::probabilities(prediction, out);
        }
        for ((out, &f), &y) in out.iter_mut().zip(prediction).zip(target) {
            *out = match self {
                Self::Logistic => logistic::sigmoid(f) * logistic::sigmoid(-f),
                // δ/|r| is the curvature of the parabola that touches at ±r
                Self::Huber { delta } => (delta / (f - y).abs()).min(1.0),
                _ => 1.0,
            };
        }
    }

    /// No second derivative in one direction exceeds this; a guess for the
    /// quantile loss, which has a kink.
    pub(crate) fn largest_curvature(self) -> f64 {
        match self {
            Self::Logistic => 0.25,
            Self::Softmax => 0.5,
            _ => 1.0,
        }
    }

    /// `H f` for the curvature of one row, in place.
    pub(crate) fn apply_curvature<T: Real>(self, curvature: impl Fn(usize) -> T, f: &mut [T]) {
        let mean = match self {
            Self::Softmax => (0..f.len()).map(|c| curvature(c) * f[c]).sum(),
            _ => T::ZERO,
        };
        for (c, f) in f.iter_mut().enumerate() {
            *f = curvature(c) * (*f - mean);
        }
    }

    /// `argmin_f  loss(f) + (weight/2) ‖f − e‖²`; `scratch` holds `3 C` numbers.
    pub(crate) fn prox<T: Real>(
        self,
        e: &[T],
        target: &[T],
        weight: f64,
        f: &mut [T],
        scratch: &mut [f64],
    ) {
        if self == Self::Softmax {
            return softmax::prox(e, target, weight, f, scratch);
        }
        for ((f, &e), &y) in f.iter_mut().zip(e).zip(target) {
            *f = self.scalar_prox(e, y, weight);
        }
    }

    #[inline(always)]
    fn scalar_prox<T: Real>(self, e: T, y: T, weight: f64) -> T {
        let w = T::of(weight);
        match self {
            Self::Squared => (w * e + y) / (w + T::ONE),
            Self::Logistic => {
                let y = y.wide();
                T::of(y * logistic::prox(y * e.wide(), weight))
            }
            Self::Huber { delta } => {
                // the residual shrinks by the slope, which is at most δ
                let r = (e - y).wide();
                let slope = (weight * r / (weight + 1.0)).clamp(-delta, delta);
                T::of(e.wide() - slope / weight)
            }
            Self::SquaredHinge => {
                let margin = (y * e).wide();
                if margin >= 1.0 {
                    e
                } else {
                    y * T::of((weight * margin + 1.0) / (weight + 1.0))
                }
            }
            Self::Quantile { level } => {
                // e moved towards y by τ/w from below, (1 − τ)/w from above
                let (e, y) = (e.wide(), y.wide());
                T::of(
                    y + (e - y - (1.0 - level) / weight).max(0.0)
                        + (e - y + level / weight).min(0.0),
                )
            }
            Self::Softmax => e,
        }
    }

    /// The subgradient at `f = prox(e)` that the prox chose, `weight (e − f)`.
    ///
    /// A smooth loss has only its gradient there, which is free of the rounding
    /// of `f` and lies where the conjugate is finite.
    pub(crate) fn dual_point(
        self,
        e: &[f64],
        f: &[f64],
        target: &[f64],
        weight: f64,
        out: &mut [f64],
    ) {
        match self {
            Self::Quantile { level } => {
                for ((out, e), f) in out.iter_mut().zip(e).zip(f) {
                    *out = (weight * (e - f)).clamp(-level, 1.0 - level);
                }
            }
            _ => self.gradient(f, target, out),
        }
    }

    /// `sup_f  z·f − loss(f)`; infinite where there is no supremum.
    pub fn conjugate(self, z: &[f64], target: &[f64]) -> f64 {
        if self == Self::Softmax {
            return softmax::conjugate(z, target);
        }
        let pairs = z.iter().zip(target);
        pairs.map(|(&z, &y)| self.scalar_conjugate(z, y)).sum()
    }

    fn scalar_conjugate(self, z: f64, y: f64) -> f64 {
        if z.abs() > self.reach(z.signum(), y) {
            return f64::INFINITY;
        }
        match self {
            Self::Logistic => logistic::conjugate(-y * z),
            Self::Quantile { .. } => z * y,
            _ => 0.5 * z * z + z * y,
        }
    }

    /// The largest `t` for which the conjugate is finite at `t z`.
    fn reach(self, z: f64, y: f64) -> f64 {
        let limit = match self {
            Self::Logistic if -y * z >= 0.0 => 1.0,
            Self::SquaredHinge if -y * z >= 0.0 => f64::INFINITY,
            Self::Logistic | Self::SquaredHinge => 0.0,
            Self::Huber { delta } => delta,
            Self::Quantile { level } if z < 0.0 => level,
            Self::Quantile { level } => 1.0 - level,
            Self::Squared | Self::Softmax => f64::INFINITY,
        };
        if z == 0.0 {
            f64::INFINITY
        } else {
            limit / z.abs()
        }
    }
}
