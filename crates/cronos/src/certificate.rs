//! The certificate: how close to the optimum a result is, provably.

/// A dual feasible point of the convex program and so a proof of a lower bound.
///
/// For the squared loss the bound is `Σ_c −½‖z_c‖² − z_cᵀ y_c`; it holds because
/// `‖F_gᵀ z − G_gᵀ α_g‖ ≤ β` for every group `g` and `α ≥ 0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dual {
    /// Number of rows, `n`.
    pub rows: usize,
    /// `z`: n x C, column by column.
    pub loss: Vec<f64>,
    /// `α`: n x (2 P C), column by column; empty for the gated activation.
    pub cone: Vec<f64>,
}

/// How good a point is and how good any point can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// `loss(F u) + β Σ ‖u_g‖` of the returned weights.
    pub objective: f64,
    /// No feasible point of the convex program has a lower objective than this.
    pub lower_bound: f64,
    /// `|objective − lower_bound| / |objective|`; 0 when both are 0.
    pub gap: f64,
    /// The largest amount by which a pre-activation lies on the wrong side of
    /// its gate, relative to the largest target: `max (−G u)_+ / max |Y|`.
    pub violation: f64,
    /// The objective of the recovered network itself, which is not convex.
    pub network_objective: f64,
}

/// `|objective − bound| / |objective|`; absolute, because a point outside its
/// cones can lie below the bound.
pub(crate) fn relative_gap(objective: f64, bound: f64) -> f64 {
    let difference = (objective - bound).abs();
    if difference == 0.0 {
        0.0
    } else {
        difference / objective.abs().max(f64::MIN_POSITIVE)
    }
}
