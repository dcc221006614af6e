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
    /// `‖(u − v, Gu − s, √c (Fu − f))‖`
    pub primal_residual: f64,
    /// `ρ ‖(v − v_old, s − s_old, √c (f − f_old))‖`
    pub dual_residual: f64,
    /// The primal residual over the norm of what it compares.
    pub primal_relative: f64,
    /// The dual residual over the norm of the multipliers.
    pub dual_relative: f64,
    /// Best lower bound proved so far.
    pub lower_bound: f64,
    /// `|objective − lower_bound| / |objective|` of `u`.
    pub gap: f64,
    /// Penalty parameter of this iteration.
    pub rho: f64,
    /// Inner iterations of the u-step; 0 for the direct solver.
    pub inner_iterations: usize,
    /// The certificate of `v`, at the iterations where it was computed.
    pub certificate: Option<Certificate>,
    /// Seconds this iteration took.
    pub seconds: Seconds,
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
