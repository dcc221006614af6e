//! The kinds of networks that are tried: a way of seeing the features and a loss.

use super::Task;
use super::design::{self, Design};
use super::path::{Grid, Seen, penalty_for};
use super::plan::{self, Plan};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::real::Real;
use std::sync::Arc;

/// One style and one loss with their data.
pub(super) struct Candidate<T> {
    pub design: Design,
    pub loss: Loss,
    /// All rows.
    pub seen: Seen<T>,
    /// The rows that paths are walked on.
    pub sample: Seen<T>,
    pub grid: Grid,
}

impl<T: Real> Candidate<T> {
    /// Penalty on all rows at a step of the path.
    pub fn beta(&self, step: usize) -> f64 {
        penalty_for(self.grid.at(step), self.sample.total(), self.seen.total())
    }
}

/// The styles that differ on these rows, with each loss, in the order in which
/// they are worth trying.
pub(super) fn kinds(task: &Task<'_>) -> Vec<(Design, Loss)> {
    let mut designs: Vec<Design> = Vec::new();
    let all = if task.standardize && task.encode {
        Design::all(task.x, task.bias, plan::MOST_RAMPS)
    } else {
        vec![Design::as_they_are(task.x, task.bias)]
    };
    for mut design in all {
        let none = design.encoding.ramps.is_empty();
        let same = |other: &Design| {
            other.same_columns(&design) || (none && other.encoding.ramps.is_empty())
        };
        if designs.iter().any(same) {
            continue;
        }
        if task.standardize {
            design.standardize(task.x, task.weights);
        }
        designs.push(design);
    }
    let (usual, others) = task.losses.split_at(1);
    let mut kinds = Vec::new();
    for (at, design) in designs.into_iter().enumerate() {
        // other losses on the features as they are and on one way of cutting them
        let with_others = at == 0 || design.style == design::STYLES[3];
        let losses = usual.iter().chain(others.iter().filter(|_| with_others));
        kinds.extend(losses.map(|&loss| (design.clone(), loss)));
    }
    // where columns are many, rather another way of seeing them than another loss
    let ranks = kinds.iter().position(|(design, _)| design.encoding.summed);
    if let Some(ranks) = ranks {
        kinds[1..=ranks].rotate_right(1);
    }
    kinds
}

/// The first of the kinds, as many as the plan says, with their data.
pub(super) fn candidates<T: Real>(
    task: &Task<'_>,
    kinds: Vec<(Design, Loss)>,
    sample: Option<&[usize]>,
    plan: &Plan,
) -> Vec<Candidate<T>> {
    let mut candidates: Vec<Candidate<T>> = Vec::new();
    for (design, loss) in kinds.into_iter().take(plan.kinds) {
        let last = candidates.last();
        // losses on the same columns share them
        let x = match last.filter(|last| last.design.same_columns(&design)) {
            Some(last) => last.seen.x.clone(),
            None => Arc::new(design.apply(task.x)),
        };
        candidates.push(candidate(task, design, loss, x, sample, plan));
    }
    candidates
}

fn candidate<T: Real>(
    task: &Task<'_>,
    design: Design,
    loss: Loss,
    x: Arc<Matrix<T>>,
    sample: Option<&[usize]>,
    plan: &Plan,
) -> Candidate<T> {
    let seen = Seen {
        x,
        y: task.scaled(loss),
        weights: task.weights.map(<[f64]>::to_vec),
    };
    let sample = match sample {
        Some(rows) => seen.select(rows),
        None => seen.clone(),
    };
    let grid = Grid {
        // at the very top there is nothing to see
        top: plan.ratio * sample.zero_beta(loss, plan.pace.climb, task.seed),
        ratio: plan.ratio,
        steps: plan.steps,
    };
    Candidate {
        design,
        loss,
        seen,
        sample,
        grid,
    }
}

impl<X> Task<'_, X> {
    /// The targets in the terms of a loss.
    pub(super) fn scaled<T: Real>(&self, loss: Loss) -> Matrix<T> {
        let (n, outputs) = (self.y.rows(), self.y.columns());
        let signed = matches!(loss, Loss::Logistic | Loss::SquaredHinge);
        Matrix::from_fn(n, outputs, |i, c| {
            let y = (self.y.at(i, c) - self.targets.mean[c]) / self.targets.scale[c];
            // several classes are 0 and 1, which some losses want as −1 and 1
            let other = signed && self.labels.is_some() && y == 0.0;
            T::of(if other { -1.0 } else { y })
        })
    }
}
