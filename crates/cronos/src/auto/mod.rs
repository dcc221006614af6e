//! The automatic mode: everything chosen on held-out rows.
//!
//! For each way of seeing the features a β path is walked on every fold; each
//! step is judged on the rows left out. The best step of each is learned again
//! on all rows, and the networks are averaged, the better the heavier. An average
//! of two-layer networks is a two-layer network.

mod average;
mod certify;
mod design;
mod fixed;
mod judge;
mod levels;
mod path;
mod plan;
mod refit;
mod validate;

pub use plan::Preset;

use crate::Error;
use crate::admm::{Seconds, Status};
use crate::certificate::Certificate;
use crate::folds::folds;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::network::{Network, TargetScaling};
use crate::observe::Watch;
use crate::real::Real;
use crate::scaling::Scaling;
use design::Design;
use judge::{Judged, in_turn, judge, traces};
use path::{Grid, Seen};
use plan::Plan;
use refit::{Refit, Trained};
use std::sync::Arc;
use validate::Goal;

/// Shares of a time limit after which the search, and everything, must end.
const SEARCH_SHARE: f64 = 0.6;
const WHOLE_SHARE: f64 = 0.95;

/// A step of a β path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathPoint {
    /// Penalty on all training rows.
    pub beta: f64,
    /// Units, the mean over folds.
    pub neurons: f64,
    /// Accuracy or R² on the rows learned from, and on those left out.
    pub train_score: f64,
    /// See `train_score`.
    pub validation_score: f64,
    /// What was minimised over the path; lower is better.
    pub validation_loss: f64,
    /// Standard deviation of the validation score between folds.
    pub spread: f64,
}

/// One network of the average.
#[derive(Clone, Debug)]
pub struct Member {
    /// How it sees the features.
    pub features: &'static str,
    /// The loss it was trained with.
    pub loss: Loss,
    /// What its outputs are multiplied by to be log-odds; 1 for numbers.
    pub heat: f64,
    /// Its share of the average.
    pub weight: f64,
    /// Its penalty.
    pub beta: f64,
    /// Its units.
    pub neurons: usize,
    /// Columns it sees, the bias not counted.
    pub columns: usize,
    /// Accuracy or R² on held-out rows.
    pub validation_score: f64,
    /// How close it is to the best network with its gates.
    pub certificate: Certificate,
    /// The path its penalty was chosen from.
    pub path: Vec<PathPoint>,
    /// Objective and units after each step of the last training.
    pub rounds: Vec<RoundPoint>,
    /// The step that was chosen.
    pub chosen: usize,
}

/// A step of the last training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundPoint {
    /// Penalty of the step.
    pub beta: f64,
    /// Objective of the network at the chosen penalty.
    pub objective: f64,
    /// Units.
    pub neurons: usize,
}

/// What the automatic mode found and how.
#[derive(Clone, Debug)]
pub struct Search {
    /// The networks of the average, the heaviest first.
    pub members: Vec<Member>,
    /// Folds, or 1 for a single held-out part.
    pub folds: usize,
    /// Times the rows were dealt into folds.
    pub repeats: usize,
    /// Rows that took part.
    pub rows: usize,
    /// Of them those that the choice was made on, when not all were.
    pub sample: Option<usize>,
    /// Ways of seeing the features, and losses, that were tried.
    pub tried: Vec<(&'static str, Loss)>,
}

/// What an automatic fit needs to know.
pub(crate) struct Task<'a> {
    pub x: &'a Matrix<f64>,
    /// n x C, as the losses want them: classes are 1 where a row belongs
    pub y: &'a Matrix<f64>,
    pub weights: Option<&'a [f64]>,
    /// The class of each row, for classification.
    pub labels: Option<&'a [usize]>,
    /// The losses to try, the usual one first.
    pub losses: &'a [Loss],
    pub targets: &'a TargetScaling,
    pub bias: bool,
    pub standardize: bool,
    pub preset: Preset,
    /// The penalty, if it is given.
    pub beta: Option<f64>,
    /// Units at most, when the penalty is given.
    pub most: Option<usize>,
    /// The gap to reach when the penalty is given.
    pub tolerance: f64,
    /// Bytes that may be taken.
    pub memory: u64,
    pub seed: u64,
}

/// What an automatic fit gives.
pub(crate) struct Found {
    pub network: Network,
    pub search: Search,
    pub status: Status,
    pub scaling: Scaling,
    pub planned_bytes: Option<u64>,
    pub seconds: Seconds,
}

/// One style and one loss with their data.
struct Candidate<T> {
    design: Design,
    loss: Loss,
    /// All rows.
    seen: Seen<T>,
    /// The rows that paths are walked on.
    sample: Seen<T>,
    grid: Grid,
}

impl<T: Real> Candidate<T> {
    /// Penalty on all rows at a step of the path. Noise in the gradient of the loss
    /// grows with the square root of the rows, and so does the penalty against it.
    fn beta(&self, step: usize) -> f64 {
        let (all, sample) = (self.seen.total(), self.sample.total());
        self.grid.at(step) * (all * sample).sqrt()
    }
}

pub(crate) fn search<T: Real>(task: &Task<'_>, watch: &Watch<'_>) -> Result<Found, Error> {
    if task.beta.is_some() || task.x.rows() < fixed::FEW_ROWS {
        return fixed::fixed(task, watch);
    }
    let start = std::time::Instant::now();
    let goal = Goal::of(task.labels);
    let n = task.x.rows();
    let kinds = kinds(task);
    let widths: Vec<usize> = kinds.iter().map(|(design, _)| design.columns()).collect();
    let plan = Plan::new(n, &widths, task.y.columns(), task.preset);
    let memory = plan.memory::<T>(n, &widths, task.y.columns());
    memory.check(task.memory, plan::WAY_OUT)?;
    let sample = sample(task, &plan);
    let mut candidates: Vec<Candidate<T>> = Vec::new();
    for (design, loss) in kinds.into_iter().take(plan.kinds) {
        // losses on the same columns share them
        let same = candidates
            .last()
            .filter(|last| last.design.same_columns(&design));
        let x = match same {
            Some(last) => last.seen.x.clone(),
            None => Arc::new(design.apply(task.x)),
        };
        candidates.push(candidate(task, design, loss, x, sample.as_deref(), &plan));
    }
    let setup = start.elapsed().as_secs_f64();
    watch.expect((plan.jobs() * candidates.len() + plan.networks) * plan.steps);
    let labels: Option<Vec<usize>> = match (task.labels, &sample) {
        (Some(labels), Some(rows)) => Some(rows.iter().map(|&row| labels[row]).collect()),
        (labels, _) => labels.map(<[usize]>::to_vec),
    };
    let traces = traces(
        &candidates,
        labels.as_deref(),
        task.seed,
        &plan,
        goal,
        watch,
    );
    let mut judged: Vec<Judged> = traces
        .iter()
        .enumerate()
        .filter_map(|(at, traces)| judge(at, traces, &candidates[at], goal))
        .collect();
    judged.sort_by(|a, b| a.score.total_cmp(&b.score));
    let scores: Vec<f64> = judged.iter().map(|judged| judged.score).collect();
    let shares = average::shares(&scores, plan.sample.unwrap_or(n));
    judged.truncate(if sample.is_some() { 1 } else { shares.len() });
    // several networks of each kind, which differ in where the search for gates starts
    let jobs: Vec<(usize, u64)> = (0..plan.networks as u64)
        .flat_map(|number| (0..judged.len()).map(move |at| (at, number)))
        .collect();
    let refit = Refit {
        task,
        plan: &plan,
        sampled: sample.as_deref(),
        watch,
    };
    let mut trained: Vec<Trained> = in_turn(&jobs, |&(at, number)| {
        let candidate = &candidates[judged[at].candidate];
        let lead = at == 0 && number == 0;
        refit.run(candidate, &judged[at], shares[at], number, lead)
    });
    // those that the clock cut short only count if there is nothing else
    if trained.iter().any(|trained| trained.complete) {
        trained.retain(|trained| trained.complete);
    }
    let total: f64 = trained.iter().map(|trained| trained.member.weight).sum();
    trained
        .iter_mut()
        .for_each(|trained| trained.member.weight /= total);
    trained.sort_by(|a, b| b.member.weight.total_cmp(&a.member.weight));
    let weighted: Vec<(f64, &Network)> = trained
        .iter()
        .map(
            |Trained {
                 network, member, ..
             }| (member.weight * member.heat, network),
        )
        .collect();
    let network = average::network(&weighted, task.x.columns(), task.targets);
    let members: Vec<Member> = trained.into_iter().map(|trained| trained.member).collect();
    let lead = judged.first().map_or(0, |judged| judged.candidate);
    let scaling = average::raw_scaling(&network, &candidates[lead].design.scaling);
    Ok(Found {
        network,
        scaling,
        planned_bytes: Some(memory.total()),
        status: watch.stop(SEARCH_SHARE).unwrap_or(Status::Validated),
        search: Search {
            members,
            folds: plan.folds,
            repeats: plan.repeats,
            rows: n,
            sample: plan.sample,
            tried: candidates
                .iter()
                .map(|candidate| (candidate.design.style.name, candidate.loss))
                .collect(),
        },
        seconds: Seconds {
            setup,
            solve: start.elapsed().as_secs_f64() - setup,
            ..Seconds::default()
        },
    })
}

/// The styles that differ on these rows, with each loss, in the order in which
/// they are worth trying.
fn kinds(task: &Task<'_>) -> Vec<(Design, Loss)> {
    let mut designs: Vec<Design> = Vec::new();
    let styles = if task.standardize {
        &design::STYLES[..]
    } else {
        &design::STYLES[..1]
    };
    for &style in styles {
        let Some(mut design) = Design::new(task.x, style, task.bias, plan::MOST_RAMPS) else {
            continue;
        };
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
    kinds
}

/// The rows that paths are walked on, if not all: as many of each class as there
/// are in its share.
fn sample(task: &Task<'_>, plan: &Plan) -> Option<Vec<usize>> {
    let n = task.x.rows();
    let parts = n.div_ceil(plan.sample?);
    folds(task.labels, n, parts, task.seed ^ 0x5a3)
        .into_iter()
        .next()
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
        top: plan.ratio * sample.zero_beta(loss, task.seed),
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

impl Task<'_> {
    /// The targets in the terms of a loss.
    fn scaled<T: Real>(&self, loss: Loss) -> Matrix<T> {
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
