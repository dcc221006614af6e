//! A penalty that is given: gates are learned for it, as well as they can be.

use super::design::Design;
use super::path::{Grid, Pace, Seen, walk};
use super::plan::{self, Preset};
use super::{Found, Member, RoundPoint, Search, Task, WHOLE_SHARE, certify};
use crate::Error;
use crate::admm::{Seconds, Status};
use crate::learn::{Climb, Effort, Patience, descend, learn, penalty};
use crate::observe::Watch;
use std::sync::Arc;

/// Rows below which nothing can be held out.
pub(super) const FEW_ROWS: usize = 12;

/// Penalty relative to the one that leaves nothing, when there is nothing to choose it on.
pub(super) const FRACTION: f64 = 1e-3;

/// Units at most, when nothing is said.
const MOST: usize = 100;

/// The share of the work that the certificate may cost.
const CERTIFYING: f64 = 0.1;

/// Units on the way to the penalty, per unit at the end.
const WIDE: usize = 2;

/// How the work is spent once the penalty is reached, from the size of the data alone.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Schedule {
    units: usize,
    /// Evaluations of the objective that the work pays for.
    evaluations: usize,
}

impl Schedule {
    fn new(rows: &Seen<f64>, units: usize, preset: Preset) -> Self {
        let (n, width) = (rows.x.rows(), rows.x.columns() + rows.y.columns());
        // three products with X, or of its size
        let one = 3.0 * n as f64 * width as f64 * (units + spare(units)) as f64;
        Self {
            units,
            evaluations: (preset.work() / one) as usize,
        }
    }

    /// Rounds that exchange units, each with a descent before and one behind.
    fn effort(&self, tolerance: f64) -> Effort {
        let iterations = (self.evaluations / 10).clamp(50, 1_000);
        Effort {
            units: self.units,
            spare: spare(self.units),
            new_units: spare(self.units),
            climb: Climb {
                starts: 256,
                steps: 40,
            },
            rounds: (self.evaluations / iterations).clamp(3, 100),
            tries: 3,
            tolerance,
            patience: Patience {
                iterations,
                memory: 20,
                window: 100,
                progress: 1e-4,
            },
        }
    }

    /// The last descent.
    fn polish(&self) -> Patience {
        Patience {
            iterations: (self.evaluations / 2).clamp(200, 10_000),
            memory: 50,
            window: 100,
            progress: 1e-5,
        }
    }
}

/// New units of a round, which compete with `units` for their places.
fn spare(units: usize) -> usize {
    (units / 5).max(8)
}

/// Walks down to the penalty, then exchanges units and descends until no direction
/// violates the dual constraint by more than the tolerance or nothing is gained,
/// and descends once more.
pub(super) fn fixed(task: &Task<'_>, watch: &Watch<'_>) -> Result<Found, Error> {
    let (n, d) = (task.x.rows(), task.x.columns());
    let units = task.most.unwrap_or(MOST);
    // the last descent remembers five times as much as a path's
    let memory = plan::memory::<f64>(n, n, &[d], task.y.columns(), 5 * units);
    memory.check(task.memory, plan::WAY_OUT)?;
    let start = std::time::Instant::now();
    let loss = task.losses[0];
    let mut design = Design::as_they_are(task.x, task.bias);
    if task.standardize {
        design.standardize(task.x, task.weights);
    }
    // in single precision, rounding ends the line searches too early
    let seen: Seen<f64> = Seen {
        x: Arc::new(design.apply(task.x)),
        y: task.scaled(loss),
        weights: task.weights.map(<[f64]>::to_vec),
    };
    let top = seen.zero_beta(loss, Pace::CLIMB, task.seed);
    let beta = task.beta.unwrap_or(FRACTION * top * seen.total());
    let low = beta / seen.total();
    // a wide network on the way finds better gates than one that is short of units
    let pace = Pace {
        units: WIDE * units,
        new_units: spare(units),
        rounds: 2,
        iterations: 50,
        climb: Pace::CLIMB,
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
    let schedule = Schedule::new(&seen, units, task.preset);
    let seed = task.seed.wrapping_add(0x5eed);
    let effort = schedule.effort(task.tolerance);
    let rounds = learn(&objective, &mut hidden, effort, seed, &stop);
    descend(&objective, &mut hidden, schedule.polish(), &stop);
    hidden.balance();
    let cut = watch.stop(WHOLE_SHARE);
    watch.step(0);
    let certificate =
        certify::certificate(&seen, loss, beta, &hidden, CERTIFYING * task.preset.work());
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
    points.push(last);
    let status = match cut {
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
