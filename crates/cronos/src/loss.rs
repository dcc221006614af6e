//! Losses, each through its value, its gradient and its prox.

use crate::real::Real;

/// What is minimised over the training rows. The loss of a data set is a sum
/// over rows and outputs, not a mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// `½ (f − y)²`
    #[default]
    Squared,
}

impl Loss {
    /// The name a user types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squared => "squared",
        }
    }

    /// The loss of one prediction.
    pub fn value(self, prediction: f64, target: f64) -> f64 {
        match self {
            Self::Squared => 0.5 * (prediction - target).powi(2),
        }
    }

    /// Its derivative in the prediction.
    pub fn gradient(self, prediction: f64, target: f64) -> f64 {
        match self {
            Self::Squared => prediction - target,
        }
    }

    /// `argmin_f  loss(f) + (weight/2) (f − e)²`
    #[inline(always)]
    pub(crate) fn prox<T: Real>(self, e: T, target: T, weight: T) -> T {
        match self {
            Self::Squared => (weight * e + target) / (weight + T::ONE),
        }
    }

    /// The best lower bound on one output column's optimum that a scaled dual
    /// point gives: the `t` in `0 ≤ t ≤ limit` that maximises `−loss*(t z)`,
    /// and that maximum; `loss*` is the conjugate summed over rows.
    ///
    /// The squared loss has `loss*(z) = ½‖z‖² + zᵀy`, a parabola in `t` with
    /// its top at `t = −zᵀy/‖z‖²`.
    pub(crate) fn dual_bound(self, z_squared: f64, z_dot_target: f64, limit: f64) -> (f64, f64) {
        match self {
            Self::Squared => {
                if z_squared == 0.0 {
                    return (0.0, 0.0);
                }
                let t = (-z_dot_target / z_squared).clamp(0.0, limit);
                (t, -0.5 * t * t * z_squared - t * z_dot_target)
            }
        }
    }
}
