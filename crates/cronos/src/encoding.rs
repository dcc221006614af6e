//! Columns made from columns: ramps between knots.
//!
//! A network that is linear in `x` near each neuron learns steps and categories
//! slowly. A column with knots `k_0 < k_1 < … < k_T` gets a ramp for each pair of
//! neighbours, `clip((x − k_{t−1}) / (k_t − k_{t−1}), 0, 1)`. On integer codes with
//! a knot at each that is the code in unary; on measured numbers with knots at
//! quantiles it is a piecewise linear function waiting for its slopes. Where columns are
//! many, the sum of its ramps takes the place of a column: its rank among the knots.

use crate::Error;
use crate::matrix::Matrix;
use rayon::prelude::*;

/// `clip((x[column] − low) / (high − low), 0, 1)`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// The raw feature it is made from.
    pub column: usize,
    /// 0 up to here.
    pub low: f64,
    /// 1 from here on.
    pub high: f64,
}

impl Ramp {
    /// Its value where the feature is `x`.
    pub fn at(&self, x: f64) -> f64 {
        ((x - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// The raw features with ramps behind them, or with their sums in place of the features.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Encoding {
    /// Ordered by column, then from low to high.
    pub ramps: Vec<Ramp>,
    /// Whether the ramps of a column are summed and take its place.
    pub summed: bool,
}

/// How knots are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knots {
    /// A column with at most this many distinct values has a knot at each.
    pub categories: usize,
    /// Any other column has this many pieces, between quantiles; 0 leaves it alone.
    pub pieces: usize,
}

impl Encoding {
    /// Knots from the training rows. Columns of one or two values need none.
    pub fn new(x: &Matrix<f64>, knots: Knots) -> Self {
        let [encoding] = Self::several(x, [knots]);
        encoding
    }

    /// Knots of several kinds; each column is sorted once.
    pub(crate) fn several<const N: usize>(x: &Matrix<f64>, kinds: [Knots; N]) -> [Self; N] {
        let of_column = |column: usize| -> [Vec<Ramp>; N] {
            let mut values = x.column(column);
            values.sort_by(f64::total_cmp);
            let mut distinct = values.clone();
            distinct.dedup();
            kinds.map(|kind| {
                let at = knots(&values, &distinct, kind);
                let ramp = |pair: &[f64]| Ramp {
                    column,
                    low: pair[0],
                    high: pair[1],
                };
                at.windows(2).map(ramp).collect()
            })
        };
        let columns: Vec<[Vec<Ramp>; N]> =
            (0..x.columns()).into_par_iter().map(of_column).collect();
        std::array::from_fn(|kind| Self {
            ramps: columns
                .iter()
                .flat_map(|ramps| &ramps[kind])
                .copied()
                .collect(),
            summed: false,
        })
    }

    /// Columns behind the raw ones.
    pub fn added(&self) -> usize {
        if self.summed { 0 } else { self.ramps.len() }
    }

    /// Whether the ramps of a feature stand in its place.
    pub(crate) fn replaces(&self, feature: usize) -> bool {
        self.summed && self.ramps.iter().any(|ramp| ramp.column == feature)
    }

    /// The ramps made from one of `features` features, and the columns they are part of.
    pub(crate) fn ramps_of(
        &self,
        feature: usize,
        features: usize,
    ) -> impl Iterator<Item = (usize, Ramp)> {
        let own = self.ramps.iter().enumerate();
        own.filter(move |(_, ramp)| ramp.column == feature)
            .map(move |(at, ramp)| (if self.summed { feature } else { features + at }, *ramp))
    }

    /// Makes a row of raw features, with room for those added, what the network sees.
    pub(crate) fn encode(&self, row: &mut [f64]) {
        if self.summed {
            for ramps in self.ramps.chunk_by(|a, b| a.column == b.column) {
                let x = row[ramps[0].column];
                row[ramps[0].column] = ramps.iter().map(|ramp| ramp.at(x)).sum();
            }
            return;
        }
        let (raw, ramps) = row.split_at_mut(row.len() - self.ramps.len());
        for (value, ramp) in ramps.iter_mut().zip(&self.ramps) {
            *value = ramp.at(raw[ramp.column]);
        }
    }

    /// What the network sees of these rows.
    pub fn apply(&self, x: &Matrix<f64>) -> Matrix<f64> {
        let raw = x.columns();
        Matrix::from_each_row(x.rows(), raw + self.added(), |i, row| {
            row[..raw].copy_from_slice(x.row(i));
            self.encode(row);
        })
    }

    /// Refuses ramps that name no column or do not rise, and sums that are torn apart.
    pub fn check(&self, features: usize) -> Result<(), Error> {
        let sound = |ramp: &Ramp| {
            ramp.column < features && ramp.low < ramp.high && (ramp.high - ramp.low).is_finite()
        };
        if self.summed && !self.ramps.is_sorted_by_key(|ramp| ramp.column) {
            return Err(Error::Format("its ramps are not in order".into()));
        }
        match self.ramps.iter().position(|ramp| !sound(ramp)) {
            None => Ok(()),
            Some(at) => Err(Error::Format(format!(
                "ramp {at} (counting from 0) is damaged: {:?}",
                self.ramps[at]
            ))),
        }
    }
}

/// The knots of a column: values sorted, all and distinct.
fn knots(values: &[f64], distinct: &[f64], kind: Knots) -> Vec<f64> {
    if distinct.len() <= 2 {
        return Vec::new();
    }
    if distinct.len() <= kind.categories {
        return distinct.to_vec();
    }
    let last = values.len() - 1;
    let mut at: Vec<f64> = match kind.pieces {
        0 => Vec::new(),
        pieces => (0..=pieces).map(|t| values[t * last / pieces]).collect(),
    };
    at.dedup();
    // a distance that is not a number would make a ramp of nothing
    if at.len() < 2 || at.windows(2).any(|pair| !(pair[1] - pair[0]).is_finite()) {
        return Vec::new();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_unary_and_numbers_piecewise_linear() {
        let x = Matrix::from_fn(8, 3, |i, j| match j {
            0 => (i % 3) as f64,
            1 => (i % 2) as f64,
            _ => (i * i) as f64,
        });
        let knots = Knots {
            categories: 4,
            pieces: 2,
        };
        let encoding = Encoding::new(&x, knots);
        // 0, 1, 2: two ramps; two values: none; eight values: two pieces
        assert_eq!(encoding.ramps.len(), 4);
        assert_eq!(encoding.ramps[3].column, 2);
        assert_eq!((encoding.ramps[3].low, encoding.ramps[3].high), (9.0, 49.0));
        let encoded = encoding.apply(&x);
        assert_eq!(encoded.row(2)[3..5], [1.0, 1.0]);
        assert_eq!(encoded.row(1)[3..5], [1.0, 0.0]);
        assert_eq!(encoded.row(4)[5..], [1.0, 7.0 / 40.0]);
        encoding.check(3).expect("sound");
        assert!(encoding.check(2).is_err());
        // summed, codes are themselves and numbers are ranks
        let mut summed = Encoding {
            summed: true,
            ..encoding
        };
        let ranks = summed.apply(&x);
        assert_eq!(ranks.row(2), [2.0, 0.0, 4.0 / 9.0]);
        assert_eq!(ranks.row(4), [1.0, 0.0, 1.0 + 7.0 / 40.0]);
        summed.check(3).expect("sound");
        summed.ramps.swap(0, 3);
        assert!(summed.check(3).is_err());
    }
}
