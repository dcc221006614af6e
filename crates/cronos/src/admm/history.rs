//! What happened at every iteration.

use crate::certificate::Certificate;

/// One iteration of ADMM.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// Counted from 1.
    pub number: usize,
    /// Objective of `u`, which may lie outside its cones.
    pub objective: f64,
    /// Cone violation of `u`, relative to the largest target.
    pub violation: f64,
    /// `‖(u − v, Gu − s, √c (Fu − f))‖`; the paper's split has no `f`.
    pub primal_residual: f64,
    /// `ρ ‖(v − v_old, s − s_old, √c (f − f_old))‖`; the paper's split has no `f`.
    pub dual_residual: f64,
    /// The larger norm of the two sides the primal residual compares.
    pub primal_norm: f64,
    /// Norm of the multipliers, `ρ ‖(λ, ν, √c μ)‖`.
    pub dual_norm: f64,
    /// Best lower bound so far: proved, or on a device estimated in single precision.
    pub lower_bound: f64,
    /// `|objective − lower_bound| / |objective|` of `u`.
    pub gap: f64,
    /// Penalty parameter of this iteration.
    pub rho: f64,
    /// Inner iterations of the u-step; 0 for the direct solver.
    pub inner_iterations: usize,
    /// The certificate of `v`, at the iterations where it was computed; on a device an estimate in
    /// single precision, but where it says that the run is over.
    pub certificate: Option<Certificate>,
    /// Seconds this iteration took.
    pub seconds: Seconds,
}

impl Iteration {
    /// The primal residual over its norm.
    pub fn primal_relative(&self) -> f64 {
        ratio(self.primal_residual, self.primal_norm)
    }

    /// The dual residual over its norm.
    pub fn dual_relative(&self) -> f64 {
        ratio(self.dual_residual, self.dual_norm)
    }
}

fn ratio(residual: f64, norm: f64) -> f64 {
    if norm > 0.0 {
        residual / norm
    } else {
        residual
    }
}

/// Wall-clock seconds by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Reduction, factorisation, sketch.
    pub setup: f64,
    /// Linear systems of the u-step.
    pub solve: f64,
    /// The pass over the rows, shrinkage and residuals.
    pub sweep: f64,
    /// Certificates.
    pub check: f64,
}

impl Seconds {
    /// All phases together.
    pub fn total(&self) -> f64 {
        self.setup + self.solve + self.sweep + self.check
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.setup += other.setup;
        self.solve += other.solve;
        self.sweep += other.sweep;
        self.check += other.check;
    }
}
