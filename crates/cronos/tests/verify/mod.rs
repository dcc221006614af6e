//! Recomputes every reported number from raw data with plain loops in `f64`.
//! Shares nothing with the solver.

#![allow(dead_code, clippy::needless_range_loop)]

use cronos::{Activation, Dual, Gates, Program, Solution};

/// The program as plain vectors.
pub struct Raw {
    pub x: Vec<Vec<f64>>,
    pub y: Vec<Vec<f64>>,
    pub gates: Vec<Vec<bool>>,
    pub beta: f64,
    pub relu: bool,
}

pub struct Worth {
    pub objective: f64,
    pub network_objective: f64,
    pub violation: f64,
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
        }
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
        };
        let mut largest_target: f64 = 0.0;
        for c in 0..self.outputs() {
            let mut penalty = 0.0;
            for sign in 0..self.signs() {
                for gate in 0..self.gates.len() {
                    let group = self.group(weights, c, sign, gate);
                    penalty += product(group, group).sqrt();
                }
            }
            worth.objective += self.beta * penalty;
            worth.network_objective += self.beta * penalty;
            for i in 0..self.n() {
                let (mut convex, mut network) = (0.0, 0.0);
                for sign in 0..self.signs() {
                    for gate in 0..self.gates.len() {
                        let z = product(&self.x[i], self.group(weights, c, sign, gate));
                        let side = if sign == 0 { 1.0 } else { -1.0 };
                        let active = self.gates[gate][i];
                        if active {
                            convex += side * z;
                        }
                        if self.relu {
                            network += side * z.max(0.0);
                            let slack = if active { z } else { -z };
                            worth.violation = worth.violation.max(-slack);
                        } else if active {
                            network += side * z;
                        }
                    }
                }
                let target = self.y[i][c];
                largest_target = largest_target.max(target.abs());
                worth.objective += 0.5 * (convex - target) * (convex - target);
                worth.network_objective += 0.5 * (network - target) * (network - target);
            }
        }
        if largest_target > 0.0 {
            worth.violation /= largest_target;
        }
        worth
    }

    /// The bound a dual point proves; checks that the point is feasible.
    pub fn bound(&self, dual: &Dual) -> f64 {
        let (n, d) = (self.n(), self.d());
        let mut bound = 0.0;
        for c in 0..self.outputs() {
            let z = &dual.loss[c * n..(c + 1) * n];
            for i in 0..n {
                bound -= 0.5 * z[i] * z[i] + z[i] * self.y[i][c];
            }
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

    /// Checks every number a solution reports, to 1e-9 relative.
    pub fn verify(&self, solution: &Solution) {
        let certificate = &solution.certificate;
        let worth = self.worth(&solution.weights);
        same(
            "objective",
            certificate.objective,
            worth.objective,
            worth.objective,
        );
        same(
            "network objective",
            certificate.network_objective,
            worth.network_objective,
            worth.objective,
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
        same("gap", certificate.gap, gap, 1.0);
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
