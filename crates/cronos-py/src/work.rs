//! Long work without the lock of the interpreter: it runs on a thread of its own, while the thread
//! that called looks after signals and progress.

use crate::failure::exception;
use cronos::{Error, Iteration, Observer, SearchStep};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How often the calling thread wakes up.
const PAUSE: Duration = Duration::from_millis(50);

/// What the working thread tells, and whether it should end.
#[derive(Default)]
pub struct Watch {
    stop: AtomicBool,
    done: AtomicUsize,
    of: AtomicUsize,
    /// The bits of the last certified gap.
    gap: AtomicU64,
}

impl Watch {
    /// A step of work that has so many.
    pub fn step(&self, done: usize, of: usize) -> ControlFlow<()> {
        self.done.store(done, Relaxed);
        self.of.store(of, Relaxed);
        match self.stop.load(Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Observer for Watch {
    fn iteration(&self, iteration: &Iteration) -> ControlFlow<()> {
        self.gap.store(iteration.gap.to_bits(), Relaxed);
        self.step(iteration.number, 0)
    }

    fn search(&self, step: &SearchStep) -> ControlFlow<()> {
        self.step(step.done, step.of)
    }

    fn reduction(&self, step: &SearchStep) -> ControlFlow<()> {
        self.step(step.done, step.of)
    }

    fn stop(&self) -> bool {
        self.stop.load(Relaxed)
    }
}

/// What `work` makes on so many threads, or on all cores. `progress` is called now and then with
/// the steps done, the steps there are (0 if nobody knows) and the gap.
pub fn run<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> Result<R, Error> + Send,
) -> PyResult<R> {
    let watch = Watch::default();
    let progress = progress.map(|bound| bound.clone().unbind());
    let pool = match threads {
        None => None,
        Some(count) => Some(pool(count)?),
    };
    let mut broken = None;
    let made = py.detach(|| {
        std::thread::scope(|scope| {
            let (ready, done) = channel();
            let watch = &watch;
            scope.spawn(move || {
                let made = match &pool {
                    None => work(watch),
                    Some(pool) => pool.install(|| work(watch)),
                };
                // nobody listens only if this thread is not waited for, and it is
                let _ = ready.send(made);
            });
            loop {
                match done.recv_timeout(PAUSE) {
                    Ok(made) => return Some(made),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if broken.is_some() {
                    continue;
                }
                let looked = Python::attach(|py| {
                    py.check_signals()?;
                    match &progress {
                        None => Ok(()),
                        Some(show) => show.call1(py, watch.shown()).map(|_| ()),
                    }
                });
                if let Err(error) = looked {
                    watch.stop.store(true, Relaxed);
                    broken = Some(error);
                }
            }
        })
    });
    match (broken, made) {
        (Some(error), _) => Err(error),
        (None, Some(made)) => made.map_err(exception),
        (None, None) => Err(crate::failure::refused("the working thread ended early")),
    }
}

impl Watch {
    fn shown(&self) -> (usize, usize, f64) {
        let gap = f64::from_bits(self.gap.load(Relaxed));
        (self.done.load(Relaxed), self.of.load(Relaxed), gap)
    }
}

fn pool(threads: usize) -> PyResult<rayon::ThreadPool> {
    if threads == 0 {
        return Err(crate::failure::refused(
            "threads is 0; it must be at least 1",
        ));
    }
    let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|error| crate::failure::refused(&format!("threads = {threads}: {error}")))
}
