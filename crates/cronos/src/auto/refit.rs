//! The chosen networks, learned on all rows.

use super::candidate::Candidate;
use super::judge::Judged;
use super::path::walk;
use super::plan::Plan;
use super::validate::{Goal, Tally};
use super::{Member, PathPoint, RoundPoint, Task, WHOLE_SHARE, certify};
use crate::learn::{Hidden, penalty};
use crate::network::Network;
use crate::observe::Watch;
use crate::real::Real;

/// The share of the work that the certificate may cost.
const CERTIFYING: f64 = 0.01;
/// Multiplications that may still be done once all is to stop.
const SPARE_WORK: f64 = 2e9;

/// A network of the average.
pub(super) struct Trained {
    pub network: Network,
    pub member: Member,
    /// Whether it came to its own end.
    pub complete: bool,
}

/// Units that were learned on all rows.
pub(super) struct Learned<T> {
    pub units: Hidden<T>,
    pub beta: f64,
    /// What such a network shows on rows left out.
    pub tally: Tally,
    /// Penalties and units on the way.
    pub taken: Vec<(f64, Hidden<T>)>,
    pub complete: bool,
}

/// What all refits have in common.
#[derive(Clone, Copy)]
pub(super) struct Refit<'a> {
    pub task: &'a Task<'a>,
    pub plan: &'a Plan,
    pub watch: &'a Watch<'a>,
}

impl Refit<'_> {
    /// Learns a candidate on all rows, down to its best step.
    pub fn run<T: Real>(
        &self,
        candidate: &Candidate<T>,
        judged: &Judged,
        share: f64,
        number: u64,
        lead: bool,
    ) -> Trained {
        let Self { task, plan, watch } = *self;
        let stop = || watch.stop(WHOLE_SHARE).is_some();
        let mut taken: Vec<(f64, Hidden<T>)> = Vec::new();
        let seed = task.seed.wrapping_add(0xa11 * number);
        let record = |step: usize, units: &Hidden<T>| {
            taken.push((candidate.beta(step), units.clone()));
            watch.step(0);
            step < judged.step
        };
        let Candidate {
            seen, loss, grid, ..
        } = candidate;
        let units = walk(seen, *loss, grid, &plan.pace, seed, &stop, record);
        let learned = Learned {
            units,
            beta: candidate.beta(judged.step),
            tally: judged.tally,
            complete: taken.len() > judged.step && !stop(),
            taken,
        };
        let path = judged.path.clone();
        self.member(candidate, learned, path, judged.step, share, lead)
    }

    /// What was learned, as a network with its certificate.
    pub fn member<T: Real>(
        &self,
        candidate: &Candidate<T>,
        learned: Learned<T>,
        path: Vec<PathPoint>,
        chosen: usize,
        share: f64,
        lead: bool,
    ) -> Trained {
        let Candidate {
            design, loss, seen, ..
        } = candidate;
        let Learned {
            units, beta, tally, ..
        } = &learned;
        let goal = Goal::of(self.task.labels);
        let objective = seen.objective(*loss, *beta);
        let value = |units: &Hidden<T>| objective.pull(units).0 + penalty(units, *beta);
        let numbers = (seen.x.rows() * seen.x.columns() * seen.y.columns()) as f64;
        let late =
            self.watch.stop(WHOLE_SHARE).is_some() && numbers * units.len() as f64 > SPARE_WORK;
        let taken = &learned.taken[if late { learned.taken.len() } else { 0 }..];
        let rounds = taken.iter().map(|(step_beta, units)| RoundPoint {
            beta: *step_beta,
            objective: value(units),
            neurons: units.len(),
        });
        let certificate = match (late, lead) {
            (true, _) => certify::nothing(value(units)),
            // only the heaviest network shows its certificate
            (false, true) => {
                let work = CERTIFYING * self.task.preset.work();
                certify::certificate(seen, *loss, *beta, units, work)
            }
            (false, false) => certify::certificate(seen, *loss, *beta, units, 0.0),
        };
        let member = Member {
            features: design.style.name,
            loss: *loss,
            heat: tally.heat(goal),
            weight: share,
            beta: *beta,
            neurons: units.len(),
            columns: design.columns(),
            validation_score: tally.shown(goal),
            certificate,
            path,
            rounds: rounds.collect(),
            chosen,
        };
        Trained {
            network: design.network(units, self.task.targets),
            complete: learned.complete,
            member,
        }
    }
}
