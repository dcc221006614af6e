//! The progress bar, on a terminal only, and the wish to stop.

use crate::interrupt::Interrupt;
use cronos::{Iteration, Keeper, Observer, SearchStep};
use cronos_deep::Epoch;
use indicatif::{ProgressBar, ProgressStyle};
use std::ops::ControlFlow;
use std::sync::{Mutex, OnceLock};

/// Shows how a fit gets on, and passes Ctrl-C to it.
pub struct Progress<'a> {
    bar: ProgressBar,
    /// What the bar counts.
    counts: Counts,
    /// The last certified gap.
    gap: Mutex<Option<f64>>,
    interrupt: &'a Interrupt,
    keeper: Option<&'a dyn Keeper>,
}

#[derive(Clone, Copy, PartialEq)]
enum Counts {
    Iterations,
    Steps,
    Penalties,
}

impl<'a> Progress<'a> {
    /// Of the convex solver.
    pub fn of_iterations(most: usize, interrupt: &'a Interrupt) -> Self {
        Self::new(
            Counts::Iterations,
            most,
            "{spinner} iteration {pos}  {msg}  {elapsed}",
            interrupt,
        )
    }

    /// Of the automatic search.
    pub fn of_search(interrupt: &'a Interrupt) -> Self {
        Self::new(
            Counts::Steps,
            0,
            "{spinner} {bar:30} {percent} %  {msg}  {elapsed}",
            interrupt,
        )
    }

    /// Of a path.
    pub fn of_path(penalties: usize, interrupt: &'a Interrupt) -> Self {
        Self::new(
            Counts::Penalties,
            penalties,
            "{spinner} {bar:20} {pos} of {len} penalties  {msg}  {elapsed}",
            interrupt,
        )
    }

    fn new(counts: Counts, length: usize, template: &str, interrupt: &'a Interrupt) -> Self {
        let bar = ProgressBar::new(length as u64);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self {
            bar,
            counts,
            gap: Mutex::new(None),
            interrupt,
            keeper: None,
        }
    }

    /// The state of the solver is kept.
    pub fn keeping<K: Keeper>(self, keeper: Option<&'a K>) -> Self {
        Self {
            keeper: keeper.map(|keeper| keeper as _),
            ..self
        }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress<'_> {
    fn iteration(&self, iteration: &Iteration) -> ControlFlow<()> {
        if let (Some(certificate), Ok(mut gap)) = (&iteration.certificate, self.gap.lock()) {
            *gap = Some(certificate.gap);
        }
        let gap = self.gap.lock().ok().and_then(|gap| *gap);
        let gap = gap.map_or_else(|| "-".to_string(), |gap| format!("{:.2} %", 100.0 * gap));
        if self.counts == Counts::Iterations {
            self.bar.set_position(iteration.number as u64);
        }
        self.bar.set_message(format!(
            "objective {:.5}  bound {:.5}  gap {gap}  violation {:.1e}",
            iteration.objective, iteration.lower_bound, iteration.violation
        ));
        ControlFlow::Continue(())
    }

    fn search(&self, step: &SearchStep) -> ControlFlow<()> {
        self.bar.set_length(step.of as u64);
        self.bar.set_position(step.done as u64);
        if self.counts == Counts::Steps {
            self.bar.set_message("choosing on held-out rows");
        }
        ControlFlow::Continue(())
    }

    fn reduction(&self, step: &SearchStep) -> ControlFlow<()> {
        let percent = 100 * step.done / step.of.max(1);
        self.bar
            .set_message(format!("inner products of the rows: {percent} %"));
        ControlFlow::Continue(())
    }

    fn keeper(&self) -> Option<&dyn Keeper> {
        self.keeper
    }

    fn stop(&self) -> bool {
        self.interrupt.asked()
    }
}

/// Shows how a comparison gets on.
pub struct Runs {
    bar: ProgressBar,
    epochs: usize,
}

impl Runs {
    pub fn new(runs: usize, epochs: usize) -> Self {
        let bar = ProgressBar::new(runs as u64);
        let template = "{spinner} {bar:20} {pos} of {len} runs done  {msg}  {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, epochs }
    }

    /// An epoch of the present run.
    pub fn show(&self, run: &str, epoch: &Epoch) {
        self.bar.set_message(format!(
            "{run}: epoch {} of {}, validation {:.4}",
            epoch.number, self.epochs, epoch.validation
        ));
    }

    /// The present run has ended.
    pub fn next(&self) {
        self.bar.inc(1);
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Shows how a deep training gets on.
pub struct Epochs(ProgressBar);

impl Epochs {
    pub fn new(most: usize) -> Self {
        let bar = ProgressBar::new(most as u64);
        let template = "{spinner} {bar:20} {pos} of {len} epochs  {msg}  {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self(bar)
    }

    pub fn show(&self, epoch: &Epoch) {
        self.0.set_position(epoch.number as u64);
        self.0.set_message(format!(
            "objective {:.5}  validation {:.4}",
            epoch.objective, epoch.validation
        ));
    }

    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Counts the rows of a text table while it is read.
static READING: OnceLock<ProgressBar> = OnceLock::new();

/// So many rows of a text table have been read.
pub fn rows_read(rows: usize) {
    let bar = READING.get_or_init(|| {
        let bar = ProgressBar::no_length();
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {human_pos} rows read  {elapsed}")
        {
            bar.set_style(style);
        }
        bar
    });
    bar.set_position(rows as u64);
}

/// Nothing more is read.
pub fn all_read() {
    if let Some(bar) = READING.get() {
        bar.finish_and_clear();
    }
}

/// Counts what is done of some work.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// So many things called `what`.
    pub fn new(all: usize, what: &str) -> Self {
        let bar = ProgressBar::new(all as u64);
        let template = format!(
            "{{spinner}} {{bar:20}} {{pos}} of {{len}} {what}  {{msg}}  {{elapsed}}, {{eta}} left"
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// So many are done.
    pub fn set(&self, done: usize) {
        self.bar.set_position(done as u64);
    }

    /// So many of so many are done, and something about the last.
    pub fn show(&self, done: usize, of: usize, message: &str) {
        self.bar.set_length(of as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(message.to_owned());
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
