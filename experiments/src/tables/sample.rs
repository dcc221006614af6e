//! Which rows of a table train and which test.

use cronos_data::DataError;
use cronos_data::split::holdout;
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
pub fn rows(classes: &[usize], seed: u64) -> Result<(Vec<usize>, Vec<usize>), DataError> {
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
