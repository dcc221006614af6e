//! Setting rows aside for testing.

use crate::Error;
use crate::folds::shuffle;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

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
) -> Result<(Vec<usize>, Vec<usize>), Error> {
    if !(fraction > 0.0 && fraction < 1.0) {
        return Err(Error::Data(format!(
            "the test fraction is {fraction}; it must be above 0 and below 1"
        )));
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    match strata {
        None => {
            groups.insert(0, (0..rows).collect());
        }
        Some(strata) if strata.len() != rows => {
            return Err(Error::Data(format!(
                "there are {rows} rows but {} classes to split them by; they must be equal",
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
            return Err(Error::Data(format!(
                "a test fraction of {fraction} leaves no {name} rows out of {rows}; change the \
                 fraction or add rows"
            )));
        }
    }
    train.sort_unstable();
    test.sort_unstable();
    Ok((train, test))
}
