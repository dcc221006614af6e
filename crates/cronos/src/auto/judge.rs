//! What the paths of the candidates show on the rows left out, and the best step of each.

use super::candidate::Candidate;
use super::path::walk;
use super::plan::Plan;
use super::validate::{Goal, Tally, tally};
use super::{PathPoint, SEARCH_SHARE, average};
use crate::folds::folds;
use crate::learn::Hidden;
use crate::observe::Watch;
use crate::real::Real;
use rayon::prelude::*;

/// Standard errors behind the best, on the first fold, at which a candidate is given up.
const RACE: f64 = 2.0;

/// What one path on one fold showed, step by step.
pub(super) struct Trace {
    validation: Vec<Tally>,
    train: Vec<Tally>,
    neurons: Vec<usize>,
    /// Whether the walk came to its own end.
    pub complete: bool,
}

impl Trace {
    /// The last step stands for those that were not taken.
    fn at<V: Copy>(values: &[V], step: usize) -> Option<V> {
        values.get(step).or(values.last()).copied()
    }
}

/// A candidate with its score at its best step.
pub(super) struct Judged {
    pub candidate: usize,
    pub step: usize,
    pub score: f64,
    /// What it showed at that step on the rows left out.
    pub tally: Tally,
    pub path: Vec<PathPoint>,
}

/// Walks the paths of the candidates on the folds: all of them on the first fold,
/// on the others only those that are not far behind.
pub(super) fn traces<T: Real>(
    candidates: &[Candidate<T>],
    labels: Option<&[usize]>,
    seed: u64,
    plan: &Plan,
    goal: Goal,
    watch: &Watch<'_>,
) -> Vec<Vec<Trace>> {
    let n = candidates
        .first()
        .map_or(0, |candidate| candidate.sample.x.rows());
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for repeat in 0..plan.repeats as u64 {
        let dealt = folds(labels, n, plan.parts(), seed.wrapping_add(repeat));
        parts.extend(dealt.into_iter().take(plan.folds));
    }
    let mut traces: Vec<Vec<Trace>> = candidates.iter().map(|_| Vec::new()).collect();
    let mut run = |jobs: Vec<(usize, usize)>| {
        let done: Vec<Trace> = in_turn(&jobs, |&(at, part)| {
            let seed = seed.wrapping_add(31 * (part as u64 + 1));
            trace(&candidates[at], &parts[part], seed, plan, goal, watch)
        });
        for (&(at, _), trace) in jobs.iter().zip(done) {
            traces[at].push(trace);
        }
        still_in(&traces, parts[0].len(), goal)
    };
    let all = 0..candidates.len();
    let ahead = run(all.clone().map(|at| (at, 0)).collect());
    for _ in all.filter(|at| !ahead.contains(at)) {
        watch.skip((parts.len() - 1) * plan.steps);
    }
    if parts.len() > 1 {
        let rest = (1..parts.len()).flat_map(|part| ahead.iter().map(move |&at| (at, part)));
        run(rest.collect());
    }
    for (at, traces) in traces.iter_mut().enumerate() {
        if !ahead.contains(&at) {
            traces.clear();
        }
    }
    traces
}

/// The candidates whose score on the first `rows` rows left out is within `RACE`
/// standard errors of the best.
fn still_in(traces: &[Vec<Trace>], rows: usize, goal: Goal) -> Vec<usize> {
    let score = |traces: &Vec<Trace>| {
        let steps = traces
            .first()
            .into_iter()
            .flat_map(|trace| &trace.validation);
        steps
            .map(|tally| tally.score(goal))
            .fold(f64::INFINITY, f64::min)
    };
    let scores: Vec<f64> = traces.iter().map(score).collect();
    let best = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let limit = best + RACE * average::standard_error(best, rows);
    (0..scores.len())
        .filter(|&at| scores[at] <= limit)
        .collect()
}

/// What `work` makes of every job, in their order. Jobs are begun one after the
/// other, so that those at the front are done if time runs out.
pub(super) fn in_turn<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let mut done: Vec<(usize, R)> = jobs
        .iter()
        .enumerate()
        .par_bridge()
        .map(|(at, job)| (at, work(job)))
        .collect();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Walks the path of a candidate on the rows that are not `held`.
fn trace<T: Real>(
    candidate: &Candidate<T>,
    held: &[usize],
    seed: u64,
    plan: &Plan,
    goal: Goal,
    watch: &Watch<'_>,
) -> Trace {
    let n = candidate.sample.x.rows();
    let mut is_held = vec![false; n];
    held.iter().for_each(|&row| is_held[row] = true);
    let kept: Vec<usize> = (0..n).filter(|&row| !is_held[row]).collect();
    let learned_from = candidate.sample.select(&kept);
    let held_out = candidate.sample.select(held);
    let mut trace = Trace {
        validation: Vec::new(),
        train: Vec::new(),
        neurons: Vec::new(),
        complete: false,
    };
    let mut best = (f64::INFINITY, 0);
    let (loss, grid) = (candidate.loss, &candidate.grid);
    let stop = || watch.stop(SEARCH_SHARE).is_some();
    let visit = |step: usize, units: &Hidden<T>| {
        let validation = tally(&held_out, units, loss, goal, true);
        let score = validation.score(goal);
        trace.validation.push(validation);
        trace
            .train
            .push(tally(&learned_from, units, loss, goal, false));
        trace.neurons.push(units.len());
        if score < best.0 {
            best = (score, step);
        }
        let go_on = step < best.1 + plan.patience;
        watch.step(if go_on { 0 } else { grid.steps - step - 1 });
        go_on
    };
    walk(&learned_from, loss, grid, &plan.pace, seed, &stop, visit);
    trace.complete = !stop();
    trace
}

/// The best step of a candidate, over all folds.
pub(super) fn judge<T: Real>(
    candidate: usize,
    traces: &[Trace],
    of: &Candidate<T>,
    goal: Goal,
) -> Option<Judged> {
    let complete = traces.iter().any(|trace| trace.complete);
    let usable = |trace: &&Trace| trace.complete || !complete;
    let traces: Vec<&Trace> = traces.iter().filter(usable).collect();
    let steps = traces.iter().map(|trace| trace.validation.len()).max()?;
    let path: Vec<PathPoint> = (0..steps)
        .map(|step| {
            let (mut validation, mut train) = (Tally::default(), Tally::default());
            let (mut neurons, mut shown) = (0.0, Vec::new());
            for trace in &traces {
                let Some(held_out) = Trace::at(&trace.validation, step) else {
                    continue;
                };
                validation.add(&held_out);
                shown.push(held_out.shown(goal));
                train.add(&Trace::at(&trace.train, step).unwrap_or_default());
                neurons += Trace::at(&trace.neurons, step).unwrap_or(0) as f64;
            }
            let mean = shown.iter().sum::<f64>() / shown.len() as f64;
            let squares = shown
                .iter()
                .map(|value| (value - mean).powi(2))
                .sum::<f64>();
            PathPoint {
                beta: of.beta(step),
                neurons: neurons / shown.len() as f64,
                train_score: train.shown(goal),
                validation_score: validation.shown(goal),
                validation_loss: validation.score(goal),
                spread: (squares / shown.len() as f64).sqrt(),
            }
        })
        .collect();
    let tally = |step: usize| {
        let mut validation = Tally::default();
        for trace in &traces {
            validation.add(&Trace::at(&trace.validation, step).unwrap_or_default());
        }
        validation
    };
    let scores = path.iter().map(|point| point.validation_loss);
    let (step, score) = scores
        .enumerate()
        .filter(|(_, score)| score.is_finite())
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Judged {
        candidate,
        step,
        score,
        tally: tally(step),
        path,
    })
}
