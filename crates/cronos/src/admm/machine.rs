//! What the loop asks of whoever holds its state: the processor, or a device.

use super::shrink::{Groups, ShrinkSums};
use crate::Error;
use crate::engine::{Candidate, Engine, Evaluation, OutputBound, RowState, SweepStep, SweepSums};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::solver::{Build, Solver};
use std::ops::Range;

/// What a machine starts from.
pub(crate) struct Start<'a, 's, T> {
    pub engine: Engine<'a, T>,
    pub y: &'a Matrix<T>,
    pub solver: Solver,
    pub build: Build,
    pub step: &'s SweepStep,
    /// For devices: the groups, the highest rank of a sketch, and the bytes that they have.
    #[cfg_attr(not(feature = "device"), allow(dead_code))]
    pub groups: &'s Groups,
    #[cfg_attr(not(feature = "device"), allow(dead_code))]
    pub rank: usize,
    #[cfg_attr(not(feature = "device"), allow(dead_code))]
    pub limit: Option<u64>,
    /// Who solves once splits have a stiffness of their own, if they get one.
    #[cfg_attr(not(feature = "device"), allow(dead_code))]
    pub stiff: Option<Solver>,
}

/// What a device was planned to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residence {
    /// Bytes on the device.
    pub planned_bytes: u64,
    /// Rows whose features do not fit there and are sent for every product.
    pub streamed_rows: usize,
}

/// A point that a machine holds.
#[derive(Clone, Copy)]
pub(crate) enum Point {
    /// `u`
    Solved,
    /// `v`
    Shrunk,
}

/// Arrays that [`Machine::state`] gives.
pub(super) const ARRAYS: usize = 9;

/// Holds `u`, `b = v + λ`, `a = s + ν`, `e = f + μ` and the right-hand side of the u-step, and moves
/// them. Only sums cross over in an iteration.
pub(crate) trait Machine<T> {
    /// Solves the u-step with an error of at most `tolerance`; returns the inner iterations it took.
    fn solve(&mut self, tolerance: f64) -> usize;

    /// How stiffly its solver holds all groups to begin with.
    fn kappa(&self) -> f64;

    /// The norm of its right-hand side.
    fn right_norm(&self) -> f64;

    /// `‖u_g‖` of every group.
    fn group_norms(&self) -> Vec<f64>;

    /// `u ← 0`, and the row space as it is there.
    fn reset(&mut self, step: &SweepStep);

    /// The feature-space half of a step; begins the next right-hand side.
    fn shrink(&mut self, groups: &Groups, relaxation: f64) -> ShrinkSums;

    /// The row-space half of a step; ends the next right-hand side.
    fn sweep(&mut self, step: &SweepStep) -> SweepSums;

    /// Follows new thresholds and stiffness of the groups; begins the right-hand side anew.
    fn rescale_groups(&mut self, before: &Groups, after: &Groups);

    /// Multiplies the multipliers of the rows by `ratio = ρ_old / ρ_new`.
    fn rescale_rows(&mut self, step: &SweepStep, ratio: f64);

    /// Ends a right-hand side that was begun anew.
    fn refresh(&mut self, step: &SweepStep);

    /// Makes `c` the weight of `FᵀF`.
    fn set_weight(&mut self, weight: f64) -> Result<(), Error>;

    /// Makes the curvature of the loss at the present `F u` that of the u-step; `refresh` says
    /// whether a preconditioner shall follow.
    fn follow_curvature(&mut self, loss: Loss, refresh: bool) -> Result<(), Error>;

    /// Makes slacks that push against their cone stiff and the others soft.
    fn stiffen_rows(&mut self, stiff: f64, soft: f64);

    /// Gives each group a stiffness of its own in the u-step, which `by` solves from now on.
    fn set_stiffness(&mut self, by: Solver, kappa: &[f64]) -> Result<(), Error>;

    /// A point in double precision.
    fn point(&self, which: Point, groups: &Groups) -> Candidate;

    /// Objective, violation and the objective of the recovered network.
    fn evaluate(&self, candidate: &[f64], step: &SweepStep, beta: f64) -> Evaluation;

    /// What the multipliers prove about some outputs.
    fn lower_bound(&self, step: &SweepStep, beta: f64, outputs: Range<usize>) -> OutputBound;

    /// The dual point behind it.
    fn dual(
        &self,
        bound: &OutputBound,
        step: &SweepStep,
        outputs: Range<usize>,
    ) -> (Vec<f64>, Vec<f64>);

    /// Takes on splits and multipliers.
    fn take(&mut self, b: Vec<T>, rows: RowState<T>);

    /// Gives its splits and multipliers away.
    fn leave(&mut self) -> (Vec<T>, RowState<T>);

    /// All that the steps to come depend on; nothing from a machine that keeps no state.
    fn state(&self) -> Option<[Vec<T>; ARRAYS]> {
        None
    }

    /// Whether it could take such a state on.
    fn fits(&self, _state: &[Vec<T>]) -> bool {
        false
    }

    /// Takes such a state on, solved by `by` if groups have a stiffness.
    fn set_state(
        &mut self,
        _state: Vec<Vec<T>>,
        _by: Option<Solver>,
        _kappa: &[f64],
    ) -> Result<(), Error> {
        Ok(())
    }

    /// Rank of its preconditioner, if it has one.
    fn rank(&self) -> Option<usize>;

    /// Distance from 1 to the next number that it computes with.
    fn epsilon(&self) -> f64;

    /// Whether [`estimate`](Self::estimate), [`estimate_bounds`](Self::estimate_bounds) and
    /// [`kept`](Self::kept) have an answer: with a machine that computes more quickly than what
    /// the processor can evaluate exactly.
    fn estimates(&self) -> bool {
        false
    }

    /// What a point is worth, up to the precision of the machine.
    fn estimate(&self, _which: Point, _step: &SweepStep, _beta: f64) -> Option<Evaluation> {
        None
    }

    /// What the multipliers prove about each set of outputs, up to its precision. Those that are no
    /// worse than the best so far are remembered: [`lower_bound`](Self::lower_bound) and
    /// [`dual`](Self::dual) are about them.
    fn estimate_bounds(&mut self, _: &SweepStep, _beta: f64, _best: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// Remembers a point in place of the one before.
    fn keep(&mut self, _which: Point) {}

    /// The point that it remembers.
    fn kept(&self) -> Option<Candidate> {
        None
    }

    /// Why it cannot go on, if it cannot.
    fn failure(&self) -> Option<Error> {
        None
    }

    /// What it holds, of a device.
    fn residence(&self) -> Option<Residence> {
        None
    }
}
