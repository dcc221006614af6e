//! A small convex program written out as dense matrices, so that what the solver does by
//! structure can be done by the book.

use cronos::{Activation, Gates, Loss, Matrix, Program};
use cronos_data::{ReadOptions, Target, read};
use faer::Mat;

/// The program of some digits, 0 to 4 against 5 to 9.
pub struct Small {
    /// n x d: pixels from 0 to 1, and a bias.
    pub x: Mat<f64>,
    /// −1 and 1.
    pub y: Mat<f64>,
    pub program: Program<f64>,
}

impl Small {
    /// Of the first `rows` digits and `gates` random gates.
    pub fn new(rows: usize, gates: usize, beta: f64, seed: u64) -> Result<Self, String> {
        let loaded = read("digits", &ReadOptions::default()).map_err(|error| error.to_string())?;
        let data = loaded.train;
        let classes: Vec<f64> = match &data.target {
            Some(Target::Numbers { values, .. }) => values.clone(),
            Some(Target::Text(names)) => {
                let class = |name: &String| name.parse().map_err(|_| format!("{name} is no digit"));
                names.iter().map(class).collect::<Result<_, String>>()?
            }
            None => return Err("the digits have no target".into()),
        };
        let d = data.features.columns + 1;
        let pixel = |i, j| match j + 1 == d {
            true => 1.0,
            false => data.features.at(i, j) / 16.0,
        };
        let target = |i: usize| if classes[i] > 4.5 { 1.0 } else { -1.0 };
        let features = Matrix::from_fn(rows, d, pixel);
        let gates = Gates::sample(&features, gates, seed).map_err(|error| error.to_string())?;
        Ok(Self {
            x: Mat::from_fn(rows, d, pixel),
            y: Mat::from_fn(rows, 1, |i, _| target(i)),
            program: Program {
                x: features,
                y: Matrix::from_fn(rows, 1, |i, _| target(i)),
                gates,
                beta,
                activation: Activation::Relu,
                loss: Loss::Squared,
                weights: None,
            },
        })
    }

    /// Groups of weights: two for each gate.
    pub fn groups(&self) -> usize {
        2 * self.program.gates.len()
    }

    /// Whether group `g` sees row `j`.
    pub fn active(&self, g: usize, j: usize) -> bool {
        self.program.gates.active(g / 2, j)
    }

    /// `F = [D₁X, −D₁X, D₂X, …]`: n x 2dP
    pub fn f(&self) -> Mat<f64> {
        let d = self.x.ncols();
        Mat::from_fn(self.x.nrows(), self.groups() * d, |j, column| {
            let (g, k) = (column / d, column % d);
            let sign = if g % 2 == 0 { 1.0 } else { -1.0 };
            if self.active(g, j) {
                sign * self.x[(j, k)]
            } else {
                0.0
            }
        })
    }

    /// `(2D − I) X` of a group: its block of `G`.
    pub fn cone(&self, g: usize) -> Mat<f64> {
        Mat::from_fn(self.x.nrows(), self.x.ncols(), |j, k| {
            if self.active(g, j) {
                self.x[(j, k)]
            } else {
                -self.x[(j, k)]
            }
        })
    }
}
