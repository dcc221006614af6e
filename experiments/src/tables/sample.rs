//! Which rows of a table train and which test.

use cronos::{Error, holdout};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// The fraction of every class that is held out for the test.
const TEST: f64 = 0.3;
/// Training rows at most.
const MOST: usize = 4000;

/// The training and the test rows, each ascending: every class is split by
/// itself, one with a single row trains, and the training rows are thinned to
/// [`MOST`].
pub fn rows(classes: &[usize], seed: u64) -> Result<(Vec<usize>, Vec<usize>), Error> {
    let (train, test) = holdout(classes.len(), TEST, seed, Some(classes))?;
    Ok((thin(&train, classes, MOST, seed), test))
}

/// At most `most` of the rows, drawn at random with every class in proportion,
/// but with at least one row each.
fn thin(rows: &[usize], classes: &[usize], most: usize, seed: u64) -> Vec<usize> {
    if rows.len() <= most {
        return rows.to_vec();
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut groups: BTreeMap<usize, Vec<(u64, usize)>> = BTreeMap::new();
    for &row in rows {
        let draw = random.next_u64();
        groups.entry(classes[row]).or_default().push((draw, row));
    }
    let sizes: Vec<usize> = groups.values().map(Vec::len).collect();
    let mut kept = Vec::with_capacity(most);
    for (group, quota) in groups.values_mut().zip(quotas(&sizes, most)) {
        group.sort_unstable();
        kept.extend(group.iter().take(quota).map(|&(_, row)| row));
    }
    kept.sort_unstable();
    kept
}

/// Shares of `most` in proportion to the sizes, at least 1 each.
fn quotas(sizes: &[usize], most: usize) -> Vec<usize> {
    let total: usize = sizes.iter().sum();
    let exact: Vec<f64> = sizes
        .iter()
        .map(|&size| most as f64 * size as f64 / total as f64)
        .collect();
    let mut quotas: Vec<usize> = exact.iter().map(|&share| (share as usize).max(1)).collect();
    let mut sum: usize = quotas.iter().sum();
    while sum != most {
        // who is furthest from the exact share gets one more or gives one up
        let surplus = |place: &usize| quotas[*place] as f64 - exact[*place];
        let order = |a: &usize, b: &usize| surplus(a).total_cmp(&surplus(b));
        let place = if sum < most {
            (0..sizes.len()).min_by(order)
        } else {
            (0..sizes.len()).filter(|&p| quotas[p] > 1).max_by(order)
        };
        match place {
            Some(place) if sum < most => (quotas[place], sum) = (quotas[place] + 1, sum + 1),
            Some(place) => (quotas[place], sum) = (quotas[place] - 1, sum - 1),
            None => break, // more classes than rows to keep
        }
    }
    quotas
}

#[cfg(test)]
mod tests {
    use super::{MOST, quotas, rows, thin};

    /// Classes of 6000, 3000, 300, 2 and 1 rows, mixed.
    fn classes() -> Vec<usize> {
        let mut classes = Vec::new();
        for (class, count) in [6000, 3000, 300, 2, 1].into_iter().enumerate() {
            classes.extend(std::iter::repeat_n(class, count));
        }
        let count = classes.len();
        (0..count).map(|row| classes[row * 11 % count]).collect()
    }

    fn counts(rows: &[usize], classes: &[usize]) -> Vec<usize> {
        let mut counts = vec![0; 5];
        for &row in rows {
            counts[classes[row]] += 1;
        }
        counts
    }

    #[test]
    fn classes_keep_their_proportions_and_the_cap_is_met() {
        let classes = classes();
        assert_eq!(
            counts(&(0..9303).collect::<Vec<_>>(), &classes),
            [6000, 3000, 300, 2, 1]
        );
        let (train, test) = rows(&classes, 5).unwrap();
        assert_eq!(counts(&test, &classes), [1800, 900, 90, 1, 0]);
        assert_eq!(train.len(), MOST);
        // of 6512 rows 4000: 4200, 2100 and 210 times 0.61425 are 2579.9, 1289.9 and 129.0
        let kept = counts(&train, &classes);
        assert_eq!(kept[3..], [1, 1]);
        for (found, exact) in kept.iter().zip([2579.9, 1289.9, 129.0]) {
            assert!((*found as f64 - exact).abs() <= 1.0, "{kept:?}");
        }
    }

    #[test]
    fn parts_are_disjoint_ascending_and_depend_on_the_seed_only() {
        let classes = classes();
        let (train, test) = rows(&classes, 1).unwrap();
        for part in [&train, &test] {
            assert!(part.windows(2).all(|pair| pair[0] < pair[1]));
        }
        assert!(train.iter().all(|row| test.binary_search(row).is_err()));
        assert_eq!(rows(&classes, 1).unwrap(), (train.clone(), test.clone()));
        let other = rows(&classes, 2).unwrap();
        assert!(other.0 != train && other.1 != test);
    }

    #[test]
    fn few_rows_are_not_thinned() {
        let classes = [0, 0, 0, 1, 1, 1];
        assert_eq!(thin(&[0, 2, 3], &classes, 3, 0), [0, 2, 3]);
        assert_eq!(thin(&[0, 1, 2, 3, 4, 5], &classes, 4, 0).len(), 4);
        let (train, test) = rows(&classes, 0).unwrap();
        assert_eq!((train.len(), test.len()), (4, 2));
    }

    #[test]
    fn quotas_add_up_and_leave_no_class_out() {
        assert_eq!(quotas(&[50, 30, 20], 10), [5, 3, 2]);
        assert_eq!(quotas(&[1, 1, 1, 997], 10), [1, 1, 1, 7]);
        assert_eq!(quotas(&[1, 1, 1], 2), [1, 1, 1]);
        for most in 3..100 {
            let shares = quotas(&[61, 37, 2], most);
            assert_eq!(shares.iter().sum::<usize>(), most);
            assert!(
                shares
                    .iter()
                    .zip([61, 37, 2])
                    .all(|(&share, size)| share <= size && share > 0)
            );
        }
    }
}
