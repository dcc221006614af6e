//! From a program to a solution: choose, reduce, set up, run.

use super::closing::Closing;
use super::history::{Iteration, Seconds};
use super::host::Host;
use super::machine::{Machine, Residence, Start};
use super::run::Run;
use super::settings::{Settings, Split};
use super::shrink::Groups;
use super::status::Status;
use super::stiffness::Stiffening;
use crate::Error;
use crate::blocks::Blocks;
use crate::certificate::{Certificate, Dual};
use crate::engine::{Engine, SweepStep};
use crate::matrix::Matrix;
use crate::memory::{self, Plan};
use crate::place::Place;
use crate::program::{Activation, Program};
use crate::real::Real;
use crate::reduction::Reduction;
use crate::solver::{self, Build, Choice, Kappa};
use crate::team::Team;
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
    /// Where it ran.
    pub place: Place,
    /// What a device held, if it ran on one.
    pub residence: Option<Residence>,
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

impl<T: Real, X: Blocks<T>> Program<T, X> {
    /// Solves the program. After every iteration `observe` sees its record and may break off.
    pub fn solve(
        &self,
        settings: &Settings,
        observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Solution, Error> {
        self.check()?;
        self.with_run(settings, |run| run.solve(self.beta, observe))
    }

    /// Solves the program for one penalty after the other, `beta` of the program
    /// aside. The u-solver is built once and every run starts from the end of the
    /// one before. `found` sees every solution and may break off. A run that was
    /// interrupted, met the time limit or failed is the last.
    pub fn solve_path(
        &self,
        betas: &[f64],
        settings: &Settings,
        observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
        found: &mut dyn FnMut(f64, Solution) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.check()?;
        let wrong = |beta: &&f64| !(**beta >= 0.0 && beta.is_finite());
        if let Some(beta) = betas.iter().find(wrong) {
            return Err(Error::setting("beta", beta, "finite and not negative"));
        }
        self.with_run(settings, |run| {
            for &beta in betas {
                let solution = run.solve(beta, observe)?;
                let over = solution.status.is_cut_short();
                if found(beta, solution).is_break() || over {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Chooses, reduces and sets up; `body` runs.
    pub(super) fn with_run<R>(
        &self,
        settings: &Settings,
        body: impl FnOnce(&mut Run<'_, T>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        settings.check()?;
        settings.place.guard(|| self.run(settings, body))
    }

    fn run<R>(
        &self,
        settings: &Settings,
        body: impl FnOnce(&mut Run<'_, T>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let start = Instant::now();
        let chosen = solver::choose::<T>(self.shape(), settings, memory::limit(settings));
        let chosen = settings.team.agree(chosen)?;
        let roots = self.roots();
        let roots = roots.as_deref();
        let x = self.rows_seen(roots);
        let x = x.blocks();
        let whole = x.as_matrix().filter(|_| settings.team.is_alone());
        let Some(reduction) = whole.and_then(Reduction::new) else {
            let seen = Seen {
                x,
                roots,
                reduced: None,
            };
            return body(&mut seen.run(self, settings, chosen, start)?);
        };
        let exact = reduction.lower();
        let seen = Seen {
            x: &exact.cast(),
            roots,
            reduced: Some((&reduction, &exact)),
        };
        body(&mut seen.run(self, settings, chosen, start)?)
    }
}

/// Solves without the thin factorisation, whatever the shape.
#[cfg(test)]
pub(crate) fn solve_as_it_is<T: Real>(
    program: &Program<T>,
    settings: &Settings,
    observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Solution, Error> {
    let chosen = solver::choose::<T>(program.shape(), settings, u64::MAX)?;
    let seen = Seen {
        x: &program.x,
        roots: None,
        reduced: None,
    };
    let mut run = seen.run(program, settings, chosen, Instant::now())?;
    run.solve(program.beta, observe)
}

/// The features as the engine sees them.
struct Seen<'a, T> {
    x: &'a dyn Blocks<T>,
    /// `√w` of the rows
    roots: Option<&'a [T]>,
    /// The thin factorisation, and what `x` was rounded from.
    reduced: Option<(&'a Reduction, &'a Matrix<f64>)>,
}

impl<'a, T: Real> Seen<'a, T> {
    /// A run at `u = 0`, its solver built.
    fn run<X: Blocks<T>>(
        self,
        program: &'a Program<T, X>,
        settings: &'a Settings,
        (choice, plan): (Choice, Plan),
        start: Instant,
    ) -> Result<Run<'a, T>, Error> {
        let outputs = program.y.columns();
        let uncoupled = if program.loss.couples_outputs() {
            1
        } else {
            outputs
        };
        let engine = Engine::new(self.x, &program.gates, program.activation)
            .certify_for(self.reduced.map(|(_, exact)| exact))
            .weighted(self.roots)
            .shared(&settings.team)?;
        let split = settings.split(choice.solver, program.loss)?;
        let rows = settings
            .team
            .all_rows(program.x.rows(), program.x.columns())?;
        let sizes = (program.shape(), rows);
        let streamed = program.shape().streamed;
        let (stiffening, plan) = Stiffening::new::<T>(sizes, settings, &choice, split, plan);
        let rho = settings.rho.unwrap_or(0.1);
        let step = SweepStep {
            loss: program.loss,
            split,
            rho,
            weight: match split {
                Split::Paper => 1.0 / rho,
                Split::Loss => (settings.loss_weight)
                    .unwrap_or_else(|| default_weight(&engine, stiffening.by_pcg() || streamed)),
            },
            relaxation: settings.relaxation,
        };
        let build = Build {
            outputs,
            weight: step.weight,
            // a ρ that is fixed is that of the textbook
            kappa: match settings.kappa {
                Some(kappa) => Kappa::Given(kappa),
                None if split == Split::Loss && settings.adapt_rho => Kappa::OfSpectrum,
                None => Kappa::Given(1.0),
            },
            rank: settings.rank,
            seed: settings.seed,
            most_inner: settings.max_inner_iterations,
        };
        let mut groups = Groups {
            size: engine.features(),
            threshold: program.beta / rho,
            stiffness: vec![1.0; engine.columns_per_output() * outputs],
        };
        let parts = Start {
            engine,
            y: &program.y,
            solver: choice.solver,
            build,
            step: &step,
            groups: &groups,
            rank: settings.rank_limit(),
            limit: settings.device_memory_bytes,
            stiff: stiffening.solver(),
        };
        let machine = machine(settings.place, parts)?;
        let kappa = machine.kappa();
        groups.stiffness.fill(kappa);
        Ok(Run {
            machine,
            kappa,
            groups,
            stiffening,
            closing: Closing::FIRST,
            fresh: settings.rho.is_none() && split == Split::Loss,
            scale: largest(&program.y, &settings.team),
            best: None,
            lagrangian: f64::INFINITY,
            bounds: vec![0.0; uncoupled],
            foreseen: vec![0.0; uncoupled],
            duals: Vec::new(),
            history: Vec::new(),
            beta: program.beta,
            reduction: self.reduced.map(|(reduction, _)| reduction),
            loss: program.loss,
            shape: program.shape(),
            settings,
            choice,
            plan,
            step,
            start,
            setup_seconds: start.elapsed().as_secs_f64(),
        })
    }
}

/// The processor, or a device.
fn machine<'a, T: Real>(
    place: Place,
    start: Start<'a, '_, T>,
) -> Result<Box<dyn Machine<T> + 'a>, Error> {
    #[cfg(feature = "device")]
    if let Some(device) = place.open()? {
        return Ok(Box::new(crate::device::Card::new(device, start)?));
    }
    place.check()?;
    Ok(Box::new(Host::new(start)?))
}

/// `c`: with cones `K ≼ I` whatever the data; without them `K = XXᵀ`, so `c` is
/// taken relative to the mean squared row norm. The condition number of `S` grows with
/// `c`, and more so with stiffness; `careful` says that inner iterations are dear.
fn default_weight<T: Real>(engine: &Engine<'_, T>, careful: bool) -> f64 {
    match engine.activation {
        Activation::Relu if careful => 0.1,
        Activation::Relu => 0.5,
        Activation::Gated => {
            let weight = engine.total_weight() / engine.squared_norm();
            // features that are all zero, or beyond what T can hold in a product
            if weight.is_finite() {
                weight.clamp(1e-12, 1e12)
            } else {
                1.0
            }
        }
    }
}

fn largest<T: Real>(y: &Matrix<T>, team: &Team) -> f64 {
    let largest = y
        .values()
        .iter()
        .map(|y| y.wide().abs())
        .fold(0.0, f64::max);
    let largest = team.largest(largest);
    if largest > 0.0 { largest } else { 1.0 }
}
