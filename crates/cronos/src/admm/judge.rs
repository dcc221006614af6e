//! What the iterates are worth, when to stop, and what is returned.

use super::history::{Iteration, Seconds};
use super::run::Run;
use super::settings::ResidualTolerance;
use super::solve::Solution;
use super::status::Status;
use crate::certificate::{Certificate, Dual, relative_gap};
use crate::engine::{Candidate, Evaluation};
use crate::real::Real;

/// Certificates without progress, at the rounding error, before a run counts as stalled.
const STALL_CHECKS: usize = 30;

impl<T: Real> Run<'_, T> {
    /// Evaluates `v` and the bounds; keeps whichever is the best so far.
    pub(super) fn certify(&mut self) -> Certificate {
        let coupled = self.program.y.columns() / self.bounds.len();
        for at in 0..self.bounds.len() {
            let outputs = at * coupled..(at + 1) * coupled;
            let machine = &self.machine;
            let bound = machine.lower_bound(&self.step, self.beta, outputs.clone());
            if bound.value >= self.bounds[at] {
                self.bounds[at] = bound.value;
                if self.settings.keep_dual {
                    self.duals[at] = machine.dual(&bound, self.step.rho, outputs);
                }
            }
        }
        let v = self.machine.shrunk(&self.groups);
        let evaluation = self.evaluate(&v);
        let certificate = self.certificate(&evaluation);
        self.offer(evaluation, v);
        certificate
    }

    /// `u` predicts well long before it is feasible, so it is a candidate too.
    /// It costs a pass over all its groups; ever more rarely is often enough.
    pub(super) fn offer_u(&mut self, number: usize) {
        let checks = number / self.settings.check_every;
        if checks.is_power_of_two() {
            self.offer_last_u();
        }
    }

    fn offer_last_u(&mut self) {
        let u = self.machine.point();
        self.offer(self.evaluate(&u), u);
    }

    fn evaluate(&self, candidate: &[f64]) -> Evaluation {
        let (loss, beta) = (self.program.loss, self.beta);
        self.machine.evaluate(candidate, loss, beta)
    }

    /// Keeps the candidate whose network has the lowest objective.
    fn offer(&mut self, evaluation: Evaluation, candidate: Candidate) {
        let better = match &self.best {
            None => evaluation.network_objective.is_finite(),
            Some((best, _)) => evaluation.network_objective < best.network_objective,
        };
        if better {
            self.best = Some((evaluation, candidate));
        }
    }

    fn certificate(&self, evaluation: &Evaluation) -> Certificate {
        Certificate {
            objective: evaluation.objective,
            lower_bound: self.bound(),
            gap: relative_gap(evaluation.objective, self.bound()),
            violation: evaluation.violation / self.scale,
            network_objective: evaluation.network_objective,
        }
    }

    /// Whether the tolerances are met, or rounding forbids any more progress.
    pub(super) fn stop(&self, record: &Iteration) -> Option<Status> {
        let certificate = record.certificate?;
        let settings = self.settings;
        let certified = self.beta > 0.0;
        let gap = (certificate.objective - certificate.lower_bound).abs();
        let near =
            gap <= settings.gap_absolute + settings.gap_relative * certificate.objective.abs();
        let feasible = certificate.violation <= settings.violation_tolerance();
        let tolerance = settings
            .residual
            .or((!certified).then_some(ResidualTolerance {
                absolute: 0.0,
                relative: settings.gap_relative,
            }));
        let settled = tolerance.is_none_or(|tolerance| {
            let within = |residual: f64, norm: f64| {
                residual <= tolerance.absolute + tolerance.relative * norm
            };
            within(record.primal_residual, record.primal_norm)
                && within(record.dual_residual, record.dual_norm)
        });
        if (near || !certified) && feasible && settled {
            return Some(Status::Solved);
        }
        self.stalled(record).then_some(Status::Stalled)
    }

    /// Whether the residuals are at the rounding error and the last certificates
    /// are no better than those before them.
    fn stalled(&self, record: &Iteration) -> bool {
        let rounding = 20.0 * self.machine.epsilon();
        if record.primal_relative() > rounding || record.dual_relative() > rounding {
            return false;
        }
        let mut merits = self.history.iter().filter_map(|record| {
            let certificate = record.certificate?;
            Some(certificate.gap.max(certificate.violation))
        });
        let before = merits.clone().count().saturating_sub(STALL_CHECKS);
        let best = |merit: f64, next: f64| merit.min(next);
        let old = merits.by_ref().take(before).fold(f64::INFINITY, best);
        before > 0 && merits.fold(f64::INFINITY, best) > 0.99 * old
    }

    /// Bounds on outputs that the loss does not couple add up.
    pub(super) fn bound(&self) -> f64 {
        self.bounds.iter().sum()
    }

    /// A solved run returns its last `v`; any other the candidate whose network
    /// is best, the last `u` included.
    pub(super) fn finish(&mut self, status: Status) -> Solution {
        if status == Status::Solved {
            let v = self.machine.shrunk(&self.groups);
            self.best = Some((self.evaluate(&v), v));
        } else {
            let checked = self
                .history
                .last()
                .is_some_and(|last| last.certificate.is_some());
            if !checked {
                self.certify();
            }
            self.offer_last_u();
        }
        let (evaluation, weights) = self.best.take().unwrap_or_else(|| {
            let zero = vec![0.0; self.groups.size * self.groups.stiffness.len()];
            (self.evaluate(&zero), zero)
        });
        let certificate = self.certificate(&evaluation);
        let n = self.program.x.rows();
        let mut seconds = Seconds::default();
        for record in &self.history {
            seconds.add(&record.seconds);
        }
        seconds.setup = std::mem::take(&mut self.setup_seconds);
        let dual = (self.settings.keep_dual).then(|| dual(std::mem::take(&mut self.duals), n));
        Solution {
            status,
            weights: match self.reduction {
                Some(reduction) => reduction.restore(&weights, n),
                None => weights,
            },
            certificate,
            dual,
            rank: self.machine.rank(),
            history: std::mem::take(&mut self.history),
            place: self.settings.place,
            residence: self.machine.residence(),
            choice: self.choice.clone(),
            plan: self.plan.clone(),
            reduced_features: self.reduction.map(|_| n),
            seconds,
        }
    }
}

/// The dual point of all outputs.
fn dual(outputs: Vec<(Vec<f64>, Vec<f64>)>, rows: usize) -> Dual {
    let (loss, cone): (Vec<_>, Vec<_>) = outputs.into_iter().unzip();
    Dual {
        rows,
        loss: loss.concat(),
        cone: cone.concat(),
    }
}
