//! Rows that are equal, taken as one.
//!
//! Two rows with the same features and targets say the same as one of twice the weight. They are
//! merged and put in an order that depends on what they hold only, so that neither repeating
//! rows nor shuffling them changes a network, and no row is in two folds.

use cronos::Table;
use rayon::prelude::*;
use std::cmp::Ordering;

/// One of each kind of rows, and how much it counts.
pub struct Merged {
    pub rows: Vec<usize>,
    /// `None` if all count 1.
    pub weights: Option<Vec<f64>>,
}

/// Merges rows whose features and targets are equal. `target` writes the numbers that stand for
/// the target of a row.
pub fn merge(
    x: &dyn Table,
    weights: Option<&[f64]>,
    target: impl Fn(usize) -> Vec<f64> + Sync,
) -> Merged {
    let whole = |row: usize| {
        let mut values = vec![0.0; x.columns()];
        x.read(row, 0, &mut values);
        values.extend(target(row));
        // −0 equals 0
        values.iter_mut().for_each(|value| *value += 0.0);
        values
    };
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let mut keyed: Vec<(u64, usize)> = (0..x.rows())
        .into_par_iter()
        .filter(|&row| weight(row) != 0.0)
        .map(|row| (hash(&whole(row)), row))
        .collect();
    keyed.par_sort_unstable_by(|a, b| {
        let content = || order(&whole(a.1), &whole(b.1));
        a.0.cmp(&b.0).then_with(content).then(a.1.cmp(&b.1))
    });
    let same = |a: &(u64, usize), b: &(u64, usize)| {
        a.0 == b.0 && order(&whole(a.1), &whole(b.1)) == Ordering::Equal
    };
    let groups: Vec<&[(u64, usize)]> = keyed.chunk_by(same).collect();
    let summed: Vec<f64> = groups
        .iter()
        .map(|group| sum(group.iter().map(|&(_, row)| weight(row)).collect()))
        .collect();
    Merged {
        rows: groups.iter().map(|group| group[0].1).collect(),
        weights: summed.iter().any(|&weight| weight != 1.0).then_some(summed),
    }
}

/// A sum that does not depend on the order of its terms.
fn sum(mut terms: Vec<f64>) -> f64 {
    terms.sort_unstable_by(f64::total_cmp);
    terms.iter().sum()
}

fn order(a: &[f64], b: &[f64]) -> Ordering {
    let pairs = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    pairs.fold(Ordering::Equal, Ordering::then)
}

fn hash(values: &[f64]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, value: &f64| {
        let mixed = (state ^ value.to_bits()).wrapping_mul(ODD);
        mixed ^ (mixed >> 29)
    };
    values.iter().fold(ODD, mix)
}
