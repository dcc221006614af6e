//! Ranks.

/// The rank of each score, 1 for the largest. Equal scores share the mean of
/// the ranks they cover together.
pub fn ranks(scores: &[f64]) -> Vec<f64> {
    let count = |test: &dyn Fn(f64) -> bool| scores.iter().filter(|&&s| test(s)).count() as f64;
    scores
        .iter()
        .map(|&score| {
            let larger = count(&|other| other > score);
            let equal = count(&|other| other == score);
            larger + (equal + 1.0) / 2.0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::ranks;

    /// As `len(x) + 1 - scipy.stats.rankdata(x)`, worked out by hand.
    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(ranks(&[]), [0.0; 0]);
        assert_eq!(ranks(&[0.5, 0.9, 0.7]), [3.0, 1.0, 2.0]);
        assert_eq!(ranks(&[0.9, 0.9, 0.7]), [1.5, 1.5, 3.0]);
        assert_eq!(ranks(&[0.1, 0.8, 0.8, 0.8, 1.0]), [5.0, 3.0, 3.0, 3.0, 1.0]);
        assert_eq!(ranks(&[0.3; 4]), [2.5; 4]);
    }

    #[test]
    fn the_sum_of_ranks_does_not_depend_on_ties() {
        for scores in [[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 4.0, 4.0], [7.0; 4]] {
            assert_eq!(ranks(&scores).iter().sum::<f64>(), 10.0);
        }
    }
}
