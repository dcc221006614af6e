//! Standardisation by training statistics.

use crate::matrix::Matrix;
use crate::real::Real;

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
        let d = x.columns();
        let total = weights.map_or(x.rows() as f64, |weights| weights.iter().sum());
        let share = |row: usize| weights.map_or(1.0, |weights| weights[row]) / total;
        let mut mean = vec![0.0; d];
        for i in 0..x.rows() {
            for (mean, value) in mean.iter_mut().zip(x.row(i)) {
                *mean += value * share(i);
            }
        }
        // squares are taken relative to the largest deviation, so none overflows
        let mut largest = vec![0.0f64; d];
        for i in 0..x.rows() {
            for ((largest, mean), value) in largest.iter_mut().zip(&mean).zip(x.row(i)) {
                *largest = largest.max((value - mean).abs());
            }
        }
        let mut variance = vec![0.0; d];
        for i in 0..x.rows() {
            for (j, value) in x.row(i).iter().enumerate() {
                if largest[j] > 0.0 {
                    variance[j] += ((value - mean[j]) / largest[j]).powi(2) * share(i);
                }
            }
        }
        let mut scale = vec![1.0; d];
        for j in 0..d {
            let deviation = largest[j] * variance[j].sqrt();
            if deviation > 1e-12 * mean[j].abs() && deviation > 0.0 {
                scale[j] = deviation;
            } else if x.rows() > 0 {
                // a constant column differs from its mean by rounding only
                mean[j] = x.at(0, j);
            }
        }
        Self { mean, scale }
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
