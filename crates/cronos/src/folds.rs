//! Folds for cross-validation: rows dealt out evenly, each class by itself.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::collections::BTreeMap;

/// Keeps the folds apart from all else that is drawn from the same seed.
const STREAM: u64 = u64::from_le_bytes(*b"folds\0\0\0");

/// For each of `count` folds its rows, in ascending order; each row is in exactly one fold.
///
/// With `labels`, one class per row, no two folds differ by more than one row of any class.
/// With or without, no two folds differ by more than one row in all. With fewer rows than
/// folds the folds that got none are empty. The same seed gives the same folds on every
/// machine.
///
/// Rows without a label, when `labels` is too short, are a class of their own.
pub fn folds(labels: Option<&[usize]>, rows: usize, count: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut folds = vec![Vec::new(); count];
    if count == 0 {
        return folds;
    }
    let mut classes: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for row in 0..rows {
        let class = labels.and_then(|labels| labels.get(row).copied());
        classes.entry(class).or_default().push(row);
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(STREAM);
    // Each class goes on where the one before it stopped, so that small classes do not all
    // end up in the first folds.
    let mut dealt = 0;
    for class in classes.values_mut() {
        shuffle(class, &mut random);
        for &row in class.iter() {
            folds[dealt % count].push(row);
            dealt += 1;
        }
    }
    for fold in &mut folds {
        fold.sort_unstable();
    }
    folds
}

/// Fisher and Yates's shuffle, spelt out because the `rand` crate may change its own, and
/// with it all folds, from one version to the next.
pub(crate) fn shuffle(rows: &mut [usize], random: &mut ChaCha8Rng) {
    for last in (1..rows.len()).rev() {
        rows.swap(last, below(last as u64 + 1, random) as usize);
    }
}

/// A uniform number below `bound`; draws that would favour small numbers are drawn again.
fn below(bound: u64, random: &mut ChaCha8Rng) -> u64 {
    let limit = u64::MAX - u64::MAX % bound;
    loop {
        let draw = random.next_u64();
        if draw < limit {
            return draw % bound;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest and the smallest of some counts differ by at most one.
    fn even(counts: impl Iterator<Item = usize> + Clone) -> bool {
        counts.clone().max() <= counts.min().map(|least| least + 1)
    }

    fn check(labels: Option<&[usize]>, rows: usize, count: usize) {
        for seed in 0..20 {
            let folds = folds(labels, rows, count, seed);
            assert_eq!(folds.len(), count);
            assert!(folds.iter().all(|fold| fold.is_sorted()));
            let mut all = folds.concat();
            all.sort_unstable();
            assert_eq!(all, (0..rows).collect::<Vec<_>>());
            assert!(even(folds.iter().map(Vec::len)), "{folds:?}");
            for &class in labels.unwrap_or_default() {
                let labels = labels.unwrap_or_default();
                let of_class = |fold: &Vec<usize>| {
                    let class = |row: &&usize| labels[**row] == class;
                    fold.iter().filter(class).count()
                };
                assert!(even(folds.iter().map(of_class)), "{class}: {folds:?}");
            }
        }
    }

    #[test]
    fn every_row_is_in_one_fold_and_classes_are_spread() {
        for count in [1, 2, 3, 5, 10, 40] {
            for rows in [0, 1, 2, 7, 30, 101] {
                check(None, rows, count);
                let labels: Vec<usize> = (0..rows).map(|row| row * row % 7).collect();
                check(Some(&labels), rows, count);
                // sorted by class, and one class that is rare
                let labels: Vec<usize> = (0..rows).map(|row| usize::from(row > 3) * 9).collect();
                check(Some(&labels), rows, count);
            }
        }
        check(Some(&[usize::MAX, 0, usize::MAX]), 3, 2);
    }

    #[test]
    fn the_seed_decides() {
        let labels: Vec<usize> = (0..60).map(|row| row % 3).collect();
        for labels in [None, Some(&labels[..])] {
            let with = |seed| folds(labels, 60, 5, seed);
            assert_eq!(with(1), with(1));
            assert_ne!(with(1), with(2));
        }
    }

    #[test]
    fn every_row_is_as_likely_in_every_fold() {
        let mut counts = [[0u32; 4]; 8];
        for seed in 0..4000 {
            for (fold, rows) in folds(None, 8, 4, seed).iter().enumerate() {
                for &row in rows {
                    counts[row][fold] += 1;
                }
            }
        }
        // 1000 expected of each; five standard deviations are 137
        let near = |count: &u32| count.abs_diff(1000) < 137;
        assert!(counts.iter().flatten().all(near), "{counts:?}");
    }

    #[test]
    fn odd_requests_give_what_there_is() {
        assert!(folds(None, 5, 0, 0).is_empty());
        let few = folds(None, 2, 5, 0);
        assert_eq!((few.len(), few.concat().len()), (5, 2));
        let short = folds(Some(&[0, 1]), 6, 2, 0);
        assert_eq!(short.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
    }
}
