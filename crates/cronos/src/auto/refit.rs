//! The chosen networks, learned on all rows.

use super::judge::Judged;
use super::path::walk;
use super::plan::Plan;
use super::{Candidate, Member, RoundPoint, Task, WHOLE_SHARE, certify};
use crate::learn::{Hidden, learn, penalty};
use crate::network::Network;
use crate::observe::Watch;
use crate::real::Real;

/// A network of the average.
pub(super) struct Trained {
    pub network: Network,
    pub member: Member,
    /// Whether it came to its own end.
    pub complete: bool,
}

/// Learns a candidate on all rows, down to its best step.
pub(super) fn refit<T: Real>(
    task: &Task<'_>,
    candidate: &Candidate<T>,
    judged: &Judged,
    share: f64,
    number: u64,
    plan: &Plan,
    watch: &Watch<'_>,
) -> Trained {
    let Candidate {
        design,
        loss,
        seen,
        sample,
        grid,
    } = candidate;
    let loss = *loss;
    let beta = judged.path[judged.step].beta;
    let stop = || watch.stop(WHOLE_SHARE).is_some();
    let mut rounds = Vec::new();
    let record = |step: usize, units: &Hidden<T>| {
        let (value, _) = seen.objective(loss, beta).pull(units);
        rounds.push(RoundPoint {
            beta: candidate.beta(step),
            objective: value + penalty(units, beta),
            neurons: units.len(),
        });
        watch.step(0);
        step < judged.step
    };
    let seed = task.seed.wrapping_add(0xa11 * number);
    let mut units = walk(sample, loss, grid, &plan.pace, seed, &stop, record);
    if plan.sample.is_some() {
        let objective = seen.objective(loss, beta);
        let finish = learn(
            &objective,
            &mut units,
            plan.pace.finish(),
            seed ^ 0xf1,
            &stop,
        );
        rounds.extend(finish.iter().map(|round| RoundPoint {
            beta,
            objective: round.objective,
            neurons: round.neurons,
        }));
    }
    let member = Member {
        features: design.style.name,
        loss,
        heat: judged.heat,
        weight: share,
        beta,
        neurons: units.len(),
        columns: design.columns(),
        validation_score: judged.shown,
        certificate: certify::certificate(seen, loss, beta, &units),
        path: judged.path.clone(),
        rounds,
        chosen: judged.step,
    };
    Trained {
        network: design.network(&units, task.targets),
        complete: member.rounds.len() > judged.step && !stop(),
        member,
    }
}
