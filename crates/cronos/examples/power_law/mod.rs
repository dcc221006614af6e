//! A problem of any shape whose features have a power-law spectrum, and a run on it.

use cronos::{Activation, Gates, Loss, Matrix, Program, Settings, Solution, Solver};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::ops::ControlFlow;

/// Solves with a limit on iterations and seconds.
pub fn run(
    program: &Program<f32>,
    solver: Solver,
    max_iterations: usize,
    gap: f64,
    limit: f64,
) -> Option<Solution> {
    let settings = Settings {
        solver,
        max_iterations,
        gap_relative: gap,
        time_limit_seconds: Some(limit),
        ..Settings::default()
    };
    program
        .solve(&settings, &mut |_| ControlFlow::Continue(()))
        .map_err(|error| eprintln!("{error}"))
        .ok()
}

/// Mean over the run, certificates left out.
pub fn iteration_seconds(solution: &Solution) -> f64 {
    (solution.seconds.solve + solution.seconds.sweep) / solution.history.len() as f64
}

/// Inner iterations per iteration.
pub fn mean_inner(solution: &Solution) -> f64 {
    let total: usize = solution.history.iter().map(|i| i.inner_iterations).sum();
    total as f64 / solution.history.len() as f64
}

/// Features with a power-law spectrum and the signs of a random network as targets.
pub fn problem(n: usize, d: usize, gates: usize, outputs: usize) -> Program<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
    let raw: Vec<f64> = (0..n * d)
        .map(|at| match at % d {
            j if j + 1 == d => 1.0,
            j => draw() * 3.0 / ((j + 1) as f64).sqrt(),
        })
        .collect();
    let teacher: Vec<f64> = (0..8 * outputs * d).map(|_| draw()).collect();
    let target = |i: usize, c: usize| -> f32 {
        let row = &raw[i * d..][..d];
        let sum: f64 = (0..8)
            .map(|unit| {
                let weights = &teacher[(c * 8 + unit) * d..][..d];
                let z: f64 = row.iter().zip(weights).map(|(x, w)| x * w).sum();
                if unit % 2 == 0 {
                    z.max(0.0)
                } else {
                    -z.max(0.0)
                }
            })
            .sum();
        if sum >= 0.0 { 1.0 } else { -1.0 }
    };
    let x = Matrix::from_fn(n, d, |i, j| raw[i * d + j] as f32);
    let y = Matrix::from_fn(n, outputs, target);
    let gates = Gates::sample(&x, gates, 1).expect("gates of random data are not empty");
    Program {
        x,
        y,
        gates,
        beta: 1.0,
        activation: Activation::Relu,
        loss: Loss::Squared,
        weights: None,
    }
}
