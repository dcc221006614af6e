//! Images moved at random, so that a network does not learn where exactly things stand.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What may be done to an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Augment {
    /// Pixels it may be shifted in each direction; the edge is repeated.
    pub shift: usize,
    /// Whether it may be mirrored.
    pub mirror: bool,
}

/// What is done to one image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    down: i64,
    right: i64,
    mirrored: bool,
}

impl Augment {
    /// What is done to a row in an epoch.
    pub(crate) fn draw(self, epoch: u64, row: u64) -> Moved {
        let mut rng = ChaCha8Rng::seed_from_u64(epoch);
        rng.set_stream(row);
        let most = self.shift as i64;
        Moved {
            down: rng.random_range(-most..=most),
            right: rng.random_range(-most..=most),
            mirrored: self.mirror && rng.random(),
        }
    }
}

impl Moved {
    /// The row of the image that is seen in row `i`.
    pub fn row(self, i: usize, height: usize) -> usize {
        (i as i64 - self.down).clamp(0, height as i64 - 1) as usize
    }

    /// The column that is seen in column `j`.
    pub fn column(self, j: usize, width: usize) -> usize {
        let j = if self.mirrored { width - 1 - j } else { j };
        (j as i64 - self.right).clamp(0, width as i64 - 1) as usize
    }
}
