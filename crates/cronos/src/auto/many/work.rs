//! How much is learned where rows are many, from the size of the data alone.

use crate::auto::Preset;
use crate::learn::{BATCH, Fresh};

/// Batches that a network is learned from where rows are many: a scout on a sample, and one
/// of half the units on more rows.
const SCOUT_STEPS: usize = 250;
const LEVEL_STEPS: usize = 700;
/// Those that the work of the last is counted for.
const COUNTED_STEPS: usize = 2400;
/// Times that rows are gone over.
const EPOCHS: (usize, usize) = (3, 60);
/// Units of a scout, and of any network at least.
const SCOUT_UNITS: usize = 128;
const LEAST_UNITS: usize = 64;
/// Penalties that a scout tries, roughly.
const SCOUTED: usize = 5;

/// Networks learned from nothing, where rows are many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::auto) struct Many {
    /// Rows that the kinds are compared on.
    pub sample: usize,
    /// Units at most.
    pub units: usize,
}

impl Many {
    /// Penalties that a scout tries at most, and the ratio of neighbours.
    pub const STEPS: usize = 10;
    pub const RATIO: f64 = 0.25;

    /// As many units as the work allows.
    pub fn new(sample: usize, width: usize, outputs: usize, preset: Preset) -> Self {
        // products with X there and twice back
        let one = (3 * COUNTED_STEPS * BATCH * (width + outputs)) as f64;
        let most = match preset {
            Preset::Fast => 128,
            Preset::Standard => 512,
            Preset::Best => 1024,
        };
        let units = ((4.0 * preset.work() / one) as usize).clamp(LEAST_UNITS, most);
        Self { sample, units }
    }

    /// Kinds that can be scouted; two at least, or there is no choice.
    pub fn kinds(widths: &[usize], outputs: usize, preset: Preset) -> usize {
        let one = |width: &usize| {
            (SCOUTED * 3 * SCOUT_STEPS * BATCH * SCOUT_UNITS * (width + outputs)) as f64
        };
        let mut spent = 0.0;
        let affordable = |width: &&usize| {
            spent += one(width);
            spent <= preset.work()
        };
        let count = widths.iter().take_while(affordable).count();
        count.clamp(2.min(widths.len()), 3.min(widths.len()))
    }

    pub fn scout(&self, rows: usize) -> Fresh {
        fresh(self.units.min(SCOUT_UNITS), rows, SCOUT_STEPS)
    }

    pub fn level(&self, rows: usize) -> Fresh {
        fresh(self.units.div_ceil(2), rows, LEVEL_STEPS)
    }

    /// After a level of so many rows that left so many units: twice those, for where the penalty
    /// put some out more are of no use. Rows are gone over as often as there; more often, and the
    /// network would learn by heart what the one that was judged did not.
    pub fn last(&self, rows: usize, left: usize) -> Fresh {
        Fresh {
            units: (2 * left).clamp(LEAST_UNITS.min(self.units), self.units),
            ..self.level(rows)
        }
    }
}

/// So many steps or more, and so many epochs or fewer.
fn fresh(units: usize, rows: usize, steps: usize) -> Fresh {
    let epochs = (steps * BATCH).div_ceil(rows.max(1));
    Fresh {
        units,
        epochs: epochs.clamp(EPOCHS.0, EPOCHS.1),
    }
}
