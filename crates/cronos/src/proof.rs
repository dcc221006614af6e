//! What a point of the program is worth and what no point can beat, for points from anywhere.

use crate::Error;
use crate::certificate::{Certificate, relative_gap};
use crate::engine::Engine;
use crate::inner::dot;
use crate::loss::{DualRows, Row};
use crate::matrix::Matrix;
use crate::program::{Activation, Program};
use crate::real::Real;
use rayon::prelude::*;
use std::ops::Range;

impl<T: Real> Program<T> {
    /// The certificate of some weights, `d x (signs P C)`, column by column, ordered output, sign, gate.
    ///
    /// The bound is the best that the gradient `z` of the loss at `F u` gives: `−Σ loss*(t z)` with
    /// `t max_g ‖projection of ∓F_gᵀz onto the cone of g‖ ≤ β`. It needs no multipliers, but a
    /// projection for every group.
    pub fn certify(&self, weights: &[f64]) -> Result<Certificate, Error> {
        self.check()?;
        let (d, groups) = (self.x.columns(), self.groups());
        if weights.len() != d * groups {
            return Err(Error::Shape {
                what: "weights",
                expected: format!("{groups} groups of {d} numbers"),
                found: format!("{} numbers", weights.len()),
            });
        }
        if let Some(at) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(Error::NotFinite {
                what: "weights",
                row: at / d,
                column: at % d,
                value: weights[at],
            });
        }
        let (x, roots) = (self.weighted_features(), self.roots());
        let engine = Engine::new(&*x, &self.gates, self.activation).weighted(roots.as_deref());
        let worth = engine.evaluate(weights, &self.y, self.loss, self.beta, None);
        let gradient = self.gradient_at(&self.predictions(weights));
        let outputs = self.y.columns();
        let coupled = if self.loss.couples_outputs() {
            outputs
        } else {
            1
        };
        let lower_bound = (0..outputs)
            .step_by(coupled)
            .map(|c| self.bound(&gradient, c..c + coupled))
            .sum();
        let largest = (self.y.values().iter()).fold(0.0, |most: f64, y| most.max(y.wide().abs()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        Ok(Certificate {
            objective: worth.objective,
            lower_bound,
            gap: relative_gap(worth.objective, lower_bound),
            violation: worth.violation / scale,
            network_objective: worth.network_objective,
        })
    }

    /// `F u`: n x C
    fn predictions(&self, weights: &[f64]) -> Matrix<f64> {
        let (n, d, gates) = (self.x.rows(), self.x.columns(), self.gates.len());
        let (signs, outputs) = (self.activation.signs(), self.y.columns());
        let of_row = |row: usize| {
            let mut sums = vec![0.0; outputs];
            for (group, u) in weights.chunks(d).enumerate() {
                if self.gates.active(group % gates, row) && u.iter().any(|&u| u != 0.0) {
                    let sign = if group / gates % signs == 0 {
                        1.0
                    } else {
                        -1.0
                    };
                    sums[group / (signs * gates)] += sign * dot(self.x.row(row), u);
                }
            }
            sums
        };
        let rows: Vec<Vec<f64>> = (0..n).into_par_iter().map(of_row).collect();
        Matrix::from_fn(n, outputs, |i, c| rows[i][c])
    }

    /// `∇loss(f)`: n x C
    fn gradient_at(&self, f: &Matrix<f64>) -> Matrix<f64> {
        let (n, outputs) = (f.rows(), f.columns());
        let of_row = |row: usize| {
            let mut gradient = vec![0.0; outputs];
            self.loss
                .gradient(f.row(row), &self.target(row), &mut gradient);
            gradient
        };
        let rows: Vec<Vec<f64>> = (0..n).map(of_row).collect();
        Matrix::from_fn(n, outputs, |i, c| rows[i][c])
    }

    /// The bound that `z` gives on outputs that share one `t`.
    fn bound(&self, z: &Matrix<f64>, outputs: Range<usize>) -> f64 {
        let weight = |row: usize| self.weights.as_ref().map_or(1.0, |weights| weights[row]);
        let rooted: Vec<Vec<f64>> = (outputs.clone())
            .map(|c| {
                (0..z.rows())
                    .map(|i| weight(i).sqrt() * z.at(i, c))
                    .collect()
            })
            .collect();
        let largest = match self.activation {
            Activation::Relu => self.largest_slope(&rooted),
            Activation::Gated => self.largest_group(&rooted),
        };
        let limit = match largest {
            _ if self.beta == 0.0 || !largest.is_finite() => 0.0,
            0.0 => f64::INFINITY,
            _ => self.beta / largest,
        };
        let targets: Vec<Vec<f64>> = (0..z.rows()).map(|i| self.target(i)).collect();
        let rows = DualRows::here(z.rows(), |i| Row {
            weight: weight(i),
            z: &z.row(i)[outputs.clone()],
            y: &targets[i][outputs.clone()],
        });
        let (_, bound) = rows.bound(self.loss, limit);
        if bound.is_finite() { bound } else { 0.0 }
    }

    fn target(&self, row: usize) -> Vec<f64> {
        self.y.row(row).iter().map(|y| y.wide()).collect()
    }
}
