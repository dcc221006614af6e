//! Seconds per iteration and to a certified gap of 1 % for the three u-solvers,
//! and the fraction of this machine's best matrix-product rate that they reach.
//!
//! `cargo xtask bench solver`, which calls it as `bench_solver [SECONDS] [--quick]`:
//! each run is cut off after SECONDS (default 60); best of three for the seconds
//! per iteration; `--quick` measures the first shape only.

mod power_law;

use cronos::{Program, Solution, Solver};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use power_law::{iteration_seconds, mean_inner, problem, run};
use std::time::Instant;

/// n, d, P, C
const SHAPES: [(usize, usize, usize, usize); 4] = [
    (1_800, 65, 50, 1),
    (1_250, 65, 50, 10),
    (2_000, 768, 64, 1),
    (10_000, 785, 32, 1),
];

/// Iterations timed for the cost of one.
const TIMED: usize = 10;
const REPEATS: usize = 3;

fn main() {
    let limit = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(60.0);
    let quick = std::env::args().any(|argument| argument == "--quick");
    let shapes = &SHAPES[..if quick { 1 } else { SHAPES.len() }];
    let peak = peak_rate();
    println!(
        "Seconds per ADMM iteration and to a certified gap of 1 % (cones met to 1e-3), for three ways to solve the \
         linear system of an iteration: `direct` and `sample-pcg` use structure of the program described in \
         [docs/method.md](docs/method.md), `primal-pcg` is the algorithm of the paper. n rows, d features, P gates, \
         C outputs; \"of peak\" is relative to the fastest matrix product of the same run, {peak:.0} GFLOP/s; runs are cut \
         off after {limit} s. Command: `cargo xtask bench solver`.\n"
    );
    println!("| n | d | P | C | solver | ms/iteration | of peak | inner | to 1 % gap |");
    println!("|--:|--:|--:|--:|---|--:|--:|--:|---|");
    for (n, d, gates, outputs) in shapes.iter().copied() {
        let program = problem(n, d, gates, outputs);
        for solver in [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg] {
            let timed = (0..REPEATS)
                .filter_map(|_| run(&program, solver, TIMED, 0.0, limit))
                .min_by(|a, b| iteration_seconds(a).total_cmp(&iteration_seconds(b)));
            let solved = run(&program, solver, usize::MAX, 0.01, limit);
            let (Some(timed), Some(solved)) = (timed, solved) else {
                println!(
                    "| {n} | {d} | {gates} | {outputs} | {} | refused |",
                    solver.name()
                );
                continue;
            };
            let seconds = iteration_seconds(&timed);
            let rate = flops(&program, solver, mean_inner(&timed)) / seconds / 1e9;
            println!(
                "| {n} | {d} | {gates} | {outputs} | {} | {:.2} | {:.0} % | {:.1} | {} |",
                solver.name(),
                1e3 * seconds,
                100.0 * rate / peak,
                mean_inner(&timed),
                outcome(&solved),
            );
        }
    }
}

fn outcome(solution: &Solution) -> String {
    let certificate = &solution.certificate;
    let seconds = solution.seconds.total();
    let iterations = solution.history.len();
    match solution.status {
        cronos::Status::Solved => format!("{seconds:.2} s, {iterations} iterations"),
        status => {
            let last = solution.history.iter().rev().find_map(|i| i.certificate);
            let (gap, violation) = last.map_or((certificate.gap, certificate.violation), |c| {
                (c.gap, c.violation)
            });
            format!(
                "{status}: gap {:.1} %, violation {violation:.0e} after {iterations} iterations",
                100.0 * gap
            )
        }
    }
}

/// Floating-point operations of the matrix products of one iteration.
fn flops(program: &Program<f32>, solver: Solver, inner: f64) -> f64 {
    let (n, d) = (program.x.rows() as f64, program.x.columns() as f64);
    let columns = (program.gates.len() * program.y.columns()) as f64;
    let outputs = program.y.columns() as f64;
    // G u and its adjoint
    let sweep = 8.0 * n * d * columns;
    match solver {
        Solver::PrimalPcg => sweep + (inner + 1.0) * 8.0 * n * d * columns,
        Solver::SamplePcg => {
            let product = 4.0 * n * d * columns + 4.0 * d * d * columns;
            sweep + 4.0 * n * d * columns + 12.0 * d * d * columns + (inner + 1.0) * product
        }
        _ => sweep + 4.0 * n * d * columns + 12.0 * d * d * columns + 2.0 * n * n * outputs,
    }
}

/// GFLOP/s of a large square product, best of several.
fn peak_rate() -> f64 {
    const SIZE: usize = 2048;
    let a = Mat::<f32>::from_fn(SIZE, SIZE, |i, j| ((i * 7 + j * 3) % 11) as f32);
    let mut c = Mat::<f32>::zeros(SIZE, SIZE);
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            matmul(
                c.as_mut(),
                Accum::Replace,
                a.as_ref(),
                a.as_ref(),
                1.0,
                Par::rayon(0),
            );
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    2.0 * (SIZE as f64).powi(3) / best / 1e9
}
