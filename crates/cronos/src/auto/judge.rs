//! What the paths of the candidates show on the rows left out, and the best step of each.

use super::path::walk;
use super::plan::Plan;
use super::validate::{Goal, Tally, tally};
use super::{Candidate, PathPoint, SEARCH_SHARE, Task};
use crate::folds::folds;
use crate::observe::Watch;
use crate::real::Real;
use rayon::prelude::*;

/// Steps without a better score after which a path ends.
const PATIENCE: usize = 5;

/// What one path on one fold showed, step by step.
#[derive(Clone, Default)]
pub(super) struct Trace {
    validation: Vec<Tally>,
    train: Vec<Tally>,
    neurons: Vec<usize>,
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
    pub shown: f64,
    pub heat: f64,
    pub path: Vec<PathPoint>,
}

/// Walks the path of every candidate on every fold.
pub(super) fn traces<T: Real>(
    task: &Task<'_>,
    candidates: &[Candidate<T>],
    plan: &Plan,
    goal: Goal,
    watch: &Watch<'_>,
) -> Vec<Vec<Trace>> {
    let n = task.x.rows();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for repeat in 0..plan.repeats as u64 {
        let dealt = folds(task.labels, n, plan.parts(), task.seed.wrapping_add(repeat));
        parts.extend(dealt.into_iter().take(plan.folds));
    }
    let jobs: Vec<(usize, usize)> = (0..candidates.len())
        .rev()
        .flat_map(|candidate| (0..parts.len()).map(move |part| (candidate, part)))
        .collect();
    let stop = || watch.stop(SEARCH_SHARE).is_some();
    let done: Vec<Trace> = jobs
        .par_iter()
        .map(|&(at, part)| {
            let candidate = &candidates[at];
            let mut held = vec![false; n];
            parts[part].iter().for_each(|&row| held[row] = true);
            let kept: Vec<usize> = (0..n).filter(|&row| !held[row]).collect();
            let learned_from = candidate.seen.select(&kept);
            let held_out = candidate.seen.select(&parts[part]);
            let mut trace = Trace::default();
            let mut best = (f64::INFINITY, 0);
            let seed = task.seed.wrapping_add(31 * (part as u64 + 1));
            let (loss, grid) = (candidate.loss, &candidate.grid);
            walk(
                &learned_from,
                loss,
                grid,
                &plan.pace,
                seed,
                &stop,
                |step, units| {
                    let validation = tally(&held_out, units, loss, goal);
                    let score = validation.score(goal);
                    trace.validation.push(validation);
                    trace.train.push(tally(&learned_from, units, loss, goal));
                    trace.neurons.push(units.len());
                    if score < best.0 {
                        best = (score, step);
                    }
                    let go_on = step < best.1 + PATIENCE;
                    let ahead = if go_on { 0 } else { grid.steps - step - 1 };
                    watch.step(ahead);
                    go_on
                },
            );
            trace
        })
        .collect();
    let mut traces = vec![Vec::new(); candidates.len()];
    for ((candidate, _), trace) in jobs.into_iter().zip(done) {
        traces[candidate].push(trace);
    }
    traces
}

/// The best step of a candidate, over all folds.
pub(super) fn judge<T: Real>(
    candidate: usize,
    traces: &[Trace],
    of: &Candidate<T>,
    goal: Goal,
) -> Option<Judged> {
    let steps = traces.iter().map(|trace| trace.validation.len()).max()?;
    let total = of.seen.total();
    let path: Vec<PathPoint> = (0..steps)
        .map(|step| {
            let (mut validation, mut train) = (Tally::default(), Tally::default());
            let (mut neurons, mut shown) = (0.0, Vec::new());
            for trace in traces {
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
                beta: of.grid.at(step) * total,
                neurons: neurons / shown.len() as f64,
                train_score: train.shown(goal),
                validation_score: validation.shown(goal),
                validation_loss: validation.score(goal),
                spread: (squares / shown.len() as f64).sqrt(),
            }
        })
        .collect();
    let heat = |step: usize| {
        let mut validation = Tally::default();
        for trace in traces {
            validation.add(&Trace::at(&trace.validation, step).unwrap_or_default());
        }
        validation.heat(goal)
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
        shown: path[step].validation_score,
        heat: heat(step),
        path,
    })
}
