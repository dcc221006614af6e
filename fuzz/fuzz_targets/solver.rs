//! Small programs of any numbers, with any settings.
#![no_main]

use arbitrary::Arbitrary;
use cronos::nystrom::Rank;
use cronos::{Activation, Gates, Loss, Matrix, Program, Settings, Solver, Split};
use cronos_fuzz::check_sentence;
use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;

#[derive(Arbitrary, Debug)]
struct Small {
    rows: u8,
    features: u8,
    outputs: u8,
    gates: u8,
    loss: u8,
    gated: bool,
    numbers: Vec<f64>,
    weights: Option<Vec<f64>>,
    beta: f64,
    solver: u8,
    paper: Option<bool>,
    rank: u8,
    rho: Option<f64>,
    kappa: Option<f64>,
    adapt_rho: bool,
    relaxation: Option<f64>,
    loss_weight: Option<f64>,
    tolerance: Option<f64>,
    check_every: u8,
    inner: u8,
    seed: u64,
    keep_dual: bool,
}

fn solve(small: &Small) -> Result<(), cronos::Error> {
    let n = 1 + small.rows as usize % 8;
    let d = 1 + small.features as usize % 5;
    let outputs = 1 + small.outputs as usize % 3;
    let number = |at: usize| small.numbers.get(at).copied().unwrap_or((at as f64).sin());
    let x = Matrix::from_fn(n, d, |i, j| number(i * d + j));
    let delta = small.numbers.first().copied().unwrap_or(1.0);
    let loss = match small.loss % 6 {
        0 => Loss::Squared,
        1 => Loss::Logistic,
        2 => Loss::Softmax,
        3 => Loss::SquaredHinge,
        4 => Loss::Huber { delta },
        _ => Loss::Quantile { level: delta },
    };
    let y = Matrix::from_fn(n, outputs, |i, c| match loss {
        Loss::Logistic | Loss::SquaredHinge => number(n * d + i * outputs + c).signum(),
        Loss::Softmax => f64::from(i % outputs == c),
        _ => number(n * d + i * outputs + c),
    });
    let program = Program {
        gates: Gates::sample(&x, 1 + small.gates as usize % 4, small.seed)?,
        x,
        y,
        beta: small.beta,
        activation: match small.gated {
            true => Activation::Gated,
            false => Activation::Relu,
        },
        loss,
        weights: small.weights.clone(),
    };
    let usual = Settings::default();
    let settings = Settings {
        solver: [
            Solver::Auto,
            Solver::Direct,
            Solver::SamplePcg,
            Solver::PrimalPcg,
        ][small.solver as usize % 4],
        split: small.paper.map(|paper| match paper {
            true => Split::Paper,
            false => Split::Loss,
        }),
        rank: Rank::Fixed(small.rank as usize % 30),
        rho: small.rho,
        kappa: small.kappa,
        adapt_rho: small.adapt_rho,
        relaxation: small.relaxation.unwrap_or(usual.relaxation),
        loss_weight: small.loss_weight,
        gap_relative: small.tolerance.unwrap_or(usual.gap_relative),
        check_every: small.check_every as usize,
        max_inner_iterations: small.inner as usize,
        max_iterations: 30,
        keep_dual: small.keep_dual,
        ..usual
    };
    let solution = program.solve(&settings, &mut |_| ControlFlow::Continue(()))?;
    let certificate = solution.certificate;
    assert!(!certificate.objective.is_nan() || solution.status.name() == "numerical-failure");
    assert!(!certificate.lower_bound.is_nan());
    Ok(())
}

fuzz_target!(|small: Small| {
    if let Err(error) = solve(&small) {
        check_sentence(&error);
    }
});
