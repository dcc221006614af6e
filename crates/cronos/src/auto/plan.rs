//! How much is tried, from the size of the data alone: no clock steers it.

use super::path::Pace;

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

    /// Multiplications that may be spent.
    pub(super) fn work(self) -> f64 {
        match self {
            Self::Fast => 5e10,
            Self::Standard => 5e11,
            Self::Best => 5e12,
        }
    }
}

/// Most columns that a way of seeing the features may add.
pub(super) const MOST_RAMPS: usize = 400;

/// Networks of each kind in the average, which differ in their gates.
const NETWORKS: usize = 4;

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
    pub pace: Pace,
}

impl Plan {
    /// As many folds as the work allows, then as many kinds.
    pub fn new(rows: usize, widths: &[usize], outputs: usize, preset: Preset) -> Self {
        let pace = Pace {
            units: 100,
            new_units: 8,
            rounds: 2,
            iterations: 30,
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
            evaluations * rows as f64 * (units + 200 * outputs) as f64
        };
        let cost = |folds: usize, kinds: usize| -> f64 {
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
            cost(folds * repeats, kinds) <= preset.work()
        };
        // rather fewer kinds than too few rows to judge them on
        let least = widths.len().min(3);
        let many = (least..=widths.len()).rev();
        let (folds, repeats, kinds) = deals
            .iter()
            .flat_map(|&(folds, repeats)| many.clone().map(move |kinds| (folds, repeats, kinds)))
            .chain((1..least).rev().map(|kinds| (1, 1, kinds)))
            .find(|&(folds, repeats, kinds)| fits(folds, repeats, kinds))
            .unwrap_or((1, 1, 1));
        Self {
            kinds,
            folds,
            repeats,
            networks: NETWORKS,
            steps,
            ratio,
            pace,
        }
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
