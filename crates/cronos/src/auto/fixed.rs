//! A penalty that is given: gates are learned for it, as well as they can be.

use super::design::Design;
use super::path::{Grid, Pace, Seen, walk};
use super::{Found, Member, RoundPoint, Search, Task, WHOLE_SHARE, certify, plan};
use crate::Error;
use crate::admm::{Seconds, Status};
use crate::learn::{Effort, Patience, learn, penalty};
use crate::observe::Watch;
use crate::real::Real;
use std::sync::Arc;

/// Rows below which nothing can be held out.
pub(super) const FEW_ROWS: usize = 12;

/// Penalty relative to the one that leaves nothing, when there is nothing to choose it on.
const FRACTION: f64 = 1e-3;

/// Units at most, when nothing is said.
const MOST: usize = 100;

/// Walks down to the penalty, then adds units and descends until no direction
/// violates the dual constraint by more than the tolerance.
pub(super) fn fixed<T: Real>(task: &Task<'_>, watch: &Watch<'_>) -> Result<Found, Error> {
    let (n, d) = (task.x.rows(), task.x.columns());
    let units = task.most.unwrap_or(MOST);
    let memory = plan::memory::<T>(n, n, &[d], task.y.columns(), units);
    memory.check(task.memory, plan::WAY_OUT)?;
    let start = std::time::Instant::now();
    let loss = task.losses[0];
    let mut design = Design::as_they_are(task.x, task.bias);
    if task.standardize {
        design.standardize(task.x, task.weights);
    }
    let seen: Seen<T> = Seen {
        x: Arc::new(design.apply(task.x)),
        y: task.scaled(loss),
        weights: task.weights.map(<[f64]>::to_vec),
    };
    let top = seen.zero_beta(loss, task.seed);
    let beta = task.beta.unwrap_or(FRACTION * top * seen.total());
    let low = beta / seen.total();
    let pace = Pace {
        units,
        new_units: 8,
        rounds: 2,
        iterations: 50,
    };
    // the last step of the walk is one ratio above the penalty itself
    let steps = (top / low).max(1.0).log2().ceil().min(60.0) as usize;
    let grid = Grid {
        top: low * 2f64.powi(steps as i32),
        ratio: 0.5,
        steps,
    };
    watch.expect(steps + 1);
    let setup = start.elapsed().as_secs_f64();
    let stop = || watch.stop(WHOLE_SHARE).is_some();
    let mut hidden = walk(&seen, loss, &grid, &pace, task.seed, &stop, |_, _| {
        watch.step(0);
        true
    });
    let objective = seen.objective(loss, beta);
    let effort = Effort {
        units,
        new_units: 8,
        starts: 256,
        rounds: 100,
        tolerance: task.tolerance,
        patience: Patience {
            iterations: 500,
            progress: 1e-5,
        },
    };
    let seed = task.seed.wrapping_add(0x5eed);
    let rounds = learn(&objective, &mut hidden, effort, seed, &stop);
    watch.step(0);
    let certificate = certify::certificate(&seen, loss, beta, &hidden);
    let (value, _) = objective.pull(&hidden);
    let last = RoundPoint {
        beta,
        objective: value + penalty(&hidden, beta),
        neurons: hidden.len(),
    };
    let mut points: Vec<RoundPoint> = rounds
        .iter()
        .map(|round| RoundPoint {
            beta,
            objective: round.objective,
            neurons: round.neurons,
        })
        .collect();
    if points.is_empty() {
        points.push(last);
    }
    let status = match watch.stop(WHOLE_SHARE) {
        Some(status) => status,
        None if certificate.gap <= task.tolerance => Status::Solved,
        None => Status::IterationLimit,
    };
    Ok(Found {
        planned_bytes: Some(memory.total()),
        network: design.network(&hidden, task.targets),
        status,
        scaling: design.scaling.clone(),
        search: Search {
            members: vec![Member {
                features: design.style.name,
                loss,
                heat: 1.0,
                weight: 1.0,
                beta,
                neurons: hidden.len(),
                columns: design.columns(),
                validation_score: f64::NAN,
                certificate,
                path: Vec::new(),
                rounds: points,
                chosen: 0,
            }],
            folds: 0,
            repeats: 0,
            rows: task.x.rows(),
            sample: None,
            tried: vec![(design.style.name, loss)],
        },
        seconds: Seconds {
            setup,
            solve: start.elapsed().as_secs_f64() - setup,
            ..Seconds::default()
        },
    })
}
