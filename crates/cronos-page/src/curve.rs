//! Runs of different speed as one curve: median and band at the same times.

/// Times at which a curve is known.
const TIMES: usize = 200;
/// The band leaves out this share of the runs at either side.
const TAIL: f64 = 0.05;

/// Scores against seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    pub median: Vec<(f64, f64)>,
    /// From the 5 % to the 95 % quantile; empty if there is only one run.
    pub band: Vec<(f64, f64, f64)>,
}

impl Curve {
    /// Of runs with seconds and score of every epoch. Each run is taken along straight lines
    /// between its epochs, and keeps its last score when it is over before others. Scores
    /// below `floor`, or that are no numbers, count as `floor`.
    pub fn of(runs: &[Vec<(f64, f64)>], floor: f64) -> Self {
        let runs: Vec<_> = runs.iter().filter(|run| !run.is_empty()).collect();
        if let [run] = runs[..] {
            let at_least = |&(seconds, score): &(f64, f64)| (seconds, score.max(floor));
            return Self {
                median: run.iter().map(at_least).collect(),
                band: Vec::new(),
            };
        }
        // where all runs have begun, until the last is over
        let first = runs.iter().map(|run| run[0].0).fold(0.0, f64::max);
        let last = runs.iter().map(|run| run[run.len() - 1].0);
        let last = last.fold(first, f64::max);
        let mut curve = Self::default();
        for step in 0..TIMES {
            // closer together where scores change fast
            let part = (step as f64 / (TIMES - 1) as f64).powi(2);
            let time = first + part * (last - first);
            let mut scores: Vec<f64> = runs.iter().map(|run| at(run, time, floor)).collect();
            if scores.is_empty() {
                break;
            }
            scores.sort_by(f64::total_cmp);
            curve.median.push((time, quantile(&scores, 0.5)));
            let (low, high) = (quantile(&scores, TAIL), quantile(&scores, 1.0 - TAIL));
            curve.band.push((time, low, high));
        }
        curve
    }
}

/// The score of a run at a time.
fn at(run: &[(f64, f64)], time: f64, floor: f64) -> f64 {
    let next = run.partition_point(|&(seconds, _)| seconds <= time);
    let score = |at: usize| run[at].1.max(floor);
    if next == 0 || next == run.len() {
        return score(next.saturating_sub(1));
    }
    let (before, after) = (run[next - 1].0, run[next].0);
    let part = (time - before) / (after - before);
    score(next - 1) + part * (score(next) - score(next - 1))
}

/// Of numbers in order, along straight lines between them.
fn quantile(sorted: &[f64], level: f64) -> f64 {
    let place = level * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::{Curve, quantile};

    /// Against numpy.quantile.
    #[test]
    fn quantiles() {
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
        for (level, expected) in [
            (0.0, 1.0),
            (0.05, 1.2),
            (0.5, 4.0),
            (0.95, 14.4),
            (1.0, 16.0),
        ] {
            assert!((quantile(&sorted, level) - expected).abs() < 1e-12);
        }
        assert_eq!(quantile(&[3.0], 0.95), 3.0);
    }

    #[test]
    fn runs_meet_at_the_same_times() {
        // the second takes twice as long for the same; the third fails
        let runs = [
            vec![(1.0, 0.0), (2.0, 0.8)],
            vec![(1.0, 0.0), (3.0, 0.8)],
            vec![(1.0, f64::NAN), (3.0, f64::NAN)],
        ];
        let curve = Curve::of(&runs, 0.0);
        for (&(time, median), &(same, low, high)) in curve.median.iter().zip(&curve.band) {
            assert_eq!(time, same);
            let slow: f64 = 0.4 * (time - 1.0);
            let fast = (0.8 * (time - 1.0)).min(0.8);
            assert!((median - slow).abs() < 1e-12, "{median} at {time}");
            assert!((low - 0.1 * slow).abs() < 1e-12, "{low} at {time}");
            assert!(
                (high - (0.1 * slow + 0.9 * fast)).abs() < 1e-12,
                "{high} at {time}"
            );
        }
        assert_eq!(curve.median[0].0, 1.0);
        assert_eq!(curve.median[curve.median.len() - 1].0, 3.0);
    }

    #[test]
    fn one_run_is_its_own_curve() {
        let run = vec![(0.1, 0.3), (0.2, 0.7)];
        let curve = Curve::of(std::slice::from_ref(&run), 0.5);
        assert_eq!(curve.median, [(0.1, 0.5), (0.2, 0.7)]);
        assert_eq!(curve.band, []);
        assert_eq!(Curve::of(&[], 0.0), Curve::default());
    }
}
