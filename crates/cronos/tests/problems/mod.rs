//! Generated problems of many shapes, small enough for an interior-point method.

#![allow(dead_code, clippy::needless_range_loop)]

use cronos::{Activation, Gates, Loss, Matrix, Program, Scaling};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quirk {
    None,
    DuplicatedRows,
    ConstantColumn,
    BadScales,
}

#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub n: usize,
    pub d: usize,
    pub outputs: usize,
    pub gates: usize,
    pub beta: f64,
    pub activation: Activation,
    pub quirk: Quirk,
    pub seed: u64,
}

/// Too few rows for each feature for a stiffness of single rows.
pub const SHARED: Case = Case {
    n: 160,
    d: 60,
    outputs: 1,
    gates: 6,
    beta: 1.0,
    activation: Activation::Relu,
    quirk: Quirk::None,
    seed: 3,
};

/// Shapes n < d, n = d, n ≫ d; one and three outputs; both activations; every quirk.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut seed = 1;
    for (n, d) in [(8, 14), (12, 12), (40, 5)] {
        for outputs in [1, 3] {
            for activation in [Activation::Relu, Activation::Gated] {
                for quirk in [
                    Quirk::None,
                    Quirk::DuplicatedRows,
                    Quirk::ConstantColumn,
                    Quirk::BadScales,
                ] {
                    cases.push(Case {
                        n,
                        d,
                        outputs,
                        gates: 6,
                        beta: [0.05, 0.3, 1.0][seed as usize % 3],
                        activation,
                        quirk,
                        seed,
                    });
                    seed += 1;
                }
            }
        }
    }
    cases
}

/// One of each kind of loss.
pub const LOSSES: [Loss; 6] = [
    Loss::Squared,
    Loss::Logistic,
    Loss::Softmax,
    Loss::Huber { delta: 0.4 },
    Loss::SquaredHinge,
    Loss::Quantile { level: 0.3 },
];

impl Case {
    /// The same features and gates with another loss, its targets made to suit it,
    /// and rows that count for 0.3 to 2.8 if `weighted`.
    pub fn with_loss(&self, loss: Loss, weighted: bool) -> Program<f64> {
        let outputs = match loss {
            Loss::Softmax => 3,
            _ => self.outputs,
        };
        let program = Case { outputs, ..*self }.program();
        let y = Matrix::from_fn(self.n, outputs, |i, c| {
            let y = program.y.row(i);
            match loss {
                Loss::Logistic | Loss::SquaredHinge if y[c] > 0.5 => 1.0,
                Loss::Logistic | Loss::SquaredHinge => -1.0,
                Loss::Softmax => f64::from(y.iter().all(|&other| other <= y[c])),
                _ => y[c],
            }
        });
        let weights = weighted.then(|| (0..self.n).map(|i| 0.3 + 0.5 * (i % 6) as f64).collect());
        Program {
            y,
            loss,
            weights,
            ..program
        }
    }

    /// Standardised features with a column of ones, as `fit` makes them.
    pub fn program(&self) -> Program<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut draw = || rng.random_range(-1.0..1.0f64);
        let mut raw: Vec<Vec<f64>> = (0..self.n)
            .map(|_| (0..self.d).map(|_| draw()).collect())
            .collect();
        let targets: Vec<Vec<f64>> = (0..self.n)
            .map(|i| {
                (0..self.outputs)
                    .map(|c| (2.0 * raw[i][c % self.d]).abs() - raw[i][1] + 0.3 * draw())
                    .collect()
            })
            .collect();
        for i in 0..self.n {
            match self.quirk {
                Quirk::None => {}
                Quirk::DuplicatedRows => raw[i] = raw[i / 2].clone(),
                Quirk::ConstantColumn => raw[i][0] = 7.0,
                Quirk::BadScales => {
                    for j in 0..self.d {
                        let power = -6.0 + 12.0 * j as f64 / (self.d - 1) as f64;
                        raw[i][j] *= 10f64.powf(power);
                    }
                }
            }
        }
        let raw = Matrix::from_rows(self.n, self.d, raw.concat()).expect("shape");
        let scaling = Scaling::standard(&raw, None);
        let x = scaling.apply(&raw, true);
        let y = Matrix::from_rows(self.n, self.outputs, targets.concat()).expect("shape");
        let gates = Gates::sample(&x, self.gates, self.seed).expect("gates");
        Program {
            x,
            y,
            gates,
            beta: self.beta,
            activation: self.activation,
            loss: Loss::Squared,
            weights: None,
        }
    }
}

/// The same program in `f32`.
pub fn rounded(program: &Program<f64>) -> Program<f32> {
    Program {
        x: program.x.cast(),
        y: program.y.cast(),
        gates: program.gates.clone(),
        beta: program.beta,
        activation: program.activation,
        loss: program.loss,
        weights: program.weights.clone(),
    }
}
