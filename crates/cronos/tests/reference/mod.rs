//! The optimum of the convex program by an interior-point method.

#![allow(dead_code, clippy::needless_range_loop)]

use crate::verify::Raw;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SupportedConeT};
use cronos::Loss;

/// The optimal objective.
///
/// Rounding may stop the interior-point method short of its tolerances, so its
/// answer is judged by what it is worth: its weights, recomputed from raw data,
/// must meet its dual value.
pub fn optimum(raw: &Raw) -> f64 {
    let (weights, dual) = Cones::of(raw).solve();
    let worth = raw.worth(&weights);
    let spread = (worth.objective - dual).abs() / worth.objective;
    assert!(
        spread <= 1e-7 && worth.violation <= 1e-7,
        "interior point: spread {spread:e}, violation {:e}",
        worth.violation
    );
    worth.objective
}

/// The optimal weights.
pub fn weights(raw: &Raw) -> Vec<f64> {
    Cones::of(raw).solve().0
}

/// `min ½ xᵀPx + q·x` with `b − A x` in a product of cones. The variables are the
/// weights, a bound on the norm of each group, the predictions, and what the
/// loss needs.
struct Cones<'r> {
    raw: &'r Raw,
    quadratic: Vec<(usize, f64)>,
    linear: Vec<f64>,
    constant: f64,
    entries: Vec<(usize, usize, f64)>,
    right: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl<'r> Cones<'r> {
    fn of(raw: &'r Raw) -> Self {
        let groups = raw.groups() * raw.outputs();
        let mut cones = Self {
            raw,
            quadratic: Vec::new(),
            linear: vec![0.0; groups * raw.d()],
            constant: 0.0,
            entries: Vec::new(),
            right: Vec::new(),
            cones: Vec::new(),
        };
        for group in 0..groups {
            cones.group(group);
        }
        for i in 0..raw.n() {
            let predictions: Vec<usize> =
                (0..raw.outputs()).map(|c| cones.prediction(i, c)).collect();
            if raw.loss == Loss::Softmax {
                cones.softmax(i, &predictions);
            } else {
                for (c, &f) in predictions.iter().enumerate() {
                    cones.loss(f, raw.y[i][c], raw.weights[i]);
                }
            }
        }
        cones
    }

    fn variable(&mut self, cost: f64) -> usize {
        self.linear.push(cost);
        self.linear.len() - 1
    }

    /// One row of `b − A x`: `constant + Σ factor · x`.
    fn row(&mut self, constant: f64, terms: &[(usize, f64)]) {
        let row = self.right.len();
        for &(column, factor) in terms {
            self.entries.push((row, column, -factor));
        }
        self.right.push(constant);
    }

    fn not_negative(&mut self, constant: f64, terms: &[(usize, f64)]) {
        self.row(constant, terms);
        self.cones.push(SupportedConeT::NonnegativeConeT(1));
    }

    /// `exp(exponent) ≤ z`
    fn exponential(&mut self, exponent: &[(usize, f64)], z: usize) {
        self.row(0.0, exponent);
        self.row(1.0, &[]);
        self.row(0.0, &[(z, 1.0)]);
        self.cones.push(SupportedConeT::ExponentialConeT());
    }

    /// `‖u_g‖ ≤ t_g` at the price β, and `(2D − I) X u_g ≥ 0`
    fn group(&mut self, group: usize) {
        let d = self.raw.d();
        let norm = self.variable(self.raw.beta);
        self.row(0.0, &[(norm, 1.0)]);
        for j in 0..d {
            self.row(0.0, &[(group * d + j, 1.0)]);
        }
        self.cones.push(SupportedConeT::SecondOrderConeT(d + 1));
        if self.raw.relu {
            let gate = group % self.raw.gates.len();
            for i in 0..self.raw.n() {
                let side = if self.raw.gates[gate][i] { 1.0 } else { -1.0 };
                let terms: Vec<(usize, f64)> = (0..d)
                    .map(|j| (group * d + j, side * self.raw.x[i][j]))
                    .collect();
                self.not_negative(0.0, &terms);
            }
        }
    }

    /// `f = (F u)_ic`
    fn prediction(&mut self, i: usize, c: usize) -> usize {
        let (d, gates, groups) = (self.raw.d(), self.raw.gates.len(), self.raw.groups());
        let f = self.variable(0.0);
        let mut terms = vec![(f, -1.0)];
        for group in 0..groups {
            let side = if group < gates { 1.0 } else { -1.0 };
            if self.raw.gates[group % gates][i] {
                for j in 0..d {
                    terms.push(((c * groups + group) * d + j, side * self.raw.x[i][j]));
                }
            }
        }
        self.row(0.0, &terms);
        self.cones.push(SupportedConeT::ZeroConeT(1));
        f
    }

    fn loss(&mut self, f: usize, y: f64, w: f64) {
        match self.raw.loss {
            Loss::Squared => {
                self.quadratic.push((f, w));
                self.linear[f] -= w * y;
                self.constant += 0.5 * w * y * y;
            }
            Loss::Huber { delta } => {
                // min over q of ½ q² + δ |f − y − q|
                let (q, r) = (self.variable(0.0), self.variable(w * delta));
                self.quadratic.push((q, w));
                self.not_negative(y, &[(r, 1.0), (f, -1.0), (q, 1.0)]);
                self.not_negative(-y, &[(r, 1.0), (f, 1.0), (q, -1.0)]);
            }
            Loss::SquaredHinge => {
                let h = self.variable(0.0);
                self.quadratic.push((h, w));
                self.not_negative(0.0, &[(h, 1.0)]);
                self.not_negative(-1.0, &[(h, 1.0), (f, y)]);
            }
            Loss::Quantile { level } => {
                let p = self.variable(w);
                self.not_negative(-level * y, &[(p, 1.0), (f, level)]);
                self.not_negative((1.0 - level) * y, &[(p, 1.0), (f, level - 1.0)]);
            }
            Loss::Logistic => {
                // exp(−p) + exp(−y f − p) ≤ 1
                let (p, a, b) = (self.variable(w), self.variable(0.0), self.variable(0.0));
                self.exponential(&[(p, -1.0)], a);
                self.exponential(&[(p, -1.0), (f, -y)], b);
                self.not_negative(1.0, &[(a, -1.0), (b, -1.0)]);
            }
            other => panic!("{other:?} is not a sum over outputs"),
        }
    }

    /// `Σ_c exp(f_c − p) ≤ 1`, at the price `p − y·f`
    fn softmax(&mut self, i: usize, predictions: &[usize]) {
        let w = self.raw.weights[i];
        let p = self.variable(w);
        let mut left = Vec::new();
        for (c, &f) in predictions.iter().enumerate() {
            self.linear[f] -= w * self.raw.y[i][c];
            let z = self.variable(0.0);
            self.exponential(&[(f, 1.0), (p, -1.0)], z);
            left.push((z, -1.0));
        }
        self.not_negative(1.0, &left);
    }

    /// The weights and the dual value.
    fn solve(self) -> (Vec<f64>, f64) {
        let variables = self.linear.len();
        let sparse = |entries: &[(usize, usize, f64)], rows: usize| {
            CscMatrix::new_from_triplets(
                rows,
                variables,
                entries.iter().map(|e| e.0).collect(),
                entries.iter().map(|e| e.1).collect(),
                entries.iter().map(|e| e.2).collect(),
            )
        };
        let diagonal: Vec<(usize, usize, f64)> =
            self.quadratic.iter().map(|&(at, w)| (at, at, w)).collect();
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .tol_gap_abs(1e-11)
            .tol_gap_rel(1e-11)
            .tol_feas(1e-10)
            .build()
            .expect("settings");
        let mut solver = DefaultSolver::new(
            &sparse(&diagonal, variables),
            &self.linear,
            &sparse(&self.entries, self.right.len()),
            &self.right,
            &self.cones,
            settings,
        )
        .expect("problem");
        solver.solve();
        let weights = self.raw.groups() * self.raw.outputs() * self.raw.d();
        let solution = &solver.solution;
        (
            solution.x[..weights].to_vec(),
            solution.obj_val_dual + self.constant,
        )
    }
}
