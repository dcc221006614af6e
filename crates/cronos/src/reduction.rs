//! More features than rows: solve in the row space of `X`, which is exact.
//!
//! The penalty is rotation invariant and only `X v` matters, so with the thin
//! factorisation `X = L Qᵀ` (L is n x n) the program in `L` has the same optimum
//! and `v = Q v̂` carries a solution back.

use crate::dense::Qr;
use crate::matrix::Matrix;
use crate::real::Real;
use faer::{Mat, MatRef};

/// The thin factorisation of a wide `X`.
pub(crate) struct Reduction {
    qr: Qr<f64>,
}

impl Reduction {
    /// Factors `X`, or does nothing when it has no more columns than rows.
    pub fn new<T: Real>(x: &Matrix<T>) -> Option<Self> {
        let (n, d) = (x.rows(), x.columns());
        if d <= n {
            return None;
        }
        // Xᵀ = Q R, so X = Rᵀ Qᵀ
        let qr = Qr::new(Mat::from_fn(d, n, |i, j| x.at(j, i).wide()));
        Some(Self { qr })
    }

    /// `L`: n x n
    pub fn lower(&self) -> Matrix<f64> {
        let r = self.qr.r();
        Matrix::from_fn(r.nrows(), r.nrows(), |i, j| r[(j, i)])
    }

    /// `v = Q v̂` for every column.
    pub fn restore(&self, reduced: &[f64], rows: usize) -> Vec<f64> {
        let columns = reduced.len() / rows;
        let full = self
            .qr
            .apply(MatRef::from_column_major_slice(reduced, rows, columns));
        (0..columns)
            .flat_map(|j| full.as_ref().col(j).iter().copied().collect::<Vec<f64>>())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admm::{Settings, Status, solve_as_it_is};
    use crate::gates::Gates;
    use crate::loss::Loss;
    use crate::program::{Activation, Program};
    use crate::solver::Solver;
    use std::ops::ControlFlow;

    /// ADMM is invariant under rotations of the features, so even the iterates agree.
    #[test]
    fn the_reduced_solution_is_the_unreduced_one() {
        for activation in [Activation::Relu, Activation::Gated] {
            for solver in [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg] {
                let x = Matrix::from_fn(30, 50, |i, j| ((i * 50 + j) as f64 * 0.7).sin());
                let y = Matrix::from_fn(30, 2, |i, c| ((i * 3 + c) as f64).cos());
                let gates = Gates::sample(&x, 6, 2).expect("gates");
                let program = Program {
                    x,
                    y,
                    gates,
                    beta: 0.05,
                    activation,
                    loss: Loss::Squared,
                    weights: None,
                };
                let settings = Settings {
                    solver,
                    gap_relative: 1e-9,
                    violation: Some(1e-9),
                    max_iterations: 50_000,
                    ..Settings::default()
                };
                let mut go_on = |_: &_| ControlFlow::Continue(());
                let reduced = program.solve(&settings, &mut go_on).expect("solved");
                assert_eq!(reduced.reduced_features, Some(30));
                let whole = solve_as_it_is(&program, &settings, &mut go_on).expect("solved");
                let error = (reduced.certificate.objective - whole.certificate.objective).abs();
                assert!(error <= 1e-8 * whole.certificate.objective, "{error:e}");
                assert_eq!(reduced.status, Status::Solved);
                assert_eq!(reduced.history.len(), whole.history.len());
                assert!(whole.weights.iter().any(|weight| *weight != 0.0));
                for (a, b) in reduced.weights.iter().zip(&whole.weights) {
                    assert!((a - b).abs() <= 1e-8, "{solver:?} {activation:?}: {a} {b}");
                }
            }
        }
    }
}
