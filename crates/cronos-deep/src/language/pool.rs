//! From a row for each token to a row for each text.

use super::transformer::Batch;
use std::fmt;
use std::str::FromStr;

/// What stands for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// The state of its first token.
    First,
    /// The state of its last token.
    Last,
    /// The mean of the states of its tokens.
    Mean,
    /// A mean in which states that are like the mean weigh more: weights are the softmax of
    /// `⟨state, mean⟩ / √width`, both brought to length `√width`.
    Attention,
    /// The states of all tokens, one behind the other; short texts are filled up.
    Flat,
}

const ALL: [Pool; 5] = [
    Pool::First,
    Pool::Last,
    Pool::Mean,
    Pool::Attention,
    Pool::Flat,
];

impl Pool {
    /// The name a user types.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Last => "last",
            Self::Mean => "mean",
            Self::Attention => "attention",
            Self::Flat => "flat",
        }
    }

    /// Numbers that stand for a text.
    pub fn features(self, width: usize, length: usize) -> usize {
        match self {
            Self::Flat => width.saturating_mul(length),
            _ => width,
        }
    }

    /// Appends a row for each text of a batch.
    pub fn apply(self, batch: &Batch, states: &[f32], width: usize, out: &mut Vec<f32>) {
        for (range, real) in batch.texts() {
            let states = &states[range.start * width..range.end * width];
            let own = &states[..real * width];
            match self {
                Self::First => out.extend_from_slice(&own[..width]),
                Self::Last => out.extend_from_slice(&own[(real - 1) * width..]),
                Self::Mean => out.extend(weighted(own, width, &vec![1.0; real])),
                Self::Attention => out.extend(weighted(own, width, &likeness(own, width))),
                Self::Flat => out.extend_from_slice(states),
            }
        }
    }

    /// The gradient in the states, from that in the rows of texts; not for `Attention`, which
    /// is not trained through.
    pub(crate) fn back(self, batch: &Batch, pull: &[f32], width: usize) -> Vec<f32> {
        let mut back = vec![0.0; batch.tokens() * width];
        for ((range, real), pull) in batch.texts().zip(pull.chunks(pull.len() / batch.len())) {
            let back = &mut back[range.start * width..range.end * width];
            let own = &mut back[..real * width];
            match self {
                Self::First => own[..width].copy_from_slice(pull),
                Self::Last => own[(real - 1) * width..].copy_from_slice(pull),
                Self::Mean | Self::Attention => {
                    let share = 1.0 / real as f32;
                    for row in own.chunks_mut(width) {
                        row.iter_mut()
                            .zip(pull)
                            .for_each(|(row, pull)| *row = share * pull);
                    }
                }
                Self::Flat => back.copy_from_slice(pull),
            }
        }
        back
    }
}

/// The mean of rows with weights, summed in double precision.
fn weighted(rows: &[f32], width: usize, weights: &[f64]) -> impl Iterator<Item = f32> {
    let mut sums = vec![0.0f64; width];
    for (row, weight) in rows.chunks(width).zip(weights) {
        let terms = sums.iter_mut().zip(row);
        terms.for_each(|(sum, &x)| *sum += weight * f64::from(x));
    }
    let total: f64 = weights.iter().sum();
    sums.into_iter().map(move |sum| (sum / total) as f32)
}

/// The softmax of the cosines with the mean, times `√width`.
fn likeness(rows: &[f32], width: usize) -> Vec<f64> {
    let mean: Vec<f32> = weighted(rows, width, &vec![1.0; rows.len() / width]).collect();
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(&a, &b)| f64::from(a) * f64::from(b))
            .sum()
    };
    let long = dot(&mean, &mean).sqrt();
    let cosine = |row: &[f32]| match long * dot(row, row).sqrt() {
        0.0 => 0.0,
        lengths => dot(row, &mean) / lengths,
    };
    let scale = (width as f64).sqrt();
    // cosines are at most 1
    let weight = |row: &[f32]| (scale * (cosine(row) - 1.0)).exp();
    rows.chunks(width).map(weight).collect()
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Pool {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = ALL.into_iter().find(|pool| pool.name() == text);
        found.ok_or_else(|| {
            let names: Vec<&str> = ALL.iter().map(|pool| pool.name()).collect();
            format!("{text:?} is no pooling; there are {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two texts of two and one tokens, filled up to three, with states of two numbers.
    fn example() -> (Batch, Vec<f32>) {
        let batch = Batch::filled([&[1, 2][..], &[3]], 3, 0).unwrap();
        let states = vec![1.0, 0.0, 3.0, 4.0, 9.0, 9.0, 5.0, 6.0, 8.0, 8.0, 7.0, 7.0];
        (batch, states)
    }

    fn pooled(pool: Pool) -> Vec<f32> {
        let (batch, states) = example();
        let mut out = Vec::new();
        pool.apply(&batch, &states, 2, &mut out);
        out
    }

    #[test]
    fn only_real_tokens_count() {
        assert_eq!(pooled(Pool::First), [1.0, 0.0, 5.0, 6.0]);
        assert_eq!(pooled(Pool::Last), [3.0, 4.0, 5.0, 6.0]);
        assert_eq!(pooled(Pool::Mean), [2.0, 2.0, 5.0, 6.0]);
        assert_eq!(pooled(Pool::Flat), example().1);
    }

    #[test]
    fn what_is_like_the_mean_weighs_more() {
        let rows = pooled(Pool::Attention);
        // mean (2, 2); cosines 1/√2 and 7/(5√2)
        let (a, b) = (0.5f64.sqrt(), 1.4 * 0.5f64.sqrt());
        let [a, b] = [a, b].map(|cosine| (2f64.sqrt() * cosine).exp());
        let expected = [(a + 3.0 * b) / (a + b), 4.0 * b / (a + b)];
        for (row, expected) in rows.iter().zip(expected) {
            assert!((f64::from(*row) - expected).abs() < 1e-6);
        }
        assert_eq!(rows[2..], [5.0, 6.0]);
    }

    #[test]
    fn gradients_go_where_the_states_came_from() {
        let (batch, states) = example();
        for pool in [Pool::First, Pool::Last, Pool::Mean, Pool::Flat] {
            let features = pool.features(2, 3);
            let pull: Vec<f32> = (0..2 * features).map(|at| 1.0 + at as f32).collect();
            let back = pool.back(&batch, &pull, 2);
            // linear: ⟨pull, pool(states)⟩ = ⟨back, states⟩
            let mut out = Vec::new();
            pool.apply(&batch, &states, 2, &mut out);
            let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            assert_eq!(dot(&pull, &out), dot(&back, &states), "{pool}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for pool in ALL {
            assert_eq!(pool.name().parse(), Ok(pool));
        }
        assert!(
            "max"
                .parse::<Pool>()
                .unwrap_err()
                .contains("first, last, mean")
        );
    }
}
