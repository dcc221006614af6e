//! The progress bar, on a terminal only.

use cronos::Iteration;
use indicatif::{ProgressBar, ProgressStyle};

/// Shows iteration, objective, gap and violation while the solver runs.
pub struct Progress {
    bar: ProgressBar,
    gap: Option<f64>,
}

impl Progress {
    pub fn new(max_iterations: usize) -> Self {
        let bar = ProgressBar::new(max_iterations as u64);
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} iteration {pos}  {msg}  {elapsed}")
        {
            bar.set_style(style);
        }
        Self { bar, gap: None }
    }

    pub fn show(&mut self, iteration: &Iteration) {
        if let Some(certificate) = &iteration.certificate {
            self.gap = Some(certificate.gap);
        }
        let gap = self
            .gap
            .map_or_else(|| "-".to_string(), |gap| format!("{:.2} %", 100.0 * gap));
        self.bar.set_position(iteration.number as u64);
        self.bar.set_message(format!(
            "objective {:.5}  bound {:.5}  gap {gap}  violation {:.1e}",
            iteration.objective, iteration.lower_bound, iteration.violation
        ));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
