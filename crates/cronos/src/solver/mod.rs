//! The u-step: three ways to solve `(I ⊗ M + c FᵀF) u = b`, one interface.

mod assemble;
mod choice;
mod direct;
mod metric;
#[cfg(feature = "device")]
mod parts;
mod primal_pcg;
mod roots;
mod sample_pcg;
mod sample_space;
mod shared;
mod stiff;
#[cfg(test)]
mod tests;

pub use choice::{Choice, Solver};
pub(crate) use choice::{Shape, choose};
pub(crate) use direct::Direct;
pub(crate) use metric::Kappa;
#[cfg(feature = "device")]
pub(crate) use metric::Metric;
#[cfg(feature = "device")]
pub(crate) use parts::{InnerParts, Parts, SampleParts};
pub(crate) use primal_pcg::PrimalPcg;
pub(crate) use sample_pcg::SamplePcg;
#[cfg(feature = "device")]
pub(crate) use sample_pcg::shift;
pub(crate) use stiff::Stiff;

use crate::Error;
use crate::engine::{Engine, RowState, Workspace};
use crate::loss::Loss;
use crate::nystrom::Rank;
use crate::real::Real;

/// Solves the linear system of the u-step.
pub(crate) trait USolver<T: Real>: Send {
    /// Makes `c` the weight of `FᵀF`.
    fn set_weight(
        &mut self,
        engine: &Engine<'_, T>,
        weight: f64,
        work: &mut Workspace<T>,
    ) -> Result<(), Error>;

    /// Makes `H` the curvature of a loss: `c FᵀHF` in the place of `c FᵀF`.
    /// `refresh` says whether the preconditioner shall follow.
    ///
    /// curvature: n x C, column by column
    fn set_curvature(
        &mut self,
        _engine: &Engine<'_, T>,
        _loss: Loss,
        _curvature: &[T],
        _refresh: bool,
        _work: &mut Workspace<T>,
    ) -> Result<(), Error> {
        Err(Error::Numerical(
            "a loss with varying curvature in the u-step needs the solver primal-pcg".into(),
        ))
    }

    /// Makes `κ_g I + Xᵀ R_g X` the matrix of each group in the place of `M`, with
    /// `R` the stiffness of the slacks.
    ///
    /// kappa: one for each group of every output
    fn set_stiffness(
        &mut self,
        _engine: &Engine<'_, T>,
        _kappa: &[f64],
        _state: &RowState<T>,
        _work: &mut Workspace<T>,
    ) -> Result<(), Error> {
        Err(Error::Numerical(
            "splits with a stiffness of their own need a solver in sample space".into(),
        ))
    }

    /// `u ← (I ⊗ M + c FᵀF)⁻¹ b` with an error `√κ ‖u − exact‖ ≤ tolerance`,
    /// from a warm start; returns the inner iterations it took.
    fn solve(
        &mut self,
        engine: &Engine<'_, T>,
        b: &[T],
        u: &mut [T],
        tolerance: f64,
        work: &mut Workspace<T>,
    ) -> usize;

    /// What the next solve starts from, beside `u`.
    fn memory(&self) -> &[T] {
        &[]
    }

    /// Takes that on, if it fits.
    fn set_memory(&mut self, _memory: &[T]) {}

    /// `κ` in `M = κI + XᵀX`, alike for all groups, as it was built.
    fn kappa(&self) -> f64 {
        1.0
    }

    /// Rank of its preconditioner, if it has one.
    fn rank(&self) -> Option<usize> {
        None
    }

    /// What it is made of.
    #[cfg(feature = "device")]
    fn parts(&self) -> Parts<'_, T>;
}

/// What the solvers are built with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Build {
    pub outputs: usize,
    pub weight: f64,
    pub kappa: Kappa,
    pub rank: Rank,
    pub seed: u64,
    pub most_inner: usize,
}

/// Builds the chosen solver.
pub(crate) fn build<T: Real>(
    solver: Solver,
    engine: &Engine<'_, T>,
    settings: Build,
    work: &mut Workspace<T>,
) -> Result<Box<dyn USolver<T>>, Error> {
    Ok(match solver {
        Solver::Direct | Solver::Auto => Box::new(Direct::new(engine, settings)?),
        Solver::SamplePcg => Box::new(SamplePcg::new(engine, settings, work)?),
        Solver::PrimalPcg => Box::new(PrimalPcg::new(engine, settings, work)?),
    })
}
