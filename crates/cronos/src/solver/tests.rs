//! The u-solvers against dense algebra.

#[path = "../../tests/problems/mod.rs"]
mod problems;

use super::direct::sample_matrix;
use super::metric::Metric;
use super::{Build, Kappa, Solver, build};
use crate::engine::Engine;
use crate::gates::Gates;
use crate::matrix::Matrix;
use crate::nystrom::Rank;
use crate::program::Activation;
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

/// Numbers without a pattern, from -1 to 1.
fn number(at: usize) -> f64 {
    let mixed = (at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64 / (1u64 << 52) as f64
        - 1.0
}

/// n, d, gates, outputs: several blocks of rows, one block, more columns than rows.
const SHAPES: [(usize, usize, usize, usize); 4] = [
    (300, 7, 5, 1),
    (300, 7, 5, 3),
    (40, 12, 4, 2),
    (15, 20, 3, 1),
];

/// `I ⊗ M + c FᵀF` for one output, entry by entry.
fn system(
    x: &Matrix<f64>,
    gates: &Gates,
    activation: Activation,
    weight: f64,
    kappa: f64,
) -> Mat<f64> {
    let (n, d, p) = (x.rows(), x.columns(), gates.len());
    let size = activation.signs() * p * d;
    Mat::from_fn(size, size, |a, b| {
        let ((group_a, i), (group_b, j)) = ((a / d, a % d), (b / d, b % d));
        let sign = |group: usize| if group < p { 1.0 } else { -1.0 };
        let mut sum = if a == b { kappa } else { 0.0 };
        for row in 0..n {
            let product = x.at(row, i) * x.at(row, j);
            if group_a == group_b && activation == Activation::Relu {
                sum += product;
            }
            if gates.active(group_a % p, row) && gates.active(group_b % p, row) {
                sum += weight * sign(group_a) * sign(group_b) * product;
            }
        }
        sum
    })
}

/// How far a solver's `u` is from a dense solve of the same system.
fn relative_error(
    solver: Solver,
    x: &Matrix<f64>,
    gates: &Gates,
    activation: Activation,
    outputs: usize,
    weight: f64,
) -> f64 {
    let engine = Engine::new(x, gates, activation);
    let mut work = engine.workspace(outputs);
    let settings = Build {
        outputs,
        weight,
        kappa: Kappa::OfSpectrum,
        rank: Rank::Fixed(6),
        seed: 1,
        most_inner: 5000,
    };
    let mut solver = build(solver, &engine, settings, &mut work).expect("built");
    let size = engine.weights_per_output();
    let b: Vec<f64> = (0..size * outputs)
        .map(|at| number(at + 1_000_000))
        .collect();
    let mut u = vec![0.0; b.len()];
    solver.solve(&engine, &b, &mut u, 1e-13, &mut work);
    let factor = system(x, gates, activation, weight, solver.kappa())
        .llt(Side::Lower)
        .expect("positive definite");
    let right = Mat::from_fn(size, outputs, |i, c| b[c * size + i]);
    let exact = factor.solve(&right);
    let error = Mat::from_fn(size, outputs, |i, c| u[c * size + i] - exact[(i, c)]);
    error.norm_l2() / exact.norm_l2()
}

/// Largest over smallest eigenvalue of `S`, and the smallest.
fn condition(x: &Matrix<f64>, gates: &Gates, weight: f64, kappa: Kappa) -> (f64, f64) {
    let engine = Engine::new(x, gates, Activation::Relu);
    let metric = Metric::new(&engine, kappa).expect("factored");
    let s = sample_matrix(&engine, &metric, weight).dense();
    let values = s
        .self_adjoint_eigenvalues(Side::Lower)
        .expect("eigenvalues");
    (values[x.rows() - 1] / values[0], values[0])
}

/// The problems that meet the interior-point method.
#[test]
fn on_all_generated_problems_direct_is_exact_and_s_is_well_conditioned() {
    for case in problems::cases() {
        let program = case.program();
        let (x, gates) = (&program.x, &program.gates);
        for weight in [0.5, 3.0] {
            let error = relative_error(
                Solver::Direct,
                x,
                gates,
                case.activation,
                case.outputs,
                weight,
            );
            assert!(error <= 1e-10, "{case:?} c = {weight}: {error:e}");
            for kappa in [Kappa::Given(1.0), Kappa::OfSpectrum] {
                let (condition, _) = condition(x, gates, weight, kappa);
                let bound = 1.0 + 2.0 * weight * gates.len() as f64;
                assert!(condition <= bound * (1.0 + 1e-9), "{condition} > {bound}");
            }
        }
    }
}

#[test]
fn every_solver_equals_a_dense_solve() {
    for shape in SHAPES {
        let (n, d, p, outputs) = shape;
        let x = Matrix::from_fn(n, d, |i, j| number(i * d + j));
        let gates = Gates::sample(&x, p, 3).expect("gates");
        for activation in [Activation::Relu, Activation::Gated] {
            for weight in [0.1, 2.0] {
                for solver in [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg] {
                    let error = relative_error(solver, &x, &gates, activation, outputs, weight);
                    assert!(
                        error <= 1e-10,
                        "{solver:?} {shape:?} {activation:?} c = {weight}: {error:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_condition_number_of_s_is_at_most_one_plus_two_c_p() {
    for (n, d, p, _) in SHAPES {
        for scale in [1e-3, 1.0, 1e3] {
            let x = Matrix::from_fn(n, d, |i, j| scale * number(i * d + j));
            let gates = Gates::sample(&x, p, 3).expect("gates");
            for weight in [0.1, 0.5, 3.0] {
                let (condition, least) = condition(&x, &gates, weight, Kappa::Given(1.0));
                let bound = 1.0 + 2.0 * weight * gates.len() as f64;
                assert!(condition <= bound * (1.0 + 1e-9), "{condition} > {bound}");
                assert!(least >= 1.0 / (2.0 * weight) * (1.0 - 1e-9));
            }
        }
    }
}

#[test]
fn a_warm_start_at_the_solution_takes_no_iterations() {
    let x = Matrix::from_fn(200, 6, |i, j| number(i * 6 + j));
    let gates = Gates::sample(&x, 4, 3).expect("gates");
    let engine = Engine::new(&x, &gates, Activation::Relu);
    let mut work = engine.workspace(1);
    let settings = Build {
        outputs: 1,
        weight: 0.5,
        kappa: Kappa::Given(1.0),
        rank: Rank::Fixed(6),
        seed: 1,
        most_inner: 5000,
    };
    for solver in [Solver::SamplePcg, Solver::PrimalPcg] {
        let mut solver = build(solver, &engine, settings, &mut work).expect("built");
        let b: Vec<f64> = (0..engine.weights_per_output()).map(number).collect();
        let mut u = vec![0.0; b.len()];
        let first = solver.solve(&engine, &b, &mut u, 1e-10, &mut work);
        assert!(first > 0);
        let second = solver.solve(&engine, &b, &mut u, 1e-9, &mut work);
        assert_eq!(second, 0);
    }
}

/// A repeated column over many rows gives `M` an eigenvalue of about `2n` beside
/// one of 1; single precision must keep both.
#[test]
fn repeated_columns_and_many_rows_in_single_precision() {
    let n = 1_000_000;
    let x = Matrix::from_fn(n, 2, |i, _| number(i) as f32);
    let gates = Gates::sample(&x, 1, 0).expect("gates");
    let engine = Engine::new(&x, &gates, Activation::Relu);
    let metric = Metric::new(&engine, Kappa::Given(1.0)).expect("factored");
    let squared: f64 = x.column(0).iter().map(|&x| f64::from(x).powi(2)).sum();
    // M (1, 1) = (1 + 2‖x‖²)(1, 1)
    let b = [(1.0 + 2.0 * squared) as f32; 2];
    let mut u = [0.0; 2];
    metric.solve(&b, &mut u);
    // rounding may move along (1, −1), where X is zero, but X u must be right
    let image = 0.5 * (u[0] + u[1]);
    assert!((image - 1.0).abs() <= 1e-5, "{u:?}");
}
