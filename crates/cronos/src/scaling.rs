//! Standardisation by training statistics.

use crate::Error;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::team::Team;
use std::ops::Range;

/// `(x − mean) / scale`, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// Subtracted from each column.
    pub mean: Vec<f64>,
    /// Divides each column; 1 for a column that is constant.
    pub scale: Vec<f64>,
}

impl Scaling {
    /// Mean and standard deviation (divided by `n`) of each column; a row of
    /// weight `w` counts as `w` rows.
    pub fn standard(x: &Matrix<f64>, weights: Option<&[f64]>) -> Self {
        let alone = &Team::default();
        let parts = std::iter::once(0..x.rows()).collect();
        Parts { parts, team: alone }.scaling(x, weights)
    }

    /// The same over the rows of all ranks of a team, as it shares those of a program with so many
    /// features.
    pub(crate) fn shared(
        x: &Matrix<f64>,
        weights: Option<&[f64]>,
        features: usize,
        team: &Team,
    ) -> Result<Self, Error> {
        let parts = team.parts(x.rows(), features)?;
        Ok(Parts { parts, team }.scaling(x, weights))
    }

    /// Leaves every column as it is.
    pub fn identity(columns: usize) -> Self {
        Self {
            mean: vec![0.0; columns],
            scale: vec![1.0; columns],
        }
    }

    /// The scaled columns, with a column of ones behind them if there is a bias.
    pub fn apply<T: Real>(&self, x: &Matrix<f64>, bias: bool) -> Matrix<T> {
        let d = self.mean.len();
        Matrix::from_each_row(x.rows(), d + usize::from(bias), |i, row| {
            for (j, (scaled, value)) in row.iter_mut().zip(x.row(i)).enumerate() {
                *scaled = T::of((value - self.mean[j]) / self.scale[j]);
            }
            if bias {
                row[d] = T::ONE;
            }
        })
    }

    /// Weights on scaled columns (and the bias, if it is there) as weights on
    /// raw columns and a constant: `w·(x − m)/s + b = (w/s)·x + (b − Σ m w/s)`.
    pub fn undo(&self, weights: &[f64]) -> (Vec<f64>, f64) {
        let d = self.mean.len();
        let mut constant = weights.get(d).copied().unwrap_or(0.0);
        let raw = (0..d)
            .map(|j| {
                let weight = weights[j] / self.scale[j];
                constant -= weight * self.mean[j];
                weight
            })
            .collect();
        (raw, constant)
    }
}

/// Rows that are summed part by part.
struct Parts<'t> {
    parts: Vec<Range<usize>>,
    team: &'t Team,
}

impl Parts<'_> {
    fn scaling(&self, x: &Matrix<f64>, weights: Option<&[f64]>) -> Scaling {
        let d = x.columns();
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let [total] = self.total(weight);
        let share = |row: usize| weight(row) / total;
        let mut mean = self.sums(d, |row, sums| {
            for (mean, value) in sums.iter_mut().zip(x.row(row)) {
                *mean += value * share(row);
            }
        });
        // squares are taken relative to the largest deviation, so none overflows
        let mut largest = vec![0.0f64; d];
        for i in 0..x.rows() {
            for ((largest, mean), value) in largest.iter_mut().zip(&mean).zip(x.row(i)) {
                *largest = largest.max((value - mean).abs());
            }
        }
        for of_rank in self.team.gather(&largest.clone()).chunks(d.max(1)) {
            for (largest, other) in largest.iter_mut().zip(of_rank) {
                *largest = largest.max(*other);
            }
        }
        let variance = self.sums(d, |row, sums| {
            for (j, value) in x.row(row).iter().enumerate() {
                if largest[j] > 0.0 {
                    sums[j] += ((value - mean[j]) / largest[j]).powi(2) * share(row);
                }
            }
        });
        let first = match x.rows() {
            0 => mean.clone(),
            _ => self.team.gather(x.row(0)),
        };
        let mut scale = vec![1.0; d];
        for j in 0..d {
            let deviation = largest[j] * variance[j].sqrt();
            if deviation > 1e-12 * mean[j].abs() && deviation > 0.0 {
                scale[j] = deviation;
            } else {
                // a constant column differs from its mean by rounding only
                mean[j] = first[j];
            }
        }
        Scaling { mean, scale }
    }

    fn total(&self, weight: impl Fn(usize) -> f64) -> [f64; 1] {
        let of_part = |rows: &Range<usize>| [rows.clone().map(&weight).sum()];
        let parts: Vec<[f64; 1]> = self.parts.iter().map(of_part).collect();
        self.team.sums(&parts)
    }

    /// `Σ` over the rows, column by column.
    fn sums(&self, columns: usize, add: impl Fn(usize, &mut [f64])) -> Vec<f64> {
        let of_part = |rows: &Range<usize>| {
            let mut sums = vec![0.0; columns];
            rows.clone().for_each(|row| add(row, &mut sums));
            sums
        };
        let parts: Vec<Vec<f64>> = self.parts.iter().map(of_part).collect();
        let parts: Vec<&[f64]> = parts.iter().map(Vec::as_slice).collect();
        let mut sums = vec![0.0; columns];
        self.team.add_up(&parts, &mut sums);
        sums
    }
}
