//! How well predictions meet the truth.

use cronos::Matrix;
use serde_json::{Value, json};

/// Accuracy for classes, R² and root mean squared error for numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Score {
    Classes { accuracy: f64, rows: usize },
    Numbers { r2: f64, rmse: f64, rows: usize },
}

impl Score {
    pub fn of_classes(predicted: &[usize], truth: &[usize]) -> Self {
        let right = predicted.iter().zip(truth).filter(|(a, b)| a == b).count();
        Self::Classes {
            accuracy: right as f64 / truth.len() as f64,
            rows: truth.len(),
        }
    }

    /// R² is the mean over the outputs; an output that never changes counts 1
    /// if it is met exactly and 0 otherwise.
    pub fn of_numbers(predicted: &Matrix<f64>, truth: &Matrix<f64>) -> Self {
        let (n, outputs) = (truth.rows() as f64, truth.columns());
        let (mut r2, mut squared) = (0.0, 0.0);
        for c in 0..outputs {
            let target = truth.column(c);
            let mean = target.iter().sum::<f64>() / n;
            let total: f64 = target.iter().map(|t| (t - mean).powi(2)).sum();
            let left: f64 = target
                .iter()
                .zip(predicted.column(c))
                .map(|(t, p)| (t - p).powi(2))
                .sum();
            squared += left;
            r2 += match (total > 0.0, left > 0.0) {
                (true, _) => 1.0 - left / total,
                (false, false) => 1.0,
                (false, true) => 0.0,
            };
        }
        Self::Numbers {
            r2: r2 / outputs as f64,
            rmse: (squared / (n * outputs as f64)).sqrt(),
            rows: truth.rows(),
        }
    }

    /// Accuracy or R².
    pub fn value(&self) -> f64 {
        match self {
            Self::Classes { accuracy, .. } => *accuracy,
            Self::Numbers { r2, .. } => *r2,
        }
    }

    pub fn json(&self) -> Value {
        match self {
            Self::Classes { accuracy, rows } => json!({ "accuracy": accuracy, "rows": rows }),
            Self::Numbers { r2, rmse, rows } => json!({ "r2": r2, "rmse": rmse, "rows": rows }),
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::Classes { accuracy, rows } => {
                format!("accuracy {:.2} % of {rows} rows", 100.0 * accuracy)
            }
            Self::Numbers { r2, rmse, rows } => {
                format!("R² {r2:.4}, root mean squared error {rmse:.4} on {rows} rows")
            }
        }
    }
}
