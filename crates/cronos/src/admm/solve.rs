//! From a program to a solution: choose, reduce, set up, run.

use super::history::{Iteration, Seconds};
use super::run::Run;
use super::settings::{Settings, Split};
use super::status::Status;
use crate::Error;
use crate::certificate::{Certificate, Dual};
use crate::engine::{Engine, SweepStep};
use crate::matrix::Matrix;
use crate::memory::{self, Plan};
use crate::program::{Activation, Program};
use crate::real::Real;
use crate::reduction::Reduction;
use crate::solver::{self, Build, Choice};
use std::ops::ControlFlow;
use std::time::Instant;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Solution {
    /// How the run ended.
    pub status: Status,
    /// The weights: d x (signs P C), column by column, ordered output, sign, gate.
    pub weights: Vec<f64>,
    /// Objective, bound, gap and violation of the weights.
    pub certificate: Certificate,
    /// The dual point behind the bound, if it was asked for.
    pub dual: Option<Dual>,
    /// One record per iteration.
    pub history: Vec<Iteration>,
    /// Which u-solver ran, and why.
    pub choice: Choice,
    /// Rank of the Nyström preconditioner, if there was one.
    pub rank: Option<usize>,
    /// The memory that was planned.
    pub plan: Plan,
    /// Columns that were solved for after the thin factorisation, when `d > n`.
    pub reduced_features: Option<usize>,
    /// Wall-clock seconds by phase.
    pub seconds: Seconds,
}

impl<T: Real> Program<T> {
    /// Solves the program. After every iteration `observe` sees its record and may break off.
    pub fn solve(
        &self,
        settings: &Settings,
        observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Solution, Error> {
        self.check()?;
        settings.check()?;
        let start = Instant::now();
        let n = self.x.rows();
        let (choice, plan) = solver::choose::<T>(self.shape(), settings, memory::limit(settings))?;
        let job = Job {
            program: self,
            settings,
            choice,
            plan,
            start,
        };
        let x = self.weighted_features();
        let Some(reduction) = Reduction::new(&x) else {
            return job.solve(&x, None, observe);
        };
        let exact = reduction.lower();
        let x = exact.cast();
        let mut solution = job.solve(&x, Some(&exact), observe)?;
        solution.weights = reduction.restore(&solution.weights, n);
        solution.reduced_features = Some(n);
        Ok(solution)
    }
}

/// Solves without the thin factorisation, whatever the shape.
#[cfg(test)]
pub(crate) fn solve_as_it_is<T: Real>(
    program: &Program<T>,
    settings: &Settings,
    observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Solution, Error> {
    let (choice, plan) = solver::choose::<T>(program.shape(), settings, u64::MAX)?;
    let job = Job {
        program,
        settings,
        choice,
        plan,
        start: Instant::now(),
    };
    job.solve(&program.x, None, observe)
}

/// A program whose solver is chosen.
struct Job<'a, T> {
    program: &'a Program<T>,
    settings: &'a Settings,
    choice: Choice,
    plan: Plan,
    start: Instant,
}

impl<T: Real> Job<'_, T> {
    /// Solves with the features `x`; `exact` is what they were rounded from.
    fn solve(
        self,
        x: &Matrix<T>,
        exact: Option<&Matrix<f64>>,
        observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Solution, Error> {
        let Self {
            program,
            settings,
            choice,
            plan,
            start,
        } = self;
        let outputs = program.y.columns();
        let uncoupled = if program.loss.couples_outputs() {
            1
        } else {
            outputs
        };
        let roots = program.roots();
        let engine = Engine::new(x, &program.gates, program.activation)
            .certify_for(exact)
            .weighted(roots.as_deref());
        let split = settings.split(choice.solver, program.loss)?;
        let rho = settings.rho.unwrap_or(0.1);
        let step = SweepStep {
            loss: program.loss,
            split,
            rho,
            weight: match split {
                Split::Paper => 1.0 / rho,
                Split::Loss => settings.loss_weight.unwrap_or(default_weight(&engine)),
            },
            relaxation: settings.relaxation,
        };
        let mut work = engine.workspace(outputs);
        let build = Build {
            outputs,
            weight: step.weight,
            rank: settings.rank,
            seed: settings.seed,
            most_inner: settings.max_inner_iterations,
        };
        let solver = solver::build(choice.solver, &engine, build, &mut work)?;
        let length = engine.weights_per_output() * outputs;
        let mut run = Run {
            state: engine.row_state(&program.y, &step),
            u: vec![T::ZERO; length],
            b: vec![T::ZERO; length],
            right: vec![T::ZERO; length],
            image: vec![T::ZERO; length],
            scale: largest(&program.y),
            best: None,
            curvature: Vec::new(),
            bounds: vec![0.0; uncoupled],
            duals: vec![Default::default(); uncoupled],
            history: Vec::new(),
            engine,
            program,
            settings,
            solver,
            step,
            work,
            start,
        };
        let setup = start.elapsed().as_secs_f64();
        let status = run.iterate(observe);
        let mut solution = run.finish(status, choice, plan);
        solution.seconds.setup = setup;
        Ok(solution)
    }
}

/// `c`: with cones `K ≼ I` whatever the data; without them `K = XXᵀ`, so `c` is
/// taken relative to the mean squared row norm.
fn default_weight<T: Real>(engine: &Engine<'_, T>) -> f64 {
    match engine.activation {
        Activation::Relu => 0.5,
        Activation::Gated => {
            let squared = crate::inner::norm_squared(engine.x.values());
            let weight = engine.total_weight() / squared;
            // features that are all zero, or beyond what T can hold in a product
            if weight.is_finite() {
                weight.clamp(1e-12, 1e12)
            } else {
                1.0
            }
        }
    }
}

fn largest<T: Real>(y: &Matrix<T>) -> f64 {
    let largest = y
        .values()
        .iter()
        .map(|y| y.wide().abs())
        .fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}
