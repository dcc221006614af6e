//! Where one run ended, for another to start from.

use super::history::Iteration;
use super::run::Run;
use super::settings::{Settings, Split};
use super::solve::Solution;
use crate::Error;
use crate::engine::RowState;
use crate::program::Program;
use crate::real::Real;
use std::ops::ControlFlow;

/// The splits, multipliers and penalty parameter a run ended with. Another run may
/// start there, on features that have changed since.
pub struct Warm<T> {
    rho: f64,
    b: Vec<T>,
    state: RowState<T>,
}

impl<T: Real> Program<T> {
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
                run.start_from(warm);
            }
            let solution = run.solve(self.beta, observe);
            *warm = run.leave();
            solution
        })
    }
}

impl<T: Real> Run<'_, T> {
    /// Whether a state of this run means something to another.
    fn can_be_left(&self) -> bool {
        let plain = self.reduction.is_none() && self.state.stiffness.is_empty();
        plain && self.step.split == Split::Loss
    }

    fn start_from(&mut self, warm: Warm<T>) {
        let same = warm.b.len() == self.b.len() && warm.state.a.len() == self.state.a.len();
        if same && self.can_be_left() {
            self.step.rho = warm.rho;
            self.b = warm.b;
            self.state = warm.state;
            self.fresh = false;
        }
    }

    fn leave(&mut self) -> Option<Warm<T>> {
        let useful = self.can_be_left();
        let state = &mut self.state;
        useful.then(|| Warm {
            rho: self.step.rho,
            b: std::mem::take(&mut self.b),
            state: RowState {
                a: std::mem::take(&mut state.a),
                stiffness: Vec::new(),
                thin: std::mem::take(&mut state.thin),
            },
        })
    }
}
