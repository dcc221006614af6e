//! Memory is planned before it is allocated.

mod available;

use crate::Error;
use crate::admm::Settings;
use crate::blocks::TOGETHER;
use crate::cholesky::Tiled;
use crate::engine::{BLOCK, chunk_count};
use crate::place::Place;
use crate::real::Real;
use crate::solver::{Shape, Solver};
pub use available::available;

/// Code, threads and small things.
pub(crate) const PROGRAM: u64 = 14 << 20;

/// The large arrays of a run, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    arrays: Vec<(&'static str, u64)>,
    /// Bytes of those that only the u-solver has, and how many of them are taken by others once it
    /// is gone.
    of_solver: u64,
    taken_over: u64,
}

impl Plan {
    pub(crate) fn new<T: Real>(shape: Shape, solver: Solver, settings: &Settings) -> Self {
        // a size that no machine has is still a number, and becomes the largest one
        let bytes = |numbers: f64, each: usize| (numbers * each as f64) as u64;
        let size = |numbers: f64| bytes(numbers, size_of::<T>());
        let wide = |numbers: f64| bytes(numbers, size_of::<f64>());
        let Shape {
            rows,
            features,
            gates,
            outputs,
            signs,
            streamed,
        } = shape;
        // more features than rows are reduced to as many as rows
        let reduced = features.min(rows);
        let chunks = chunk_count(rows, reduced) as f64;
        let [n, all, d] = [rows, features, reduced].map(|count| count as f64);
        let [p, c, signs] = [gates, outputs, signs].map(|count| count as f64);
        let (columns, block) = (signs * p * c, BLOCK as f64);
        let mut arrays = vec![
            match streamed {
                true => (
                    "features that are read",
                    size(chunks * (block + TOGETHER as f64) * all),
                ),
                false => ("features X", size(n * all)),
            },
            (
                "gates D and their directions",
                wide(rows.div_ceil(64) as f64 * p + all * p),
            ),
            ("targets and predictions", size(6.0 * n * c)),
            ("weights u, v and right-hand sides", size(5.0 * d * columns)),
            (
                "candidates and their network",
                wide(3.0 * d * columns + 2.0 * all * columns),
            ),
            (
                "row blocks",
                size(chunks * (block * (columns + p) + d * columns)),
            ),
            ("certificate", wide(chunks * (d + block) * signs * p + n)),
        ];
        if all > n {
            let factors = wide(n * all + 3.0 * n * n).saturating_add(size(n * n));
            arrays.push(("thin factorisation", factors));
        }
        if settings.keep_dual {
            arrays.push(("dual point", wide(2.0 * n * (columns + c))));
        }
        if signs == 2.0 {
            let padded = rows.next_multiple_of(BLOCK) as f64;
            arrays.push(("slacks and multipliers", size(padded * columns)));
            if solver != Solver::PrimalPcg {
                arrays.push(("M and its root", wide(3.0 * d * d)));
            }
        }
        if settings.place != Place::Cpu {
            let factor = if solver == Solver::Direct {
                2.0 * n * n
            } else {
                0.0
            };
            let copies = size(factor + 3.0 * n * columns + n * d);
            arrays.push(("copies for the device", copies));
        }
        let sketch = |size: f64| wide(6.0 * size * size.min(settings.rank_limit() as f64));
        let shared = arrays.len();
        match solver {
            Solver::PrimalPcg => {
                arrays.push(("conjugate gradients", size(4.0 * d * columns)));
                arrays.push(("Nyström sketch", sketch(d * signs * p)));
            }
            Solver::SamplePcg => {
                arrays.push(("sample space", size(4.0 * d * p * c + 6.0 * n * c)));
                arrays.push(("Nyström sketch", sketch(n)));
            }
            Solver::Direct | Solver::Auto => {
                arrays.push(("sample space", size(2.0 * d * p * c + 2.0 * n * c)));
                arrays.push(("matrix S", Tiled::<T>::bytes(rows)));
                arrays.push(("whitened features", size(n * d)));
            }
        }
        let of_solver = arrays[shared..].iter().map(|(_, bytes)| *bytes);
        Self {
            of_solver: of_solver.fold(0, u64::saturating_add),
            taken_over: 0,
            arrays,
        }
    }

    pub(crate) fn of(arrays: Vec<(&'static str, u64)>) -> Self {
        Self {
            arrays,
            of_solver: 0,
            taken_over: 0,
        }
    }

    /// With arrays more that are made when the u-solver and what only it had are gone.
    pub(crate) fn and_then(mut self, name: &'static str, bytes: u64) -> Self {
        self.taken_over = bytes.min(self.of_solver);
        self.and(name, bytes)
    }

    /// With one array more.
    pub(crate) fn and(mut self, name: &'static str, bytes: u64) -> Self {
        self.arrays.push((name, bytes));
        self
    }

    /// The arrays and their sizes in bytes.
    pub fn arrays(&self) -> &[(&'static str, u64)] {
        &self.arrays
    }

    /// Bytes of all arrays that are there at the same time.
    pub fn total(&self) -> u64 {
        let bytes = self.arrays.iter().map(|(_, bytes)| *bytes);
        match bytes.fold(0, u64::saturating_add) {
            u64::MAX => u64::MAX,
            all => all - self.taken_over,
        }
    }

    /// Refuses a plan that does not fit, and tells a way out.
    pub(crate) fn check(&self, available: u64, way_out: &str) -> Result<(), Error> {
        if self.total() <= available {
            return Ok(());
        }
        let largest = self.arrays.iter().max_by_key(|(_, bytes)| *bytes);
        let (name, bytes) = largest.copied().unwrap_or(("none", 0));
        Err(Error::Memory {
            needed: self.total(),
            available,
            advice: format!(
                "the largest array is {name} with {}; {way_out}",
                human(bytes)
            ),
        })
    }
}

/// Bytes that a run with these settings may take.
pub(crate) fn limit(settings: &Settings) -> u64 {
    settings.memory_limit_bytes.unwrap_or_else(available)
}

/// `1.5 GiB` and the like.
pub fn human(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "bytes";
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    if unit == "bytes" {
        format!("{bytes} bytes")
    } else {
        format!("{value:.1} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;
    use crate::admm::Settings;
    use crate::solver::{Shape, Solver};

    #[test]
    fn what_is_made_later_takes_the_room_of_the_solver() {
        let shape = Shape {
            rows: 3000,
            features: 20,
            gates: 4,
            outputs: 1,
            signs: 2,
            streamed: false,
        };
        let plan = Plan::new::<f32>(shape, Solver::Direct, &Settings::default());
        let before = plan.total();
        // S, whitened features, q and its correction, r and t
        let tiles = 3000 * (3000 + 256) / 2 * 4;
        let of_solver = tiles + 4 * (3000 * 20 + 2 * 20 * 4 + 2 * 3000);
        let after = |bytes: u64| plan.clone().and_then("later", bytes).total();
        assert_eq!(after(1000), before);
        assert_eq!(after(of_solver), before);
        assert_eq!(after(of_solver + 1000), before + 1000);
        assert_eq!(plan.clone().and("beside", 1000).total(), before + 1000);
    }

    #[test]
    fn no_size_is_too_large_to_be_planned() {
        for solver in [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg] {
            for (features, gates) in [(10, usize::MAX), (usize::MAX, 10)] {
                let shape = Shape {
                    rows: 100,
                    features,
                    gates,
                    outputs: 3,
                    signs: 2,
                    streamed: false,
                };
                let plan = Plan::new::<f32>(shape, solver, &Settings::default());
                assert_eq!(plan.total(), u64::MAX);
                assert!(plan.check(1 << 40, "take less").is_err());
            }
        }
    }
}
