//! Where one run ended, for another to start from.

use super::history::Iteration;
use super::run::Run;
use super::settings::{Settings, Split};
use super::shrink::Groups;
use super::solve::Solution;
use super::status::Status;
use crate::Error;
use crate::blocks::Blocks;
use crate::engine::RowState;
use crate::program::Program;
use crate::real::Real;
use crate::solver::Shape;
use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The splits, multipliers, stiffness and penalty parameter a run ended with. Another run may
/// start there, on features that have changed since.
#[derive(Clone)]
pub struct Warm<T> {
    rho: f64,
    beta: f64,
    shape: Shape,
    b: Vec<T>,
    state: RowState<T>,
    /// How stiffly all groups were held to begin with.
    kappa: f64,
    /// Of the groups; empty where none was given.
    stiffness: Vec<f64>,
}

/// Where a fit ended, in whatever precision, for another to start from. The default is nowhere.
#[derive(Clone, Default)]
pub struct Start(Option<Arc<dyn Any + Send + Sync>>);

impl Start {
    /// Keeps where a run ended.
    pub(crate) fn keep<T: Real>(warm: Option<Warm<T>>) -> Self {
        Self(warm.map(|warm| Arc::new(warm) as _))
    }

    /// What was kept, if it has this precision.
    pub(crate) fn state<T: Real>(&self) -> Option<Warm<T>> {
        self.0.as_ref()?.downcast_ref::<Warm<T>>().cloned()
    }

    /// Whether there is anything to start from.
    pub fn is_somewhere(&self) -> bool {
        self.0.is_some()
    }
}

impl fmt::Debug for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_somewhere() {
            "somewhere"
        } else {
            "nowhere"
        })
    }
}

impl PartialEq for Start {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl<T: Real, X: Blocks<T>> Program<T, X> {
    /// As [`solve`](Self::solve), from where another run ended, if one did and had the
    /// same shape; `warm` is then where this one ended. Runs whose features were
    /// reduced (more features than rows) leave nothing behind.
    pub fn solve_warm(
        &self,
        settings: &Settings,
        warm: &mut Option<Warm<T>>,
        observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Solution, Error> {
        self.check()?;
        self.with_run(settings, |run| {
            if let Some(warm) = warm.take() {
                run.start_from(warm)?;
            }
            let solution = run.solve(self.beta, observe)?;
            // numbers that are none lead nowhere
            let broken = solution.status == Status::NumericalFailure;
            run.reopen()?;
            *warm = run.leave().filter(|_| !broken);
            Ok(solution)
        })
    }
}

impl<T: Real> Run<'_, T> {
    /// Whether a state of this run means something to another.
    fn can_be_left(&self) -> bool {
        self.reduction.is_none() && self.step.split == Split::Loss
    }

    fn start_from(&mut self, warm: Warm<T>) -> Result<(), Error> {
        let stiff = !warm.stiffness.is_empty();
        let (settings, fixed) = (self.settings, !self.settings.adapt_rho);
        let other_rho = fixed && settings.rho.is_some_and(|rho| rho != warm.rho);
        let streamed = self.shape.streamed;
        let same = Shape {
            streamed,
            ..warm.shape
        } == self.shape
            && !other_rho;
        if !same || !self.can_be_left() || stiff && !self.stiffening.is_on() {
            return Ok(());
        }
        self.step.rho = warm.rho;
        // the penalty that the state belongs to; the run follows from there to its own
        self.beta = warm.beta;
        self.machine.take(warm.b, warm.state);
        self.fresh = false;
        match stiff {
            true => self.take_stiffness(warm.stiffness),
            // ρκλ stays
            false => {
                let groups = |beta: f64, kappa: f64| Groups {
                    size: self.groups.size,
                    threshold: beta / warm.rho,
                    stiffness: vec![kappa; self.groups.stiffness.len()],
                };
                let (before, after) =
                    (groups(warm.beta, warm.kappa), groups(warm.beta, self.kappa));
                self.machine.rescale_groups(&before, &after);
                Ok(())
            }
        }
    }

    fn leave(&mut self) -> Option<Warm<T>> {
        if !self.can_be_left() {
            return None;
        }
        let (b, state) = self.machine.leave();
        Some(Warm {
            rho: self.step.rho,
            beta: self.beta,
            shape: self.shape,
            b,
            kappa: self.kappa,
            stiffness: match state.stiffness.is_empty() {
                true => Vec::new(),
                false => self.groups.stiffness.clone(),
            },
            state,
        })
    }
}
