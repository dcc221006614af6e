//! Memory is planned before it is allocated.

use crate::Error;
use crate::admm::Settings;
use crate::cholesky::Tiled;
use crate::engine::{BLOCK, chunk_count};
use crate::real::Real;
use crate::solver::{Shape, Solver};

/// Code, threads and small things.
pub(crate) const PROGRAM: u64 = 6 << 20;

/// The large arrays of a run, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    arrays: Vec<(&'static str, u64)>,
}

impl Plan {
    pub(crate) fn new<T: Real>(shape: Shape, solver: Solver, settings: &Settings) -> Self {
        let bytes = |numbers: usize, each: usize| numbers.saturating_mul(each) as u64;
        let size = |numbers: usize| bytes(numbers, size_of::<T>());
        let wide = |numbers: usize| bytes(numbers, size_of::<f64>());
        let Shape {
            rows: n,
            features: all,
            gates: p,
            outputs: c,
            signs,
        } = shape;
        // more features than rows are reduced to as many as rows
        let d = all.min(n);
        let columns = signs * p * c;
        let chunks = chunk_count(n, d);
        let mut arrays = vec![
            ("features X", size(n * all)),
            (
                "gates D and their directions",
                (n.div_ceil(64) * p * 8) as u64 + wide(all * p),
            ),
            ("targets and predictions", 6 * size(n * c)),
            ("weights u, v and right-hand sides", 5 * size(d * columns)),
            (
                "candidates and their network",
                3 * wide(d * columns) + 2 * wide(all * columns),
            ),
            (
                "row blocks",
                bytes(chunks, size_of::<T>()) * (BLOCK * (columns + p) + d * columns) as u64,
            ),
            ("certificate", wide(chunks * (d + BLOCK) * signs * p + n)),
        ];
        if all > n {
            let factors = wide(n * all + 3 * n * n) + size(n * n);
            arrays.push(("thin factorisation", factors));
        }
        if settings.keep_dual {
            arrays.push(("dual point", 2 * wide(n * (columns + c))));
        }
        if signs == 2 {
            let padded = n.next_multiple_of(BLOCK);
            arrays.push(("slacks and multipliers", size(padded * columns)));
            if solver != Solver::PrimalPcg {
                arrays.push(("M and its root", 3 * wide(d * d)));
            }
        }
        let sketch = |size: usize| 6 * wide(size.saturating_mul(settings.rank_limit().min(size)));
        match solver {
            Solver::PrimalPcg => {
                arrays.push(("conjugate gradients", 4 * size(d * columns)));
                arrays.push(("Nyström sketch", sketch(d * signs * p)));
            }
            Solver::SamplePcg => {
                arrays.push(("sample space", 4 * size(d * p * c) + 6 * size(n * c)));
                arrays.push(("Nyström sketch", sketch(n)));
            }
            Solver::Direct | Solver::Auto => {
                arrays.push(("sample space", 2 * size(d * p * c) + 2 * size(n * c)));
                arrays.push(("matrix S", Tiled::<T>::bytes(n)));
                arrays.push(("whitened features", size(n * d)));
            }
        }
        Self { arrays }
    }

    pub(crate) fn of(arrays: Vec<(&'static str, u64)>) -> Self {
        Self { arrays }
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

    /// Bytes of all arrays together.
    pub fn total(&self) -> u64 {
        self.arrays.iter().map(|(_, bytes)| bytes).sum()
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
            // file cache is given back when it is needed
            let cache: u64 = read("/sys/fs/cgroup/memory.stat")
                .iter()
                .flat_map(|text| text.lines())
                .filter(|line| {
                    line.starts_with("inactive_file ") || line.starts_with("active_file ")
                })
                .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
                .sum();
            limit.saturating_sub(used.saturating_sub(cache))
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
