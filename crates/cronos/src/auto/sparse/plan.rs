//! How much is tried on sparse features, from their size alone.

use crate::auto::Preset;
use crate::auto::path::Pace;
use crate::learn::{Climb, Effort, Patience, SparseRows};
use crate::memory;
use crate::real::Real;
use crate::sparse::Sparse;

pub(super) const WAY_OUT: &str = "use fewer rows or features, or --precision f32";

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Penalties on a path, and the ratio of neighbours.
    pub steps: usize,
    pub ratio: f64,
    /// Steps without a better score after which a path ends.
    pub patience: usize,
    pub pace: Pace,
    /// Iterations of the last descent, at most.
    pub last: usize,
}

impl Plan {
    pub fn new(preset: Preset) -> Self {
        let (units, iterations, last) = match preset {
            Preset::Fast => (8, 10, 30),
            Preset::Standard => (32, 20, 100),
            Preset::Best => (64, 40, 400),
        };
        Self {
            steps: 16,
            ratio: 0.5,
            patience: 2,
            pace: Pace {
                units,
                new_units: 4,
                rounds: 1,
                iterations,
                climb: Climb {
                    starts: 16,
                    steps: 6,
                },
            },
            last,
        }
    }

    /// Parts of the rows, one of which is left out.
    pub fn parts(rows: usize) -> usize {
        (rows / 2500).clamp(4, 10)
    }

    /// The rounds on all rows, at the penalty that was chosen.
    pub fn effort(&self) -> Effort {
        Effort {
            tolerance: 0.01,
            ..self.pace.effort()
        }
    }

    /// The last descent.
    pub fn polish(&self) -> Patience {
        Patience {
            iterations: self.last,
            window: 20,
            progress: 1e-4,
            ..self.pace.effort().patience
        }
    }

    /// The large arrays.
    pub fn memory<T: Real>(&self, x: &Sparse, outputs: usize) -> memory::Plan {
        let (n, width, units) = (x.rows(), x.columns() + 1, self.pace.units);
        let bytes = |numbers: usize, each: usize| numbers.saturating_mul(each) as u64;
        let size = |numbers: usize| bytes(numbers, size_of::<T>());
        let wide = |numbers: usize| bytes(numbers, size_of::<f64>());
        let weights = (width + outputs).saturating_mul(units);
        // two for each pair that is remembered, and those of a line search
        let remembered = 2 * self.polish().memory + 10;
        let starts = self.pace.climb.starts;
        memory::Plan::of(vec![
            (
                "features by rows and by columns",
                2 * SparseRows::bytes(n, width, x.entries()),
            ),
            ("targets and predictions", size(8 * n * outputs)),
            (
                "gradients and memory of the descent",
                size(weights.saturating_mul(remembered)),
            ),
            ("rows of the units", size(4 * n * units)),
            ("directions of new units", size(7 * (width + n) * starts)),
            (
                "certificate and network",
                wide((3 * width + 2 * n).saturating_mul(units)),
            ),
        ])
    }
}
