//! The loop: u-step, shrinkage, sweep over the rows, and the rule for ρ.

use super::checkpoint::Kept;
use super::closing::Closing;
use super::history::{Iteration, Seconds};
use super::machine::Machine;
use super::settings::{Settings, Split};
use super::shrink::{Groups, ShrinkSums};
use super::solve::Solution;
use super::status::Status;
use super::stiffness::Stiffening;
use crate::Error;
use crate::certificate::{Certificate, relative_gap};
use crate::engine::{Candidate, Evaluation, SweepStep, SweepSums};
use crate::loss::Loss;
use crate::memory::Plan;
use crate::real::Real;
use crate::reduction::Reduction;
use crate::solver::{Choice, Shape};
use std::ops::ControlFlow;
use std::time::Instant;

/// A run under way.
pub(super) struct Run<'a, T: Real> {
    pub(super) loss: Loss,
    pub(super) shape: Shape,
    /// The penalty of this run; that of the program is not looked at.
    pub(super) beta: f64,
    pub(super) settings: &'a Settings,
    pub(super) choice: Choice,
    pub(super) plan: Plan,
    /// Carries weights back to all features, when there are more than rows.
    pub(super) reduction: Option<&'a Reduction>,
    pub(super) machine: Box<dyn Machine<T> + 'a>,
    pub(super) step: SweepStep,
    pub(super) groups: Groups,
    /// How stiffly all groups are held to begin with.
    pub(super) kappa: f64,
    pub(super) stiffening: Stiffening,
    pub(super) closing: Closing,
    /// Whether ρ is still to be found.
    pub(super) fresh: bool,
    /// `max |Y|`
    pub(super) scale: f64,
    /// The candidate with the lowest objective; the machine may have it.
    pub(super) best: Option<(Evaluation, Option<Candidate>)>,
    /// That of the last `v` that was evaluated.
    pub(super) lagrangian: f64,
    /// Best lower bound on each set of coupled outputs, and the dual point behind
    /// it: `z`, `α`
    pub(super) bounds: Vec<f64>,
    /// The same if the machine is right about those that it estimated.
    pub(super) foreseen: Vec<f64>,
    pub(super) duals: Vec<(Vec<f64>, Vec<f64>)>,
    pub(super) history: Vec<Iteration>,
    pub(super) start: Instant,
    /// Seconds of the set-up, until a solution has taken them up.
    pub(super) setup_seconds: f64,
}

impl<T: Real> Run<'_, T> {
    /// Runs to its end for one penalty, from the state that the one before left.
    pub(super) fn solve(
        &mut self,
        beta: f64,
        observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Solution, Error> {
        self.solve_kept(beta, None, observe)
    }

    /// The same, its state kept; from a state, if one was.
    pub(super) fn solve_kept(
        &mut self,
        beta: f64,
        kept: Option<&Kept<'_>>,
        observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Solution, Error> {
        let from = kept.and_then(|kept| Some((kept, kept.keeper.start()?)));
        let status = match from {
            Some((kept, state)) => {
                self.restore(kept, &state)?;
                self.iterate(state.iteration, Some(kept), observe)
            }
            None => match self.begin(beta) {
                Ok(()) => self.iterate(0, kept, observe),
                Err(_) => Status::NumericalFailure,
            },
        };
        let solution = self.finish(status);
        match self.machine.failure() {
            Some(failure) => Err(failure),
            None => Ok(solution),
        }
    }

    /// Forgets what was found for another penalty, but not the state.
    fn begin(&mut self, beta: f64) -> Result<(), Error> {
        self.reopen()?;
        // ρ follows β: then β/ρ and all splits stay, and the multipliers ρλ, ρν, ρμ
        // shrink with the bound on them
        let ratio = beta / self.beta;
        self.beta = beta;
        if self.settings.adapt_rho && ratio > 0.0 && ratio.is_finite() {
            self.step.rho *= ratio;
            self.follow_rho()?;
        }
        self.best = None;
        self.bounds.fill(0.0);
        self.foreseen.fill(0.0);
        self.duals = vec![Default::default(); self.bounds.len()];
        self.history.clear();
        self.stiffening.restart();
        self.groups.threshold = self.threshold();
        self.machine.rescale_groups(&self.groups, &self.groups);
        self.machine.refresh(&self.step);
        if std::mem::take(&mut self.fresh) {
            self.find_rho()?;
        }
        Ok(())
    }

    fn iterate(
        &mut self,
        done: usize,
        kept: Option<&Kept<'_>>,
        observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Status {
        let mut last = done;
        for number in done + 1..=self.settings.max_iterations {
            if self.follow_curvature(number).is_err() {
                return Status::NumericalFailure;
            }
            let record = self.iteration(number);
            let stop = self.stop(&record);
            let stopped = observe(&record).is_break();
            let late = (self.settings.time_limit_seconds)
                .is_some_and(|limit| self.start.elapsed().as_secs_f64() >= limit);
            let cut = self.agree(match (stopped, late) {
                (true, _) => Some(Status::Interrupted),
                (false, true) => Some(Status::TimeLimit),
                (false, false) => None,
            });
            let broken = !record.objective.is_finite();
            self.history.push(record);
            if broken {
                return Status::NumericalFailure;
            }
            if let Some(status) = stop.or(cut) {
                return status;
            }
            if number == self.settings.max_iterations {
                break;
            }
            if self.balance(number).is_err() {
                return Status::NumericalFailure;
            }
            if let Some(kept) = kept {
                let stopped = self.keep(kept, number, &mut last).is_break();
                if let Some(status) = self.agree(stopped.then_some(Status::Interrupted)) {
                    return status;
                }
            }
        }
        Status::IterationLimit
    }

    /// Why the run is cut short, if any rank says so: a clock or a key is not the same for all.
    fn agree(&self, own: Option<Status>) -> Option<Status> {
        let reasons = [Status::TimeLimit, Status::Interrupted];
        let own = reasons.iter().position(|&reason| Some(reason) == own);
        let all = self.settings.team.largest(own.map_or(-1.0, |at| at as f64));
        reasons.get(all as usize).copied().filter(|_| all >= 0.0)
    }

    fn iteration(&mut self, number: usize) -> Iteration {
        let mut seconds = Seconds::default();
        let mut clock = Instant::now();
        let mut lap = || {
            std::mem::replace(&mut clock, Instant::now())
                .elapsed()
                .as_secs_f64()
        };
        let tolerance = inner_tolerance(number, self.history.last());
        let inner = self.machine.solve(tolerance);
        seconds.solve = lap();
        let groups = self.machine.shrink(&self.groups, self.step.relaxation);
        let rows = self.machine.sweep(&self.step);
        seconds.sweep = lap();
        let due = number.is_multiple_of(self.settings.check_every);
        let certificate = due.then(|| self.check(number / self.settings.check_every));
        seconds.check = lap();
        self.record(number, groups, rows, inner, certificate, seconds)
    }

    /// Tells the solver the curvature of the loss at the present `F u`.
    fn follow_curvature(&mut self, number: usize) -> Result<(), Error> {
        if self.step.split == Split::Loss || self.loss == Loss::Squared {
            return Ok(());
        }
        let refresh = (number - 1).is_multiple_of(self.settings.refresh_every);
        self.machine.follow_curvature(self.loss, refresh)
    }

    fn record(
        &self,
        number: usize,
        groups: ShrinkSums,
        rows: SweepSums,
        inner_iterations: usize,
        certificate: Option<Certificate>,
        seconds: Seconds,
    ) -> Iteration {
        let rho = self.step.rho;
        let objective = rows.loss + self.beta * groups.norms;
        let primal = (groups.primal + rows.primal).sqrt();
        let dual = rho * (groups.change + rows.change).sqrt();
        let compared = (groups.image + rows.image)
            .max(groups.copy + rows.copy)
            .sqrt();
        let multiplier = rho * (groups.multiplier + rows.multiplier).sqrt();
        let lower_bound = self.foreseen.iter().sum();
        Iteration {
            number,
            objective,
            violation: rows.violation / self.scale,
            primal_residual: primal,
            dual_residual: dual,
            primal_norm: compared,
            dual_norm: multiplier,
            lower_bound,
            gap: relative_gap(objective, lower_bound),
            rho,
            inner_iterations,
            certificate,
            seconds,
        }
    }

    /// `β/ρ`
    pub(super) fn threshold(&self) -> f64 {
        self.beta / self.step.rho
    }
}

/// `k^-1.2`, and never more than a tenth of what the outer loop still has to go.
fn inner_tolerance(number: usize, last: Option<&Iteration>) -> f64 {
    let summable = (number as f64).powf(-1.2);
    last.map_or(summable, |last| {
        let left = last.primal_residual.min(last.dual_residual / last.rho);
        summable.min(0.1 * left)
    })
}
