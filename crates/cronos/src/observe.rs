//! Watching a fit, and stopping it.

use crate::admm::{Iteration, Keeper, Status};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Instant;

/// A step of the automatic search, of a path or of a reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchStep {
    /// Steps done so far, this one included.
    pub done: usize,
    /// Steps there are at most; paths may end early.
    pub of: usize,
}

/// Sees what happens and may break off; what was found by then is returned.
pub trait Observer: Sync {
    /// After every iteration of the convex solver.
    fn iteration(&self, _: &Iteration) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// After every step of the automatic search, from any thread, and after every
    /// penalty of a path.
    fn search(&self, _: &SearchStep) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// While features that are much wider than tall are reduced to their row space;
    /// who breaks off here gets no network.
    fn reduction(&self, _: &SearchStep) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Who keeps the state of the convex solver, if anyone does.
    fn keeper(&self) -> Option<&dyn Keeper> {
        None
    }

    /// Asked often; true ends the fit.
    fn stop(&self) -> bool {
        false
    }
}

impl dyn Observer + '_ {
    /// Shows an iteration, unless the fit is to end.
    pub(crate) fn watch(&self, iteration: &Iteration) -> ControlFlow<()> {
        match self.stop() {
            true => ControlFlow::Break(()),
            false => self.iteration(iteration),
        }
    }
}

/// Sees nothing.
impl Observer for () {}

/// Counts steps and knows when to stop.
pub(crate) struct Watch<'a> {
    observer: &'a dyn Observer,
    start: Instant,
    /// Seconds after which to stop, if there is a limit.
    limit: Option<f64>,
    done: AtomicUsize,
    of: AtomicUsize,
    /// 0: go on, 1: interrupted
    asked: AtomicU8,
}

impl<'a> Watch<'a> {
    pub fn new(observer: &'a dyn Observer, start: Instant, limit: Option<f64>) -> Self {
        Self {
            observer,
            start,
            limit,
            done: AtomicUsize::new(0),
            of: AtomicUsize::new(0),
            asked: AtomicU8::new(0),
        }
    }

    /// Announces steps to come.
    pub fn expect(&self, steps: usize) {
        self.of.fetch_add(steps, Ordering::Relaxed);
    }

    /// One step is done; `ahead` of those announced will not be taken.
    pub fn step(&self, ahead: usize) {
        let done = self.done.fetch_add(1 + ahead, Ordering::Relaxed) + 1 + ahead;
        let of = self.of.load(Ordering::Relaxed);
        if self.observer.search(&SearchStep { done, of }).is_break() {
            self.asked.store(1, Ordering::Relaxed);
        }
    }

    /// Some of the steps announced will not be taken.
    pub fn skip(&self, steps: usize) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// Whether to stop, when `share` of the time limit may be used up.
    pub fn stop(&self, share: f64) -> Option<Status> {
        if self.asked.load(Ordering::Relaxed) == 1 || self.observer.stop() {
            self.asked.store(1, Ordering::Relaxed);
            return Some(Status::Interrupted);
        }
        let late = |limit: f64| self.start.elapsed().as_secs_f64() >= share * limit;
        self.limit.is_some_and(late).then_some(Status::TimeLimit)
    }
}
