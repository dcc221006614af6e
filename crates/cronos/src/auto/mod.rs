//! The automatic mode: everything chosen on held-out rows.
//!
//! For each way of seeing the features a β path is walked on every fold; each
//! step is judged on the rows left out. The best step of each is learned again
//! on all rows, and the networks are averaged, the better the heavier. An average
//! of two-layer networks is a two-layer network.

mod average;
mod candidate;
mod certify;
mod design;
mod fixed;
mod judge;
mod many;
mod path;
mod plan;
mod record;
mod refit;
mod sparse;
mod validate;

pub use plan::Preset;
pub use record::{Member, PathPoint, RoundPoint, Search};
pub(crate) use sparse::search_sparse;

use crate::Error;
use crate::admm::{Seconds, Status};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::network::{Network, TargetScaling};
use crate::observe::Watch;
use crate::real::Real;
use crate::scaling::Scaling;
use candidate::{Candidate, candidates, kinds};
use judge::{Judged, in_turn, judge, traces};
use many::{Crowd, Split};
use plan::Plan;
use refit::{Refit, Trained};
use validate::Goal;

/// Shares of a time limit after which the search, and everything, must end.
const SEARCH_SHARE: f64 = 0.6;
const WHOLE_SHARE: f64 = 0.95;

/// What an automatic fit needs to know.
pub(crate) struct Task<'a, X = Matrix<f64>> {
    pub x: &'a X,
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
    /// Whether columns may also be cut into pieces.
    pub encode: bool,
    /// Networks of each kind in the average, if that is given.
    pub networks: Option<usize>,
    pub preset: Preset,
    /// The penalty, if it is given.
    pub beta: Option<f64>,
    /// Units at most, in each network.
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

pub(crate) fn search<T: Real>(task: &Task<'_>, watch: &Watch<'_>) -> Result<Found, Error> {
    if task.beta.is_some() || task.x.rows() < fixed::FEW_ROWS {
        return fixed::fixed(task, watch);
    }
    let start = std::time::Instant::now();
    let n = task.x.rows();
    let kinds = kinds(task);
    let widths: Vec<usize> = kinds.iter().map(|(design, _)| design.columns()).collect();
    let mut plan = Plan::new(n, &widths, task.y.columns(), task.preset).bounded(task.most);
    plan.networks = task.networks.unwrap_or(plan.networks);
    let memory = plan.memory::<T>(n, &widths, task.y.columns());
    memory.check(task.memory, plan::WAY_OUT)?;
    let split = plan
        .many
        .map(|many| Split::new(n, task.labels, many.sample, task.seed));
    let sample = split.as_ref().map(Split::sample);
    let candidates: Vec<Candidate<T>> = candidates(task, kinds, sample, &plan);
    let setup = start.elapsed().as_secs_f64();
    let refit = Refit {
        task,
        plan: &plan,
        watch,
    };
    let (lead, mut trained, cut) = match (plan.many, &split) {
        (Some(many), Some(split)) => {
            let crowd = Crowd {
                refit,
                candidates: &candidates,
                split,
                many,
            };
            watch.expect(crowd.steps(plan.networks));
            crowd.train()
        }
        _ => few(&refit, &candidates),
    };
    // those that were cut short only count if there is nothing else
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
        .map(|trained| {
            (
                trained.member.weight * trained.member.heat,
                &trained.network,
            )
        })
        .collect();
    let network = average::network(&weighted, task.x.columns(), task.targets);
    let members: Vec<Member> = trained.into_iter().map(|trained| trained.member).collect();
    let scaling = average::raw_scaling(&network, &candidates[lead].design.scaling);
    Ok(Found {
        network,
        scaling,
        planned_bytes: Some(memory.total()),
        status: match cut {
            true => watch.stop(SEARCH_SHARE).unwrap_or(Status::TimeLimit),
            false => Status::Validated,
        },
        search: Search {
            members,
            folds: plan.folds,
            repeats: plan.repeats,
            rows: n,
            sample: plan.many.map(|many| many.sample),
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

/// The best candidates, judged by paths on folds; their networks on all rows, and whether
/// the search was cut short.
fn few<T: Real>(refit: &Refit<'_>, candidates: &[Candidate<T>]) -> (usize, Vec<Trained>, bool) {
    let Refit { task, plan, watch } = *refit;
    let goal = Goal::of(task.labels);
    watch.expect((plan.jobs() * candidates.len() + plan.networks) * plan.steps);
    let traces = traces(candidates, task.labels, task.seed, plan, goal, watch);
    let mut judged: Vec<Judged> = traces
        .iter()
        .enumerate()
        .filter_map(|(at, traces)| judge(at, traces, &candidates[at], goal))
        .collect();
    judged.sort_by(|a, b| a.score.total_cmp(&b.score));
    let lead = judged.first().map_or(0, |judged| judged.candidate);
    let design = |judged: &Judged| &candidates[judged.candidate].design;
    judged.retain(|judged| candidates[lead].design.averages_with(design(judged)));
    let scores: Vec<f64> = judged.iter().map(|judged| judged.score).collect();
    let shares = average::shares(&scores, task.x.rows());
    judged.truncate(shares.len());
    // several networks of each kind, which differ in where the search for gates starts
    let jobs: Vec<(usize, u64)> = (0..plan.networks as u64)
        .flat_map(|number| (0..judged.len()).map(move |at| (at, number)))
        .collect();
    let trained: Vec<Trained> = in_turn(&jobs, |&(at, number)| {
        let candidate = &candidates[judged[at].candidate];
        let first = at == 0 && number == 0;
        refit.run(candidate, &judged[at], shares[at], number, first)
    });
    let cut = traces.iter().flatten().any(|trace| !trace.complete)
        || trained.iter().any(|trained| !trained.complete);
    (lead, trained, cut)
}
