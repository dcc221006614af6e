//! Where rows are many: networks learned from nothing, in batches.
//!
//! Every kind is scouted on a sample of the rows, down a coarse β path, and judged on
//! rows left out. The best is learned on more rows with all its units, at a penalty that
//! falls as long as that helps; then at the penalty found on all rows.

use super::PathPoint;
use super::candidate::Candidate;
use super::judge::in_turn;
use super::path::{Seen, penalty_for};
use super::plan::Many;
use super::refit::{Learned, Refit, Trained};
use super::split::Split;
use super::validate::{Goal, Tally, tally};
use super::{SEARCH_SHARE, WHOLE_SHARE};
use crate::learn::{Fresh, Hidden, learn_afresh, penalty};
use crate::real::Real;

/// Penalties that are tried on more rows than the sample, at most.
const LEVEL_STEPS: usize = 2;

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
        let level = LEVEL_STEPS * self.many.level(self.split.level().len()).epochs;
        let last = networks * self.last().epochs;
        self.candidates.len() * self.refit.plan.steps + level + last
    }

    /// The best candidate, its networks on all rows, and whether the search was cut short.
    pub fn train(&self) -> (usize, Vec<Trained>, bool) {
        let goal = self.goal();
        let all: Vec<usize> = (0..self.candidates.len()).collect();
        let scouts: Vec<Vec<Trial<T>>> = in_turn(&all, |&at| self.scout(&self.candidates[at]));
        let score = |trial: &Trial<T>| trial.held.score(goal);
        let best = |at: usize| scouts[at].iter().map(score).fold(f64::INFINITY, f64::min);
        let lead = all
            .iter()
            .copied()
            .min_by(|&a, &b| best(a).total_cmp(&best(b)))
            .unwrap_or(0);
        let candidate = &self.candidates[lead];
        let path: Vec<PathPoint> = (scouts[lead].iter())
            .map(|trial| self.point(trial, candidate.seen.total()))
            .collect();
        let mut scouts = scouts;
        let (chosen, start) = scouts
            .swap_remove(lead)
            .into_iter()
            .enumerate()
            .min_by(|(_, a), (_, b)| score(a).total_cmp(&score(b)))
            .map_or((0, self.nothing(candidate)), |best| best);
        let (found, tried) = self.climb(candidate, start);
        let networks = (0..self.refit.plan.networks as u64).map(|number| {
            let learned = self.learn(candidate, &found, &tried, number);
            let share = 1.0 / self.refit.plan.networks as f64;
            let path = path.clone();
            (self.refit).member(candidate, learned, path, chosen, share, number == 0)
        });
        let networks: Vec<Trained> = networks.collect();
        let cut = self.stop(SEARCH_SHARE) && networks.iter().any(|network| !network.complete);
        (lead, networks, cut)
    }

    fn goal(&self) -> Goal {
        Goal::of(self.refit.task.labels)
    }

    fn stop(&self, share: f64) -> bool {
        self.refit.watch.stop(share).is_some()
    }

    fn last(&self) -> Fresh {
        self.many.last(self.refit.task.x.rows())
    }

    /// A network of no units.
    fn nothing(&self, candidate: &Candidate<T>) -> Trial<T> {
        let held = candidate.seen.select(&self.split.held);
        let units = Hidden::none(held.x.columns(), held.y.columns());
        let held = tally(&held, &units, candidate.loss, self.goal(), true);
        Trial {
            penalty: candidate.grid.top,
            total: candidate.sample.total(),
            units,
            train: Tally::default(),
            held,
        }
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
    fn scout(&self, candidate: &Candidate<T>) -> Vec<Trial<T>> {
        let held = candidate.seen.select(&self.split.held);
        let fresh = self.many.scout(candidate.sample.x.rows());
        let (grid, goal) = (&candidate.grid, self.goal());
        let mut trials: Vec<Trial<T>> = Vec::new();
        for step in 0..grid.steps {
            let rows = [&candidate.sample, &held];
            let next = self.trial(candidate, rows, grid.at(step), fresh, &|| ());
            let better = |last: &Trial<T>| next.held.score(goal) < last.held.score(goal);
            let go_on = trials.last().is_none_or(better);
            trials.push(next);
            let ahead = if go_on { 0 } else { grid.steps - step - 1 };
            self.refit.watch.step(ahead);
            if !go_on || self.stop(SEARCH_SHARE) {
                break;
            }
        }
        trials
    }

    /// Trials on more rows from the penalty of `start` downwards, as long as they are
    /// better; returns the best, and the penalties and units of all.
    fn climb(&self, candidate: &Candidate<T>, start: Trial<T>) -> (Trial<T>, Taken<T>) {
        let Refit { plan, watch, .. } = self.refit;
        let goal = self.goal();
        let all = candidate.seen.total();
        let level = candidate.seen.select(self.split.level());
        let held = candidate.seen.select(&self.split.held);
        let fresh = self.many.level(level.x.rows());
        let mut taken = vec![(start.beta(all), start.units.clone())];
        let mut penalty = start.beta(level.total()) / level.total();
        let mut best = start;
        for step in 0..LEVEL_STEPS {
            if self.stop(SEARCH_SHARE) {
                break;
            }
            let tick = || watch.step(0);
            let next = self.trial(candidate, [&level, &held], penalty, fresh, &tick);
            taken.push((next.beta(all), next.units.clone()));
            let better = next.held.score(goal) < best.held.score(goal);
            if better {
                best = next;
            } else {
                watch.skip((LEVEL_STEPS - step - 1) * fresh.epochs);
                break;
            }
            penalty *= plan.ratio;
        }
        (best, taken)
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
        let mut units = learn_afresh(&objective, self.last(), seed, &stop, &tick);
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
