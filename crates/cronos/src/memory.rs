//! Memory is planned before it is allocated.

use crate::Error;
use crate::cholesky::Tiled;
use crate::engine::{BLOCK, workspace_bytes};
use crate::real::Real;
use crate::solver::{Shape, Solver};

/// The large arrays of a run, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    arrays: Vec<(&'static str, u64)>,
}

impl Plan {
    pub(crate) fn new<T: Real>(shape: Shape, solver: Solver, rank: usize) -> Self {
        let size = |numbers: usize| (numbers * size_of::<T>()) as u64;
        let wide = |numbers: usize| (numbers * size_of::<f64>()) as u64;
        let Shape {
            rows: n,
            features: d,
            gates: p,
            outputs: c,
            signs,
        } = shape;
        let columns = signs * p * c;
        let mut arrays = vec![
            ("features X", size(n * d)),
            ("gates D", (n.div_ceil(64) * p * 8) as u64),
            ("targets and predictions", 6 * size(n * c)),
            ("weights u, v and right-hand sides", 5 * size(d * columns)),
            ("best weights", 2 * wide(d * columns)),
            ("row blocks", workspace_bytes::<T>(n, d, p, columns)),
            ("certificate", 8 * wide(d * signs * p)),
        ];
        if signs == 2 {
            arrays.push((
                "slacks and multipliers",
                size(n.next_multiple_of(BLOCK) * columns),
            ));
            if solver != Solver::PrimalPcg {
                arrays.push(("M and its inverse", 4 * wide(d * d)));
            }
        }
        match solver {
            Solver::PrimalPcg => {
                arrays.push(("conjugate gradients", 4 * size(d * columns)));
                arrays.push(("Nyström sketch", 4 * wide(d * signs * p * rank)));
            }
            Solver::SamplePcg => {
                arrays.push(("sample space", 4 * size(d * p * c) + 6 * size(n * c)));
                arrays.push(("Nyström sketch", 4 * wide(n * rank)));
            }
            Solver::Direct | Solver::Auto => {
                arrays.push(("sample space", 2 * size(d * p * c) + 2 * size(n * c)));
                arrays.push(("matrix S", Tiled::<T>::bytes(n)));
                arrays.push(("whitened features", size(n * d)));
            }
        }
        Self { arrays }
    }

    /// The arrays and their sizes in bytes.
    pub fn arrays(&self) -> &[(&'static str, u64)] {
        &self.arrays
    }

    /// Bytes of all arrays together.
    pub fn total(&self) -> u64 {
        self.arrays.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Refuses a plan that does not fit.
    pub(crate) fn check(&self, available: u64) -> Result<(), Error> {
        if self.total() <= available {
            return Ok(());
        }
        let largest = self.arrays.iter().max_by_key(|(_, bytes)| *bytes);
        let (name, bytes) = largest.copied().unwrap_or(("none", 0));
        Err(Error::Memory {
            needed: self.total(),
            available,
            advice: format!(
                "the largest array is {name} with {}; use fewer gates, fewer rows, --precision \
                 f32 or --solver sample-pcg",
                human(bytes)
            ),
        })
    }
}

/// Bytes that can be had without swapping: what the system reports, or the
/// limit of the control group if that is less. `u64::MAX` where neither is known.
pub fn available() -> u64 {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let free = read("/proc/meminfo").and_then(|text| {
        let line = text
            .lines()
            .find(|line| line.starts_with("MemAvailable:"))?;
        let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib * 1024)
    });
    let group = read("/sys/fs/cgroup/memory.max")
        .and_then(|text| text.trim().parse::<u64>().ok())
        .map(|limit| {
            let used = read("/sys/fs/cgroup/memory.current")
                .and_then(|text| text.trim().parse::<u64>().ok())
                .unwrap_or(0);
            limit.saturating_sub(used)
        });
    free.unwrap_or(u64::MAX).min(group.unwrap_or(u64::MAX))
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
