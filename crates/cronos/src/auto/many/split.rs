//! Many rows, split: some are left out to judge by, the others come in an order whose
//! beginnings are samples of them.

use crate::folds::{folds, shuffle};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Rows left out, at most, and as a share.
const MOST_HELD: usize = 5000;
const SHARE_HELD: usize = 4;
/// Parts that the order is made of, each with as many of every class.
const PARTS: usize = 200;
/// The share of the rows that the penalty is chosen on.
const LEVEL: usize = 3;

/// Rows by their part in the search.
pub(in crate::auto) struct Split {
    pub held: Vec<usize>,
    order: Vec<usize>,
    sample: usize,
}

impl Split {
    /// Splits the rows; a sample has `sample` of them.
    pub fn new(rows: usize, labels: Option<&[usize]>, sample: usize, seed: u64) -> Self {
        let wanted = (rows / SHARE_HELD).clamp(1, MOST_HELD);
        let mut parts = folds(labels, rows, (rows / wanted).max(2), seed);
        let held = parts.swap_remove(0);
        let others = parts.concat();
        let labels: Option<Vec<usize>> =
            labels.map(|labels| others.iter().map(|&row| labels[row]).collect());
        let dealt = folds(labels.as_deref(), others.len(), PARTS, seed);
        // those dealt first may have one more of some classes
        let mut turn: Vec<usize> = (0..PARTS).collect();
        shuffle(&mut turn, &mut ChaCha8Rng::seed_from_u64(seed));
        let order = turn.into_iter().flat_map(|part| &dealt[part]);
        let order: Vec<usize> = order.map(|&at| others[at]).collect();
        Self {
            held,
            sample: sample.min(order.len()),
            order,
        }
    }

    /// Rows that the kinds are compared on.
    pub fn sample(&self) -> &[usize] {
        &self.order[..self.sample]
    }

    /// Rows that the penalty is chosen on: a share of those that are not left out, or all
    /// of them where that is hardly more than the sample.
    pub fn level(&self) -> &[usize] {
        match self.order.len() / LEVEL {
            few if few < 2 * self.sample => &self.order,
            many => &self.order[..many],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_share_of_the_classes() {
        let labels: Vec<usize> = (0..3000).map(|row| row % 3).collect();
        let split = Split::new(3000, Some(&labels), 300, 1);
        assert_eq!(split.held.len(), 750);
        assert_eq!(split.sample().len(), 300);
        assert_eq!(split.level().len(), 750);
        let mut all = [&split.held[..], &split.order].concat();
        all.sort_unstable();
        assert_eq!(all, (0..3000).collect::<Vec<_>>());
        for (rows, most) in [
            (&split.held[..], 1),
            (split.sample(), 10),
            (split.level(), 10),
        ] {
            for class in 0..3 {
                let own = rows.iter().filter(|&&row| labels[row] == class).count();
                assert!(
                    own.abs_diff(rows.len() / 3) <= most,
                    "{own} of {}",
                    rows.len()
                );
            }
        }
        // a third would be hardly more than the sample
        let split = Split::new(3000, None, 500, 1);
        assert_eq!(split.level().len(), 2250);
    }
}
