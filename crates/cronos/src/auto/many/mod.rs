//! Where rows are many: networks learned from nothing, in batches.
//!
//! Every kind is scouted on a sample of the rows, down a coarse β path, and judged on
//! rows left out. The best is learned on more rows with half its units, at that penalty
//! and at those beside it; then, at the penalty found, with twice those that are left on all rows.

mod split;
mod work;

pub(super) use split::Split;
pub(super) use work::Many;

use super::PathPoint;
use super::candidate::Candidate;
use super::judge::in_turn;
use super::path::{Seen, penalty_for};
use super::refit::{Learned, Refit, Trained};
use super::validate::{Goal, Tally, tally};
use super::{SEARCH_SHARE, WHOLE_SHARE};
use crate::learn::{Fresh, Hidden, learn_afresh, penalty};
use crate::real::Real;

/// Penalties that are tried on more rows than the sample, at most.
const TRIES: usize = 3;

/// A network, and what it shows.
struct Trial<T> {
    units: Hidden<T>,
    /// Penalty per unit of row weight, and the weight of the rows learned from.
    penalty: f64,
    total: f64,
    train: Tally,
    held: Tally,
}

impl<T> Trial<T> {
    /// The penalty on rows of this weight.
    fn beta(&self, total: f64) -> f64 {
        penalty_for(self.penalty, self.total, total)
    }
}

/// What a candidate shows on the sample, step by step, and its best network.
struct Scouted<T> {
    path: Vec<PathPoint>,
    best: Trial<T>,
    chosen: usize,
}

/// A search among candidates on many rows.
pub(super) struct Crowd<'a, T> {
    pub refit: Refit<'a>,
    pub candidates: &'a [Candidate<T>],
    pub split: &'a Split,
    pub many: Many,
}

impl<T: Real> Crowd<'_, T> {
    /// Steps that the search announces.
    pub fn steps(&self, networks: usize) -> usize {
        let level = TRIES * self.many.level(self.split.level().len()).epochs;
        let last = networks * self.last(self.many.units).epochs;
        self.candidates.len() * self.refit.plan.steps + level + last
    }

    /// The best candidate, its networks on all rows, and whether the search was cut short.
    pub fn train(&self) -> (usize, Vec<Trained>, bool) {
        let goal = self.goal();
        let scouts: Vec<Scouted<T>> = in_turn(self.candidates, |candidate| self.scout(candidate));
        let score = |scouted: &Scouted<T>| scouted.best.held.score(goal);
        let best =
            (scouts.into_iter().enumerate()).min_by(|(_, a), (_, b)| score(a).total_cmp(&score(b)));
        let Some((lead, scouted)) = best else {
            return (0, Vec::new(), true);
        };
        let candidate = &self.candidates[lead];
        let chosen = scouted.chosen;
        let (found, tried) = self.climb(candidate, scouted.best);
        let hurried = self.stop(SEARCH_SHARE);
        let count = self.refit.plan.networks;
        let network = |number: u64| {
            let learned = self.learn(candidate, &found, &tried, number);
            let (path, share) = (scouted.path.clone(), 1.0 / count as f64);
            (self.refit).member(candidate, learned, path, chosen, share, number == 0)
        };
        let networks: Vec<Trained> = (0..count as u64).map(network).collect();
        let cut = hurried || networks.iter().any(|network| !network.complete);
        (lead, networks, cut)
    }

    fn goal(&self) -> Goal {
        Goal::of(self.refit.task.labels)
    }

    fn stop(&self, share: f64) -> bool {
        self.refit.watch.stop(share).is_some()
    }

    /// What the last network is learned with, when the level had so many units.
    fn last(&self, units: usize) -> Fresh {
        self.many.last(self.split.level().len(), units)
    }

    /// Learns on some rows and judges on those left out.
    fn trial(
        &self,
        candidate: &Candidate<T>,
        [rows, held]: [&Seen<T>; 2],
        penalty: f64,
        fresh: Fresh,
        tick: &(dyn Fn() + Sync),
    ) -> Trial<T> {
        let (loss, goal, total) = (candidate.loss, self.goal(), rows.total());
        let stop = || self.stop(SEARCH_SHARE);
        let objective = rows.objective(loss, penalty * total);
        let units = learn_afresh(&objective, fresh, self.refit.task.seed, &stop, tick);
        Trial {
            penalty,
            total,
            train: tally(rows, &units, loss, goal, false),
            held: tally(held, &units, loss, goal, true),
            units,
        }
    }

    /// Trials on the sample at falling penalties, up to the first that is no better.
    fn scout(&self, candidate: &Candidate<T>) -> Scouted<T> {
        let held = candidate.seen.select(&self.split.held);
        let fresh = self.many.scout(candidate.sample.x.rows());
        let (grid, goal, watch) = (&candidate.grid, self.goal(), self.refit.watch);
        let trial = |step: usize| {
            let rows = [&candidate.sample, &held];
            self.trial(candidate, rows, grid.at(step), fresh, &|| ())
        };
        let point = |trial: &Trial<T>| self.point(trial, candidate.seen.total());
        let first = trial(0);
        watch.step(0);
        let mut scouted = Scouted {
            path: vec![point(&first)],
            best: first,
            chosen: 0,
        };
        for step in 1..grid.steps {
            if self.stop(SEARCH_SHARE) {
                break;
            }
            let next = trial(step);
            scouted.path.push(point(&next));
            if next.held.score(goal) >= scouted.best.held.score(goal) {
                watch.step(grid.steps - step - 1);
                break;
            }
            watch.step(0);
            scouted.best = next;
            scouted.chosen = step;
        }
        scouted
    }

    /// Trials on more rows: at the penalty of `start`, then at larger ones as long as they are
    /// better, or else at smaller ones. `start` itself, which was learned for a shorter time and
    /// so keeps from learning rows by heart, says nothing about that. Returns the best, and
    /// the penalties and units of all.
    fn climb(&self, candidate: &Candidate<T>, start: Trial<T>) -> (Trial<T>, Taken<T>) {
        let Refit { plan, watch, .. } = self.refit;
        let goal = self.goal();
        let all = candidate.seen.total();
        let level = candidate.seen.select(self.split.level());
        let held = candidate.seen.select(&self.split.held);
        let fresh = self.many.level(level.x.rows());
        let mut taken = vec![(start.beta(all), start.units.clone())];
        let penalty = start.beta(level.total()) / level.total();
        let mut best: Option<Trial<T>> = None;
        // 1, then larger, then, if that was of no use, smaller
        let mut factors = vec![plan.ratio, 1.0 / plan.ratio, 1.0];
        let mut next_penalty = penalty;
        for step in 0..TRIES {
            let Some(&factor) = factors.last() else {
                watch.skip((TRIES - step) * fresh.epochs);
                break;
            };
            if self.stop(SEARCH_SHARE) {
                break;
            }
            let tick = || watch.step(0);
            let next = self.trial(candidate, [&level, &held], next_penalty, fresh, &tick);
            taken.push((next.beta(all), next.units.clone()));
            let score = |trial: &Trial<T>| trial.held.score(goal);
            let better = best.as_ref().is_none_or(|best| score(&next) < score(best));
            if better && factor != 1.0 {
                // on in the same direction, and in no other
                factors = vec![factor];
            } else {
                factors.pop();
            }
            if better {
                best = Some(next);
            }
            let found = best.as_ref().map_or(penalty, |best| best.penalty);
            next_penalty = found * factors.last().copied().unwrap_or(1.0);
        }
        (best.unwrap_or(start), taken)
    }

    /// A network on all rows at the penalty of `found`; `found` itself if time did not
    /// suffice for a better one.
    fn learn(
        &self,
        candidate: &Candidate<T>,
        found: &Trial<T>,
        tried: &Taken<T>,
        number: u64,
    ) -> Learned<T> {
        let Refit { task, watch, .. } = self.refit;
        let seen = &candidate.seen;
        let beta = found.beta(seen.total());
        let objective = seen.objective(candidate.loss, beta);
        let stop = || self.stop(WHOLE_SHARE);
        let seed = task.seed.wrapping_add(0xa11 * (number + 1));
        let tick = || watch.step(0);
        let mut units = learn_afresh(&objective, self.last(found.units.len()), seed, &stop, &tick);
        let complete = !stop();
        let value = |units: &Hidden<T>| objective.pull(units).0 + penalty(units, beta);
        if !complete && value(&found.units) < value(&units) {
            units = found.units.clone();
        }
        let mut taken = tried.clone();
        taken.push((beta, units.clone()));
        Learned {
            units,
            beta,
            tally: found.held,
            taken,
            complete,
        }
    }

    fn point(&self, trial: &Trial<T>, total: f64) -> PathPoint {
        let goal = self.goal();
        PathPoint {
            beta: trial.beta(total),
            neurons: trial.units.len() as f64,
            train_score: trial.train.shown(goal),
            validation_score: trial.held.shown(goal),
            validation_loss: trial.held.score(goal),
            spread: 0.0,
        }
    }
}

/// Penalties on all rows, and what was learned at each.
type Taken<T> = Vec<(f64, Hidden<T>)>;
