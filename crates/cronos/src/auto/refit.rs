//! The chosen networks, learned on all rows.

use super::candidate::Candidate;
use super::judge::Judged;
use super::levels::{Climber, Levels};
use super::path::walk;
use super::plan::Plan;
use super::validate::Goal;
use super::{Member, RoundPoint, Task, WHOLE_SHARE, certify};
use crate::learn::{Hidden, learn, penalty};
use crate::network::Network;
use crate::observe::Watch;
use crate::real::Real;

/// The share of the work that the certificate may cost.
const CERTIFYING: f64 = 0.01;

/// A network of the average.
pub(super) struct Trained {
    pub network: Network,
    pub member: Member,
    /// Whether it came to its own end.
    pub complete: bool,
}

/// What all refits have in common.
pub(super) struct Refit<'a> {
    pub task: &'a Task<'a>,
    pub plan: &'a Plan,
    /// The rows that paths are walked on, if not all.
    pub sampled: Option<&'a [usize]>,
    pub watch: &'a Watch<'a>,
}

impl Refit<'_> {
    /// Learns a candidate on all rows, down to its best step.
    pub fn run<T: Real>(
        &self,
        candidate: &Candidate<T>,
        judged: &Judged<T>,
        share: f64,
        number: u64,
        lead: bool,
    ) -> Trained {
        let Self {
            task,
            plan,
            sampled,
            watch,
        } = *self;
        let Candidate {
            design,
            loss,
            seen,
            sample,
            grid,
        } = candidate;
        let loss = *loss;
        let stop = || watch.stop(WHOLE_SHARE).is_some();
        let goal = Goal::of(task.labels);
        let mut taken: Vec<(f64, Hidden<T>)> = Vec::new();
        let seed = task.seed.wrapping_add(0xa11 * number);
        let record = |step: usize, units: &Hidden<T>| {
            taken.push((candidate.beta(step), units.clone()));
            watch.step(0);
            step < judged.step
        };
        // a path on a part of the rows was but a beginning
        let begun = judged
            .found
            .as_ref()
            .filter(|_| sampled.is_some() && number == 0);
        let (units, total) = match begun {
            Some((units, total)) => {
                taken.push((candidate.beta(judged.step), units.clone()));
                watch.skip(judged.step + 1);
                (units.clone(), *total)
            }
            None => {
                let units = walk(sample, loss, grid, &plan.pace, seed, &stop, record);
                (units, sample.total())
            }
        };
        let walked = begun.is_some() || taken.len() > judged.step;
        let mut end = Climber {
            units,
            penalty: grid.at(judged.step),
            total,
            tally: judged.tally,
        };
        if let Some(rows) = sampled {
            let levels = Levels::above(rows, task.labels, seen.x.rows(), seed);
            end = levels.climb(seen, loss, plan, end, &stop, |next| {
                taken.push((next.penalty * seen.total(), next.units.clone()));
                watch.step(0);
            });
            // and once more with the rows that were left out
            let objective = seen.objective(loss, end.beta(seen.total()));
            let effort = plan.last(seen.x.rows(), seen.x.columns());
            learn(&objective, &mut end.units, effort, seed, &stop);
        }
        let (units, beta) = (&end.units, end.beta(seen.total()));
        let objective = seen.objective(loss, beta);
        let rounds = taken.iter().map(|(step_beta, units)| RoundPoint {
            beta: *step_beta,
            objective: objective.pull(units).0 + penalty(units, beta),
            neurons: units.len(),
        });
        // only the heaviest network shows its certificate
        let certifying = match lead {
            true => CERTIFYING * task.preset.work(),
            false => 0.0,
        };
        let member = Member {
            features: design.style.name,
            loss,
            heat: end.tally.heat(goal),
            weight: share,
            beta,
            neurons: units.len(),
            columns: design.columns(),
            validation_score: end.tally.shown(goal),
            certificate: certify::certificate(seen, loss, beta, units, certifying),
            path: judged.path.clone(),
            rounds: rounds.collect(),
            chosen: judged.step,
        };
        Trained {
            network: design.network(units, task.targets),
            complete: walked && !stop(),
            member,
        }
    }
}
