//! Recomputes every reported number from raw data with plain loops in `f64`.
//! Shares nothing with the solver.

#![allow(dead_code, clippy::needless_range_loop)]

use cronos::{Activation, Dual, Gates, Loss, Program, Solution};

/// The program as plain vectors.
pub struct Raw {
    pub x: Vec<Vec<f64>>,
    pub y: Vec<Vec<f64>>,
    pub gates: Vec<Vec<bool>>,
    pub beta: f64,
    pub relu: bool,
    pub loss: Loss,
    pub weights: Vec<f64>,
}

pub struct Worth {
    pub objective: f64,
    pub network_objective: f64,
    pub violation: f64,
    /// What a rounding of the predictions, by some units in the last place of what they are sums of,
    /// makes of the objective.
    pub rounding: f64,
}

impl Raw {
    /// Recomputes the gates from their directions.
    pub fn of(program: &Program<f64>) -> Self {
        let raw = Self::with_gates(program, &program.gates);
        for (g, gate) in raw.gates.iter().enumerate() {
            let direction = program.gates.direction(g);
            for (row, active) in raw.x.iter().zip(gate) {
                assert_eq!(product(row, direction) >= 0.0, *active, "gate {g}");
            }
        }
        raw
    }

    /// Takes the gates as given: rounding the features may have moved a tie.
    pub fn with_gates(program: &Program<f64>, gates: &Gates) -> Self {
        let (n, d) = (program.x.rows(), program.x.columns());
        let x: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..d).map(|j| program.x.at(i, j)).collect())
            .collect();
        let y = (0..n)
            .map(|i| {
                (0..program.y.columns())
                    .map(|c| program.y.at(i, c))
                    .collect()
            })
            .collect();
        let gates = (0..gates.len())
            .map(|g| (0..n).map(|row| gates.active(g, row)).collect())
            .collect();
        Self {
            x,
            y,
            gates,
            beta: program.beta,
            relu: program.activation == Activation::Relu,
            loss: program.loss,
            weights: program.weights.clone().unwrap_or(vec![1.0; n]),
        }
    }

    /// Groups of one output.
    pub fn groups(&self) -> usize {
        self.signs() * self.gates.len()
    }

    pub fn n(&self) -> usize {
        self.x.len()
    }

    pub fn d(&self) -> usize {
        self.x[0].len()
    }

    pub fn outputs(&self) -> usize {
        self.y[0].len()
    }

    fn signs(&self) -> usize {
        if self.relu { 2 } else { 1 }
    }

    /// Weights of one group.
    fn group<'w>(&self, weights: &'w [f64], c: usize, sign: usize, gate: usize) -> &'w [f64] {
        let column = (c * self.signs() + sign) * self.gates.len() + gate;
        &weights[column * self.d()..(column + 1) * self.d()]
    }

    pub fn worth(&self, weights: &[f64]) -> Worth {
        let mut worth = Worth {
            objective: 0.0,
            network_objective: 0.0,
            violation: 0.0,
            rounding: 0.0,
        };
        let mut largest_target: f64 = 0.0;
        for c in 0..self.outputs() {
            for sign in 0..self.signs() {
                for gate in 0..self.gates.len() {
                    let group = self.group(weights, c, sign, gate);
                    worth.objective += self.beta * product(group, group).sqrt();
                }
            }
        }
        worth.network_objective = worth.objective;
        for i in 0..self.n() {
            let mut convex = vec![0.0; self.outputs()];
            let mut network = vec![0.0; self.outputs()];
            let mut sizes = vec![0.0; self.outputs()];
            for c in 0..self.outputs() {
                largest_target = largest_target.max(self.y[i][c].abs());
                for sign in 0..self.signs() {
                    for gate in 0..self.gates.len() {
                        let group = self.group(weights, c, sign, gate);
                        let z = product(&self.x[i], group);
                        for j in 0..self.d() {
                            sizes[c] += (self.x[i][j] * group[j]).abs();
                        }
                        let side = if sign == 0 { 1.0 } else { -1.0 };
                        let active = self.gates[gate][i];
                        if active {
                            convex[c] += side * z;
                        }
                        if self.relu {
                            network[c] += side * z.max(0.0);
                            let slack = if active { z } else { -z };
                            worth.violation = worth.violation.max(-slack);
                        } else if active {
                            network[c] += side * z;
                        }
                    }
                }
            }
            worth.objective += self.weights[i] * self.row_loss(&convex, &self.y[i]);
            worth.network_objective += self.weights[i] * self.row_loss(&network, &self.y[i]);
            let as_it_is = self.row_loss(&convex, &self.y[i]);
            let mut change: f64 = 0.0;
            for units in [-4.0, 4.0] {
                let mut rounded = convex.clone();
                for c in 0..self.outputs() {
                    rounded[c] += units * f64::EPSILON * sizes[c];
                }
                change = change.max((self.row_loss(&rounded, &self.y[i]) - as_it_is).abs());
            }
            worth.rounding += self.weights[i] * change;
        }
        if largest_target > 0.0 {
            worth.violation /= largest_target;
        }
        worth
    }

    /// The textbook formula of the loss.
    fn row_loss(&self, f: &[f64], y: &[f64]) -> f64 {
        if self.loss == Loss::Softmax {
            let sum: f64 = f.iter().map(|f| f.exp()).sum();
            return sum.ln() - product(f, y);
        }
        let mut sum = 0.0;
        for c in 0..f.len() {
            let r = f[c] - y[c];
            sum += match self.loss {
                Loss::Squared => 0.5 * r * r,
                Loss::Logistic => (1.0 + (-y[c] * f[c]).exp()).ln(),
                Loss::Huber { delta } if r.abs() > delta => delta * r.abs() - 0.5 * delta * delta,
                Loss::Huber { .. } => 0.5 * r * r,
                Loss::SquaredHinge if y[c] * f[c] < 1.0 => 0.5 * (1.0 - y[c] * f[c]).powi(2),
                Loss::SquaredHinge => 0.0,
                Loss::Quantile { level } if r > 0.0 => (1.0 - level) * r,
                Loss::Quantile { level } => -level * r,
                other => panic!("{other:?}"),
            };
        }
        sum
    }

    /// The textbook conjugate; asserts that `z` lies in its domain.
    fn row_conjugate(&self, z: &[f64], y: &[f64]) -> f64 {
        let x_log_x = |x: f64| if x > 0.0 { x * x.ln() } else { 0.0 };
        let inside = |low: f64, x: f64, high: f64| {
            assert!(
                x >= low - 1e-9 && x <= high + 1e-9,
                "{x} outside {low}..{high}"
            );
        };
        if self.loss == Loss::Softmax {
            let total: f64 = z.iter().zip(y).map(|(z, y)| z + y).sum();
            inside(1.0, total, 1.0);
            return (0..z.len())
                .map(|c| {
                    inside(0.0, z[c] + y[c], 1.0);
                    x_log_x(z[c] + y[c])
                })
                .sum();
        }
        let mut sum = 0.0;
        for c in 0..z.len() {
            let parabola = 0.5 * z[c] * z[c] + z[c] * y[c];
            sum += match self.loss {
                Loss::Squared => parabola,
                Loss::Logistic => {
                    let s = -z[c] * y[c];
                    inside(0.0, s, 1.0);
                    x_log_x(s) + x_log_x(1.0 - s)
                }
                Loss::Huber { delta } => {
                    inside(-delta, z[c], delta);
                    parabola
                }
                Loss::SquaredHinge => {
                    inside(f64::NEG_INFINITY, z[c] * y[c], 0.0);
                    parabola
                }
                Loss::Quantile { level } => {
                    inside(-level, z[c], 1.0 - level);
                    z[c] * y[c]
                }
                other => panic!("{other:?}"),
            };
        }
        sum
    }

    /// The bound a dual point proves; checks that the point is feasible.
    pub fn bound(&self, dual: &Dual) -> f64 {
        let (n, d) = (self.n(), self.d());
        let mut bound = 0.0;
        for i in 0..n {
            let w = self.weights[i];
            let z: Vec<f64> = (0..self.outputs())
                .map(|c| dual.loss[c * n + i] / w)
                .collect();
            bound -= w * self.row_conjugate(&z, &self.y[i]);
        }
        for c in 0..self.outputs() {
            let z = &dual.loss[c * n..(c + 1) * n];
            for sign in 0..self.signs() {
                for gate in 0..self.gates.len() {
                    let mut sum = vec![0.0; d];
                    for i in 0..n {
                        let side = if sign == 0 { 1.0 } else { -1.0 };
                        let active = self.gates[gate][i];
                        let mut factor = if active { side * z[i] } else { 0.0 };
                        if self.relu {
                            let column = (c * 2 + sign) * self.gates.len() + gate;
                            let alpha = dual.cone[column * n + i];
                            assert!(alpha >= 0.0, "a cone multiplier is negative: {alpha}");
                            factor -= if active { alpha } else { -alpha };
                        }
                        for j in 0..d {
                            sum[j] += factor * self.x[i][j];
                        }
                    }
                    let length = product(&sum, &sum).sqrt();
                    assert!(
                        length <= self.beta * (1.0 + 1e-9),
                        "dual point infeasible: {length} > {}",
                        self.beta
                    );
                }
            }
        }
        bound
    }

    /// Checks every number a solution reports, to 1e-9 relative and what rounding may do to predictions
    /// (which matters only where weights differ by many powers of ten).
    pub fn verify(&self, solution: &Solution) {
        let certificate = &solution.certificate;
        let worth = self.worth(&solution.weights);
        let scale = worth.objective + 1e9 * worth.rounding;
        same("objective", certificate.objective, worth.objective, scale);
        same(
            "network objective",
            certificate.network_objective,
            worth.network_objective,
            scale,
        );
        same("violation", certificate.violation, worth.violation, 1.0);
        let dual = solution.dual.as_ref().expect("the dual point was kept");
        let bound = self.bound(dual);
        same(
            "lower bound",
            certificate.lower_bound,
            bound,
            worth.objective,
        );
        let gap = (worth.objective - bound).abs() / worth.objective;
        same("gap", certificate.gap, gap, scale / worth.objective);
    }
}

/// `reported` equals `recomputed` to 1e-9 of `scale`.
pub fn same(what: &str, reported: f64, recomputed: f64, scale: f64) {
    assert!(
        (reported - recomputed).abs() <= 1e-9 * scale.abs().max(1e-12),
        "{what}: reported {reported}, recomputed {recomputed}"
    );
}

pub fn product(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for j in 0..a.len() {
        sum += a[j] * b[j];
    }
    sum
}
