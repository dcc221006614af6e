//! Setting rows aside for testing.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::error::{DataError, counted};

/// Splits `rows` rows into a training and a test part, both in ascending order.
///
/// `fraction` of the rows, rounded, go to the test part. With `strata`, one class per row,
/// this holds for every class, except that each keeps at least one row for training. The same
/// seed gives the same split on every machine.
///
/// # Errors
/// When the fraction is not between 0 and 1, when `strata` has another length, or when either
/// part would be empty.
pub fn holdout(
    rows: usize,
    fraction: f64,
    seed: u64,
    strata: Option<&[usize]>,
) -> Result<(Vec<usize>, Vec<usize>), DataError> {
    if !(fraction > 0.0 && fraction < 1.0) {
        return Err(DataError::request(format!(
            "the test fraction is {fraction}; it must be above 0 and below 1"
        )));
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    match strata {
        None => {
            groups.insert(0, (0..rows).collect());
        }
        Some(strata) if strata.len() != rows => {
            return Err(DataError::request(format!(
                "there are {} but {} classes to split them by; they must be equal",
                counted(rows, "row"),
                strata.len()
            )));
        }
        Some(strata) => {
            for (row, &class) in strata.iter().enumerate() {
                groups.entry(class).or_default().push(row);
            }
        }
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for group in groups.values_mut() {
        shuffle(group, &mut random);
        let mut held = (fraction * group.len() as f64).round() as usize;
        if strata.is_some() {
            held = held.min(group.len().saturating_sub(1));
        }
        test.extend_from_slice(&group[..held]);
        train.extend_from_slice(&group[held..]);
    }
    for (part, name) in [(&train, "training"), (&test, "test")] {
        if part.is_empty() {
            return Err(DataError::request(format!(
                "a test fraction of {fraction} leaves no {name} rows out of {rows}; change the \
                 fraction or add rows"
            )));
        }
    }
    train.sort_unstable();
    test.sort_unstable();
    Ok((train, test))
}

/// Fisher and Yates's shuffle, spelt out because the `rand` crate may change its own, and
/// with it every split, from one version to the next.
fn shuffle(rows: &mut [usize], random: &mut ChaCha8Rng) {
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
