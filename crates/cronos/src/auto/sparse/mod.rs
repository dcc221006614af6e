//! Sparse features: one network, learned by column generation from products with what is not 0.
//!
//! A β path is walked on most rows and judged on the others. The network of the best step is where the descent on all
//! rows begins. The loss is the usual one: at the same penalty the squared loss of classes does better while it is
//! stopped early and worse at the end, so that a path misjudges it.

mod certify;
mod plan;

use super::fixed::{FEW_ROWS, FRACTION};
use super::path::{Grid, Seen, penalty_for, walk};
use super::validate::{Goal, Tally, tally};
use super::{
    Found, Member, PathPoint, RoundPoint, SEARCH_SHARE, Search, Task, WHOLE_SHARE, average,
};
use crate::Error;
use crate::admm::{Seconds, Status};
use crate::encoding::Encoding;
use crate::folds::folds;
use crate::learn::{Hidden, SparseRows, descend, learn, penalty};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::network::{Network, TargetScaling};
use crate::observe::Watch;
use crate::real::Real;
use crate::scaling::Scaling;
use crate::sparse::Sparse;
use plan::{Plan, WAY_OUT};
use std::borrow::Cow;
use std::sync::Arc;

const FEATURES: &str = "as they are";

/// The share of its standard error by which a score must be better.
const CHANCE: f64 = 0.25;

type Rows<'a, T> = Seen<T, SparseRows<'a>>;

/// A penalty, and the network to begin from.
struct Choice<T> {
    loss: Loss,
    /// On all rows.
    beta: f64,
    units: Hidden<T>,
    /// On rows left out, if any were.
    tally: Option<Tally>,
    path: Vec<PathPoint>,
    chosen: usize,
}

/// A search for a network.
struct Job<'a> {
    task: &'a Task<'a, Sparse>,
    watch: &'a Watch<'a>,
    plan: Plan,
    all: Arc<SparseRows<'a>>,
    /// What the features are divided by.
    scale: f64,
}

pub(crate) fn search_sparse<T: Real>(
    task: &Task<'_, Sparse>,
    watch: &Watch<'_>,
) -> Result<Found, Error> {
    let start = std::time::Instant::now();
    let mut plan = Plan::new(task.preset);
    plan.pace.units = task.most.unwrap_or(plan.pace.units).max(1);
    let memory = plan.memory::<T>(task.x, task.y.columns());
    memory.check(task.memory, WAY_OUT)?;
    let scale = match task.standardize {
        true => task.x.typical_norm(task.weights),
        false => 1.0,
    };
    let x = SparseRows::new(Cow::Borrowed(task.x), scale, task.bias);
    let job = Job {
        task,
        watch,
        plan,
        all: Arc::new(x),
        scale,
    };
    let setup = start.elapsed().as_secs_f64();
    let choice = match task.beta.is_some() || task.x.rows() < FEW_ROWS {
        true => job.reach::<T>(),
        false => job.choose::<T>(),
    };
    let hurried = watch.stop(SEARCH_SHARE);
    let (network, member) = job.train(choice);
    watch.step(0);
    let cut = watch.stop(WHOLE_SHARE).or(hurried);
    let held_out = !member.path.is_empty();
    let status = match cut {
        Some(status) => status,
        None if held_out => Status::Validated,
        None if member.certificate.gap <= task.tolerance => Status::Solved,
        None => Status::IterationLimit,
    };
    let columns = task.x.columns();
    Ok(Found {
        network: average::network(&[(member.heat, &network)], columns, task.targets),
        status,
        scaling: Scaling {
            mean: vec![0.0; columns],
            scale: vec![scale; columns],
        },
        planned_bytes: Some(memory.total()),
        search: Search {
            folds: usize::from(held_out),
            repeats: usize::from(held_out),
            rows: task.x.rows(),
            sample: None,
            tried: vec![(FEATURES, member.loss)],
            members: vec![member],
        },
        seconds: Seconds {
            setup,
            solve: start.elapsed().as_secs_f64() - setup,
            ..Seconds::default()
        },
    })
}

impl Job<'_> {
    fn seen<T: Real>(&self, loss: Loss) -> Rows<'_, T> {
        Seen {
            x: self.all.clone(),
            y: self.task.scaled(loss),
            weights: self.task.weights.map(<[f64]>::to_vec),
        }
    }

    /// The penalty that is given, or a guess where there is nothing to choose it on; all rows.
    fn reach<T: Real>(&self) -> Choice<T> {
        let Self {
            task, watch, plan, ..
        } = self;
        let loss = task.losses[0];
        let rows = self.seen::<T>(loss);
        let top = rows.zero_beta(loss, plan.pace.climb, task.seed);
        let beta = task.beta.unwrap_or(FRACTION * top * rows.total());
        let low = beta / rows.total();
        // the last step of the walk is one ratio above the penalty itself
        let steps = (top / low).max(1.0).log2().ceil().min(60.0) as usize;
        let grid = Grid {
            top: low * 2f64.powi(steps as i32),
            ratio: 0.5,
            steps,
        };
        watch.expect(steps + 1);
        let stop = || watch.stop(SEARCH_SHARE).is_some();
        let visit = |_: usize, _: &Hidden<T>| {
            watch.step(0);
            true
        };
        Choice {
            loss,
            beta,
            units: walk(&rows, loss, &grid, &plan.pace, task.seed, &stop, visit),
            tally: None,
            path: Vec::new(),
            chosen: 0,
        }
    }

    /// The penalty that does best on rows left out.
    fn choose<T: Real>(&self) -> Choice<T> {
        let Self {
            task, watch, plan, ..
        } = self;
        watch.expect(plan.steps + 1);
        let (n, loss) = (task.x.rows(), task.losses[0]);
        let mut parts = folds(task.labels, n, Plan::parts(n), task.seed);
        let held = parts.swap_remove(0);
        let mut kept = parts.concat();
        kept.sort_unstable();
        let all = self.seen::<T>(loss);
        let [kept, held] = [kept, held].map(|rows| all.select(&rows));
        self.path(&kept, &held, loss)
    }

    /// Walks down the penalties; returns what has the best score on the rows left out.
    fn path<T: Real>(&self, kept: &Rows<'_, T>, held: &Rows<'_, T>, loss: Loss) -> Choice<T> {
        let Self {
            task, watch, plan, ..
        } = self;
        let goal = Goal::of(task.labels);
        let all = match task.weights {
            Some(weights) => weights.iter().sum(),
            None => task.x.rows() as f64,
        };
        let grid = Grid {
            // at the very top there is nothing to see
            top: plan.ratio * kept.zero_beta(loss, plan.pace.climb, task.seed),
            ratio: plan.ratio,
            steps: plan.steps,
        };
        let beta = |step: usize| penalty_for(grid.at(step), kept.total(), all);
        let mut best = f64::INFINITY;
        let mut choice = Choice {
            loss,
            beta: beta(0),
            units: Hidden::none(task.x.columns() + usize::from(task.bias), task.y.columns()),
            tally: None,
            path: Vec::new(),
            chosen: 0,
        };
        let stop = || watch.stop(SEARCH_SHARE).is_some();
        let visit = |step: usize, units: &Hidden<T>| {
            let shown = tally(held, units, loss, goal, true);
            let score = shown.score(goal);
            choice.path.push(PathPoint {
                beta: beta(step),
                neurons: units.len() as f64,
                train_score: tally(kept, units, loss, goal, false).shown(goal),
                validation_score: shown.shown(goal),
                validation_loss: score,
                spread: 0.0,
            });
            // a penalty is lowered for more than chance only; the first is kept whatever it is
            let chance = CHANCE * average::standard_error(score, held.y.rows());
            if score < best - chance || step == 0 {
                best = score;
                choice.beta = beta(step);
                choice.units = units.clone();
                choice.tally = Some(shown);
                choice.chosen = step;
            }
            let go_on = step < choice.chosen + plan.patience;
            watch.step(if go_on { 0 } else { grid.steps - step - 1 });
            go_on
        };
        walk(kept, loss, &grid, &plan.pace, task.seed, &stop, visit);
        choice
    }

    /// Learns on all rows from where the choice was made.
    fn train<T: Real>(&self, choice: Choice<T>) -> (Network, Member) {
        let Self {
            task, watch, plan, ..
        } = self;
        let Choice {
            loss,
            beta,
            mut units,
            tally,
            ..
        } = choice;
        let rows = self.seen::<T>(loss);
        let objective = rows.objective(loss, beta);
        let stop = || watch.stop(WHOLE_SHARE).is_some();
        let seed = task.seed.wrapping_add(0xa11);
        // where rows were left out they had their say about the units
        let rounds = match tally {
            Some(_) => Vec::new(),
            None => learn(&objective, &mut units, plan.effort(), seed, &stop),
        };
        descend(&objective, &mut units, plan.polish(), &stop);
        units.balance();
        let certificate = certify::certificate(&rows, loss, beta, &units);
        let mut points: Vec<RoundPoint> = rounds
            .iter()
            .map(|round| RoundPoint {
                beta,
                objective: round.objective,
                neurons: round.neurons,
            })
            .collect();
        points.push(RoundPoint {
            beta,
            objective: objective.pull(&units).0 + penalty(&units, beta),
            neurons: units.len(),
        });
        let goal = Goal::of(task.labels);
        let member = Member {
            features: FEATURES,
            loss,
            heat: tally.map_or(1.0, |tally| tally.heat(goal)),
            weight: 1.0,
            beta,
            neurons: units.len(),
            columns: task.x.columns(),
            validation_score: tally.map_or(f64::NAN, |tally| tally.shown(goal)),
            certificate,
            path: choice.path,
            rounds: points,
            chosen: choice.chosen,
        };
        (self.network(&units), member)
    }

    /// The network on raw features.
    fn network<T: Real>(&self, units: &Hidden<T>) -> Network {
        let (d, m, outputs) = (self.task.x.columns(), units.len(), units.outputs);
        let TargetScaling { mean, scale } = self.task.targets;
        let mut hidden = Vec::with_capacity(d * m);
        let mut hidden_bias = Vec::with_capacity(m);
        let mut output = Vec::with_capacity(m * outputs);
        for (w, a) in units.units() {
            // w·(x/s, 1) = (w/s)·x + b
            hidden.extend(w[..d].iter().map(|w| w.wide() / self.scale));
            hidden_bias.push(w.get(d).map_or(0.0, |bias| bias.wide()));
            output.extend(a.iter().zip(scale).map(|(a, scale)| a.wide() * scale));
        }
        Network {
            encoding: Encoding::default(),
            hidden: Matrix::of(m, d, hidden),
            hidden_bias,
            output: Matrix::of(m, outputs, output),
            output_bias: mean.clone(),
            gating: None,
        }
    }
}
