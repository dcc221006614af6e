//! Ranks.

/// Scores that differ by no more are equal. JSON and means may round them, while
/// accuracies that differ at all differ by one row of the test.
pub const EQUAL: f64 = 1e-9;

/// The rank of each score, 1 for the largest. Equal scores share the mean of
/// the ranks they cover together.
pub fn ranks(scores: &[f64]) -> Vec<f64> {
    scores
        .iter()
        .map(|score| {
            let larger = scores.iter().filter(|&other| *other > score + EQUAL);
            let equal = scores
                .iter()
                .filter(|&other| (other - score).abs() <= EQUAL);
            larger.count() as f64 + (equal.count() as f64 + 1.0) / 2.0
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
        assert_eq!(ranks(&[0.1 + 0.2, 0.3, 0.4]), [2.5, 2.5, 1.0]);
    }

    #[test]
    fn the_sum_of_ranks_does_not_depend_on_ties() {
        for scores in [[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 4.0, 4.0], [7.0; 4]] {
            assert_eq!(ranks(&scores).iter().sum::<f64>(), 10.0);
        }
    }
}
