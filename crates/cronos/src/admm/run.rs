//! The loop.

use super::history::{Iteration, Seconds};
use super::settings::{ResidualTolerance, Settings, Split};
use super::shrink::{self, ShrinkSums};
use super::status::Status;
use crate::Error;
use crate::certificate::{Certificate, Dual, relative_gap};
use crate::engine::{Candidate, Engine, Evaluation, RowState, SweepStep, SweepSums, Workspace};
use crate::matrix::Matrix;
use crate::memory::{self, Plan};
use crate::program::{Activation, Program};
use crate::real::Real;
use crate::reduction::Reduction;
use crate::solver::{self, Build, Choice, Shape, USolver};
use std::ops::ControlFlow;
use std::time::Instant;

/// Certificates without progress, at the rounding error, before a run counts as stalled.
const STALL_CHECKS: usize = 30;

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
        let shape = Shape {
            rows: n,
            features: self.x.columns(),
            gates: self.gates.len(),
            outputs: self.y.columns(),
            signs: self.activation.signs(),
        };
        let (choice, plan) = solver::choose::<T>(shape, settings, memory::limit(settings))?;
        let job = Job {
            program: self,
            settings,
            choice,
            plan,
            start,
        };
        let Some(reduction) = Reduction::new(&self.x) else {
            return job.solve(&self.x, None, observe);
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
    let shape = Shape {
        rows: program.x.rows(),
        features: program.x.columns(),
        gates: program.gates.len(),
        outputs: program.y.columns(),
        signs: program.activation.signs(),
    };
    let (choice, plan) = solver::choose::<T>(shape, settings, u64::MAX)?;
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
        let engine = Engine::new(x, &program.gates, program.activation).certify_for(exact);
        let split = settings.split(choice.solver);
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
            state: engine.row_state(&program.y),
            u: vec![T::ZERO; length],
            b: vec![T::ZERO; length],
            right: vec![T::ZERO; length],
            image: vec![T::ZERO; length],
            scale: largest(&program.y),
            best: None,
            bounds: vec![0.0; outputs],
            duals: vec![Default::default(); outputs],
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
            let weight = engine.rows() as f64 / squared;
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

struct Run<'a, T: Real> {
    program: &'a Program<T>,
    settings: &'a Settings,
    engine: Engine<'a, T>,
    solver: Box<dyn USolver<T>>,
    work: Workspace<T>,
    step: SweepStep,
    state: RowState<T>,
    /// d x k each: the u-step's solution, `v + λ`, its right-hand side, and the
    /// part of it that comes from row space
    u: Vec<T>,
    b: Vec<T>,
    right: Vec<T>,
    image: Vec<T>,
    /// `max |Y|`
    scale: f64,
    best: Option<(Evaluation, Candidate)>,
    /// Best lower bound on each output, and the dual point behind it: `z`, `α`
    bounds: Vec<f64>,
    duals: Vec<(Vec<f64>, Vec<f64>)>,
    history: Vec<Iteration>,
    start: Instant,
}

impl<T: Real> Run<'_, T> {
    fn iterate(&mut self, observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>) -> Status {
        self.refresh_image();
        for number in 1..=self.settings.max_iterations {
            let record = self.iteration(number);
            let stop = self.stop(&record);
            let wants_more = observe(&record).is_continue();
            let broken = !record.objective.is_finite();
            self.history.push(record);
            if broken {
                return Status::NumericalFailure;
            }
            if let Some(status) = stop {
                return status;
            }
            if !wants_more {
                return Status::Interrupted;
            }
            if let Some(limit) = self.settings.time_limit_seconds
                && self.start.elapsed().as_secs_f64() >= limit
            {
                return Status::TimeLimit;
            }
            if number < self.settings.max_iterations && self.balance(number).is_err() {
                return Status::NumericalFailure;
            }
        }
        Status::IterationLimit
    }

    fn iteration(&mut self, number: usize) -> Iteration {
        let mut seconds = Seconds::default();
        let mut clock = Instant::now();
        let mut lap = || {
            std::mem::replace(&mut clock, Instant::now())
                .elapsed()
                .as_secs_f64()
        };
        let inner = self.solver.solve(
            &self.engine,
            &self.right,
            &mut self.u,
            inner_tolerance(number, self.history.last()),
            &mut self.work,
        );
        seconds.solve = lap();
        let (d, threshold) = (self.engine.features(), self.threshold());
        let groups = shrink::step(
            &self.u,
            &mut self.b,
            &mut self.right,
            d,
            threshold,
            self.step.relaxation,
        );
        let rows = self.engine.sweep(
            &self.u,
            &self.program.y,
            &mut self.state,
            &self.step,
            &mut self.image,
            &mut self.work,
        );
        crate::inner::add_scaled(&mut self.right, T::ONE, &self.image);
        seconds.sweep = lap();
        let due = number.is_multiple_of(self.settings.check_every);
        let certificate = due.then(|| self.certify());
        if due {
            self.offer_u(number);
        }
        seconds.check = lap();
        self.record(number, groups, rows, inner.iterations, certificate, seconds)
    }

    fn record(
        &self,
        number: usize,
        groups: ShrinkSums,
        rows: SweepSums,
        inner_iterations: usize,
        certificate: Option<Certificate>,
        seconds: Seconds,
    ) -> Iteration {
        let rho = self.step.rho;
        let objective = rows.loss + self.program.beta * groups.norms;
        let primal = (groups.primal + rows.primal).sqrt();
        let dual = rho * (groups.change + rows.change).sqrt();
        let compared = (groups.image + rows.image)
            .max(groups.copy + rows.copy)
            .sqrt();
        let multiplier = rho * (groups.multiplier + rows.multiplier).sqrt();
        Iteration {
            number,
            objective,
            violation: rows.violation / self.scale,
            primal_residual: primal,
            dual_residual: dual,
            primal_norm: compared,
            dual_norm: multiplier,
            lower_bound: self.bound(),
            gap: relative_gap(objective, self.bound()),
            rho,
            inner_iterations,
            certificate,
            seconds,
        }
    }

    /// Evaluates `v` and the bounds; keeps whichever is the best so far.
    fn certify(&mut self) -> Certificate {
        for c in 0..self.program.y.columns() {
            let (y, beta) = (&self.program.y, self.program.beta);
            let bound = self.engine.lower_bound(&self.state, y, &self.step, beta, c);
            if bound.value >= self.bounds[c] {
                self.bounds[c] = bound.value;
                if self.settings.keep_dual {
                    let dual = self.engine.dual(&self.state, &bound, self.step.rho, c);
                    self.duals[c] = dual;
                }
            }
        }
        let v = shrink::shrunk(&self.b, self.engine.features(), self.threshold());
        let evaluation = self.evaluate(&v);
        let certificate = self.certificate(&evaluation);
        self.offer(evaluation, v);
        certificate
    }

    /// `u` predicts well long before it is feasible, so it is a candidate too.
    /// It costs a pass over all its groups; ever more rarely is often enough.
    fn offer_u(&mut self, number: usize) {
        let checks = number / self.settings.check_every;
        if checks.is_power_of_two() || number == self.settings.max_iterations {
            let u: Candidate = self.u.iter().map(|u| u.wide()).collect();
            self.offer(self.evaluate(&u), u);
        }
    }

    fn evaluate(&self, candidate: &[f64]) -> Evaluation {
        let (loss, beta) = (self.program.loss, self.program.beta);
        self.engine.evaluate(candidate, &self.program.y, loss, beta)
    }

    /// Keeps the candidate whose network has the lowest objective.
    fn offer(&mut self, evaluation: Evaluation, candidate: Candidate) {
        let better = match &self.best {
            None => evaluation.network_objective.is_finite(),
            Some((best, _)) => evaluation.network_objective < best.network_objective,
        };
        if better {
            self.best = Some((evaluation, candidate));
        }
    }

    fn certificate(&self, evaluation: &Evaluation) -> Certificate {
        Certificate {
            objective: evaluation.objective,
            lower_bound: self.bound(),
            gap: relative_gap(evaluation.objective, self.bound()),
            violation: evaluation.violation / self.scale,
            network_objective: evaluation.network_objective,
        }
    }

    /// Whether the tolerances are met, or rounding forbids any more progress.
    fn stop(&self, record: &Iteration) -> Option<Status> {
        let certificate = record.certificate?;
        let settings = self.settings;
        let certified = self.program.beta > 0.0;
        let gap = (certificate.objective - certificate.lower_bound).abs();
        let near =
            gap <= settings.gap_absolute + settings.gap_relative * certificate.objective.abs();
        let feasible = certificate.violation <= settings.violation_tolerance();
        let tolerance = settings
            .residual
            .or((!certified).then_some(ResidualTolerance {
                absolute: 0.0,
                relative: settings.gap_relative,
            }));
        let settled = tolerance.is_none_or(|tolerance| {
            let within = |residual: f64, norm: f64| {
                residual <= tolerance.absolute + tolerance.relative * norm
            };
            within(record.primal_residual, record.primal_norm)
                && within(record.dual_residual, record.dual_norm)
        });
        if (near || !certified) && feasible && settled {
            return Some(Status::Solved);
        }
        self.stalled(record).then_some(Status::Stalled)
    }

    /// Whether the residuals are at the rounding error and the last certificates
    /// are no better than those before them.
    fn stalled(&self, record: &Iteration) -> bool {
        let rounding = 20.0 * T::EPSILON;
        if record.primal_relative() > rounding || record.dual_relative() > rounding {
            return false;
        }
        let mut merits = self.history.iter().filter_map(|record| {
            let certificate = record.certificate?;
            Some(certificate.gap.max(certificate.violation))
        });
        let before = merits.clone().count().saturating_sub(STALL_CHECKS);
        let best = |merit: f64, next: f64| merit.min(next);
        let old = merits.by_ref().take(before).fold(f64::INFINITY, best);
        before > 0 && merits.fold(f64::INFINITY, best) > 0.99 * old
    }

    /// Residual balancing at fixed iteration counts, ever more rarely: a small ρ
    /// is good for the bound and slow on the cones, a large ρ the reverse.
    fn balance(&mut self, number: usize) -> Result<(), Error> {
        let due = match number {
            0..50 => number == 10 || number == 20,
            50..1000 => number.is_multiple_of(50),
            _ => number.is_multiple_of(1000),
        };
        let Some(record) = self.history.last() else {
            return Ok(());
        };
        if !self.settings.adapt_rho || !due {
            return Ok(());
        }
        let ratio = (record.primal_relative() / record.dual_relative()).sqrt();
        if !ratio.is_finite() || (0.8..1.25).contains(&ratio) {
            return Ok(());
        }
        self.set_rho(self.step.rho * ratio.clamp(0.5, 2.0))
    }

    fn set_rho(&mut self, rho: f64) -> Result<(), Error> {
        let ratio = self.step.rho / rho;
        self.engine
            .rescale(&self.program.y, &mut self.state, &self.step, ratio);
        let (d, threshold) = (self.engine.features(), self.threshold());
        shrink::rescale(&mut self.b, &mut self.right, d, threshold, ratio);
        self.step.rho = rho;
        if self.step.split == Split::Paper {
            self.step.weight = 1.0 / rho;
            self.solver
                .set_weight(&self.engine, self.step.weight, &mut self.work)?;
        }
        self.refresh_image();
        Ok(())
    }

    /// Recomputes the row-space part of the right-hand side and adds it.
    fn refresh_image(&mut self) {
        self.engine.image(
            &self.program.y,
            &mut self.state,
            &self.step,
            &mut self.image,
            &mut self.work,
        );
        crate::inner::add_scaled(&mut self.right, T::ONE, &self.image);
    }

    /// Outputs are independent, so their bounds add up.
    fn bound(&self) -> f64 {
        self.bounds.iter().sum()
    }

    /// `β/ρ`
    fn threshold(&self) -> f64 {
        self.program.beta / self.step.rho
    }

    /// A solved run returns its last `v`; any other the candidate whose network
    /// is best, the last `u` included.
    fn finish(mut self, status: Status, choice: Choice, plan: Plan) -> Solution {
        let v = shrink::shrunk(&self.b, self.engine.features(), self.threshold());
        if status == Status::Solved {
            self.best = Some((self.evaluate(&v), v));
        } else {
            self.certify();
            let u: Candidate = self.u.iter().map(|u| u.wide()).collect();
            self.offer(self.evaluate(&u), u);
        }
        let (evaluation, weights) = self.best.take().unwrap_or_else(|| {
            let zero = vec![0.0; self.u.len()];
            (self.evaluate(&zero), zero)
        });
        let certificate = self.certificate(&evaluation);
        let n = self.engine.rows();
        let mut seconds = Seconds::default();
        for record in &self.history {
            seconds.add(&record.seconds);
        }
        Solution {
            status,
            weights,
            certificate,
            dual: self.settings.keep_dual.then(|| dual(self.duals, n)),
            rank: self.solver.rank(),
            history: self.history,
            choice,
            plan,
            reduced_features: None,
            seconds,
        }
    }
}

/// The dual point of all outputs.
fn dual(outputs: Vec<(Vec<f64>, Vec<f64>)>, rows: usize) -> Dual {
    let (loss, cone): (Vec<_>, Vec<_>) = outputs.into_iter().unzip();
    Dual {
        rows,
        loss: loss.concat(),
        cone: cone.concat(),
    }
}

/// `k^-1.2`, and never more than a tenth of what the outer loop still has to go.
fn inner_tolerance(number: usize, last: Option<&Iteration>) -> f64 {
    let summable = (number as f64).powf(-1.2);
    last.map_or(summable, |last| {
        let left = last.primal_residual.min(last.dual_residual / last.rho);
        summable.min(0.1 * left)
    })
}
