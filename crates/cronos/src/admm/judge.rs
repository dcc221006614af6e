//! What the iterates are worth, when to stop, and what is returned.

use super::history::{Iteration, Seconds};
use super::machine::Point;
use super::run::Run;
use super::settings::ResidualTolerance;
use super::solve::Solution;
use super::status::Status;
use crate::certificate::{Certificate, Dual, relative_gap};
use crate::engine::{Candidate, Evaluation};
use crate::real::Real;

/// Certificates without progress, at the rounding error, before a run counts as stalled.
const STALL_CHECKS: usize = 30;

/// An estimate within this factor of the tolerances, or as near as its rounding errors may be, calls
/// for the exact one.
const NEAR: f64 = 1.05;
const ROUNDING: f64 = 1e-5;

impl<T: Real> Run<'_, T> {
    /// What the iterates are worth, for the so-manieth time. A machine that can tell nearly is asked
    /// first, and believed unless it says that the run is over.
    pub(super) fn check(&mut self, checks: usize) -> Certificate {
        let certificate = match self.estimate() {
            Some(estimate) if !self.meets(&estimate, NEAR, ROUNDING) => estimate,
            _ => self.certify(),
        };
        // `u` predicts well long before it is feasible, so it is a candidate too. It costs a pass
        // over all its groups; ever more rarely is often enough.
        if checks.is_power_of_two() {
            self.offer(Point::Solved);
        }
        certificate
    }

    /// The certificate as the machine sees it.
    fn estimate(&mut self) -> Option<Certificate> {
        let bounds = (self.machine).estimate_bounds(&self.step, self.beta, &self.foreseen)?;
        for (best, bound) in self.foreseen.iter_mut().zip(bounds) {
            *best = best.max(bound);
        }
        let evaluation = self.offer(Point::Shrunk);
        self.lagrangian = evaluation.lagrangian();
        Some(self.certificate(&evaluation, self.foreseen.iter().sum()))
    }

    /// Keeps a point if its network has the lowest objective, as the machine sees it.
    fn offer(&mut self, which: Point) -> Evaluation {
        let Some(evaluation) = self.machine.estimate(which, &self.step, self.beta) else {
            return self.offer_exactly(which);
        };
        if self.is_better(&evaluation) {
            self.machine.keep(which);
            self.best = Some((evaluation, None));
        }
        evaluation
    }

    /// Evaluates `v` and the bounds; keeps whichever is the best so far.
    fn certify(&mut self) -> Certificate {
        let coupled = self.shape.outputs / self.bounds.len();
        for at in 0..self.bounds.len() {
            let outputs = at * coupled..(at + 1) * coupled;
            let machine = &self.machine;
            let bound = machine.lower_bound(&self.step, self.beta, outputs.clone());
            if bound.value >= self.bounds[at] {
                self.bounds[at] = bound.value;
                if self.settings.keep_dual {
                    self.duals[at] = machine.dual(&bound, &self.step, outputs);
                }
            }
            // an estimate that was too bold keeps no later one from being remembered
            self.foreseen[at] = self.bounds[at];
        }
        let evaluation = self.offer_exactly(Point::Shrunk);
        if !self.machine.estimates() {
            self.lagrangian = evaluation.lagrangian();
        }
        self.certificate(&evaluation, self.bound())
    }

    /// Keeps a point if its network has the lowest objective.
    fn offer_exactly(&mut self, which: Point) -> Evaluation {
        let point = self.machine.point(which, &self.groups);
        let evaluation = self.evaluate(&point);
        if self.is_better(&evaluation) {
            self.best = Some((evaluation, Some(point)));
        }
        evaluation
    }

    fn evaluate(&self, candidate: &[f64]) -> Evaluation {
        self.machine.evaluate(candidate, &self.step, self.beta)
    }

    fn is_better(&self, evaluation: &Evaluation) -> bool {
        match &self.best {
            None => evaluation.network_objective.is_finite(),
            Some((best, _)) => evaluation.network_objective < best.network_objective,
        }
    }

    /// The best candidate, evaluated exactly; 0 if there is none.
    fn best(&mut self) -> (Evaluation, Candidate) {
        let weights = match self.best.take() {
            Some((evaluation, Some(weights))) => return (evaluation, weights),
            Some((_, None)) => self.machine.kept(),
            None => None,
        };
        let weights =
            weights.unwrap_or_else(|| vec![0.0; self.groups.size * self.groups.stiffness.len()]);
        (self.evaluate(&weights), weights)
    }

    fn certificate(&self, evaluation: &Evaluation, lower_bound: f64) -> Certificate {
        Certificate {
            objective: evaluation.objective,
            lower_bound,
            gap: relative_gap(evaluation.objective, lower_bound),
            violation: evaluation.violation / self.scale,
            network_objective: evaluation.network_objective,
        }
    }

    /// Whether a certificate meets the tolerances, or would if they were so many times as large and
    /// so much more.
    fn meets(&self, certificate: &Certificate, times: f64, more: f64) -> bool {
        let settings = self.settings;
        let size = certificate.objective.abs();
        let gap = (certificate.objective - certificate.lower_bound).abs();
        let allowed = settings.gap_allowed(size);
        let near = gap <= times * allowed + more * size;
        let feasible = certificate.violation <= times * settings.violation_tolerance() + more;
        (near || self.beta == 0.0) && feasible
    }

    /// Whether the tolerances are met, or rounding forbids any more progress.
    pub(super) fn stop(&self, record: &Iteration) -> Option<Status> {
        let certificate = record.certificate?;
        let settings = self.settings;
        let tolerance = settings
            .residual
            .or((self.beta == 0.0).then_some(ResidualTolerance {
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
        if self.meets(&certificate, 1.0, 0.0) && settled {
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
            self.best = None;
            self.offer_exactly(Point::Shrunk);
        } else {
            let last = self.history.last();
            let checked = last.is_some_and(|last| last.certificate.is_some());
            if !checked {
                self.estimate();
            }
            if !checked || self.machine.estimates() {
                self.certify();
            }
            self.offer(Point::Solved);
        }
        let (evaluation, weights) = self.best();
        let certificate = self.certificate(&evaluation, self.bound());
        let n = self.shape.rows;
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
