//! How much is tried, from the size of the data alone: no clock steers it.

use super::many::Many;
use super::path::Pace;
use crate::memory;
use crate::real::Real;

/// How hard the automatic mode tries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// A quick look.
    Fast,
    /// Seconds for a table of a few thousand rows.
    #[default]
    Standard,
    /// Ten times the work of the standard.
    Best,
}

impl Preset {
    /// The name a user types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Standard => "standard",
            Self::Best => "best",
        }
    }

    /// Rows that a choice is made on where they are many.
    fn sample(self) -> usize {
        match self {
            Self::Fast => 2000,
            Self::Standard => 6000,
            Self::Best => 12_000,
        }
    }

    /// Multiplications that may be spent.
    pub(super) fn work(self) -> f64 {
        match self {
            Self::Fast => 5e10,
            Self::Standard => 5e11,
            Self::Best => 5e12,
        }
    }
}

/// What to do about too little memory.
pub(super) const WAY_OUT: &str = "use fewer rows or columns, or --precision f32";

/// Most columns that a way of seeing the features may add.
pub(super) const MOST_RAMPS: usize = 400;

/// Networks of each kind in the average, which differ in their gates.
const NETWORKS: usize = 4;
/// The same when rows are many: then there is less chance to average out.
const NETWORKS_OF_MANY: usize = 1;

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Kinds of networks, the first ones.
    pub kinds: usize,
    /// Folds that are left out in turn; 1 is a single held-out part.
    pub folds: usize,
    /// Times the rows are dealt into folds.
    pub repeats: usize,
    /// Networks of each kind in the average.
    pub networks: usize,
    /// Penalties on a path, and the ratio of neighbours.
    pub steps: usize,
    pub ratio: f64,
    /// Steps without a better score after which a path ends.
    pub patience: usize,
    pub pace: Pace,
    /// What is done instead where rows are too many to walk paths on.
    pub many: Option<Many>,
}

impl Plan {
    /// As many folds as the work allows, then as many kinds.
    pub fn new(rows: usize, widths: &[usize], outputs: usize, preset: Preset) -> Self {
        let pace = Pace {
            units: 100,
            new_units: 8,
            rounds: 2,
            iterations: 30,
            climb: Pace::CLIMB,
        };
        let (steps, ratio): (usize, f64) = match preset {
            Preset::Fast => (12, 0.4),
            Preset::Standard => (16, 0.5),
            Preset::Best => (22, 0.6),
        };
        // products with X there and back with half the units on average, the units
        // themselves, and exponentials for every output
        let evaluations = (steps * pace.rounds * pace.iterations) as f64;
        let path = |width: usize| {
            let units = 2 * pace.units * (width + outputs + 15);
            evaluations * (units + 200 * outputs) as f64
        };
        let per_row = |folds: usize, kinds: usize| -> f64 {
            let paths: f64 = widths[..kinds].iter().map(|&width| path(width)).sum();
            paths * (folds as f64 * 0.75 + 1.0)
        };
        let deals = match (preset, rows) {
            (Preset::Fast, _) => [(3, 1), (1, 1)].as_slice(),
            (_, 0..=300) => [(5, 3), (5, 1), (3, 1), (1, 1)].as_slice(),
            (_, 301..=1000) => [(5, 2), (5, 1), (3, 1), (1, 1)].as_slice(),
            _ => [(5, 1), (3, 1), (1, 1)].as_slice(),
        };
        let fits = |folds: usize, repeats: usize, kinds: usize| {
            rows as f64 * per_row(folds * repeats, kinds) <= preset.work()
        };
        // rather fewer kinds than too few rows to judge them on
        let least = widths.len().min(3);
        let many = (least..=widths.len()).rev();
        let all = deals
            .iter()
            .flat_map(|&(folds, repeats)| many.clone().map(move |kinds| (folds, repeats, kinds)))
            .find(|&(folds, repeats, kinds)| fits(folds, repeats, kinds));
        // else as many kinds as can be judged on enough rows
        let affordable = |kinds: usize| (preset.work() / per_row(1, kinds)) as usize;
        let enough = |kinds: &usize| affordable(*kinds) >= preset.sample();
        let some = || (1, 1, (1..=least).rev().find(enough).unwrap_or(1));
        let (folds, repeats, kinds) = all.unwrap_or_else(some);
        let plan = Self {
            kinds,
            folds,
            repeats,
            networks: NETWORKS,
            steps,
            ratio,
            patience: 5,
            pace,
            many: None,
        };
        if all.is_some() || rows < preset.sample() {
            return plan;
        }
        let sample = preset.sample().min(rows / 2);
        let kinds = Many::kinds(widths, outputs, preset);
        let widest = widths[..kinds].iter().max().copied().unwrap_or(1);
        Self {
            kinds,
            networks: NETWORKS_OF_MANY,
            steps: Many::STEPS,
            ratio: Many::RATIO,
            many: Some(Many::new(sample, widest, outputs, preset)),
            ..plan
        }
    }

    /// With at most so many units in a network.
    pub fn bounded(mut self, most: Option<usize>) -> Self {
        let most = most.unwrap_or(usize::MAX).max(1);
        self.pace.units = self.pace.units.min(most);
        if let Some(many) = &mut self.many {
            many.units = many.units.min(most);
        }
        self
    }

    /// The large arrays.
    pub fn memory<T: Real>(&self, rows: usize, widths: &[usize], outputs: usize) -> memory::Plan {
        let sample = self.many.map_or(rows, |many| many.sample);
        let widths = &widths[..self.kinds];
        let units = self.many.map_or(self.pace.units, |many| many.units);
        memory::<T>(rows, sample, widths, outputs, units)
    }

    /// Paths for each way of seeing the features.
    pub fn jobs(&self) -> usize {
        self.folds * self.repeats
    }

    /// Parts that the rows are dealt into.
    pub fn parts(&self) -> usize {
        if self.folds == 1 { 4 } else { self.folds }
    }
}

/// The large arrays of learning on `sample` of the rows and then on all.
///
/// widths: columns of each kind, without the bias
pub(super) fn memory<T: Real>(
    rows: usize,
    sample: usize,
    widths: &[usize],
    outputs: usize,
    units: usize,
) -> memory::Plan {
    let threads = rayon::current_num_threads();
    let bytes = |numbers: usize, each: usize| numbers.saturating_mul(each) as u64;
    let size = |numbers: usize| bytes(numbers, size_of::<T>());
    let wide = |numbers: usize| bytes(numbers, size_of::<f64>());
    let widest = widths.iter().max().map_or(1, |width| width + 1);
    let mut distinct = widths.to_vec();
    distinct.dedup();
    let columns: usize = distinct.iter().map(|width| width + 1).sum();
    let weights = (widest + outputs).saturating_mul(units);
    let parts = rows.div_ceil(1024) + 2 * 10 + 8;
    memory::Plan::of(vec![
        ("features as the networks see them", size(rows * columns)),
        ("features while they are made", wide(2 * rows * widest)),
        ("rows of the folds", threads as u64 * size(sample * widest)),
        (
            "rows of the levels",
            size(if sample < rows { rows * widest } else { 0 }),
        ),
        (
            "targets and predictions",
            size(rows * outputs) * (widths.len() + 3 * threads) as u64,
        ),
        (
            "gradients and memory of the descent",
            size(weights.saturating_mul(parts)) * threads as u64,
        ),
        (
            "certificate",
            wide(rows * (widest + 3 * outputs)) * threads as u64,
        ),
    ])
}
