//! Hundreds of odd programs: every number that a run reports is recomputed from the raw data.

mod problems;
mod verify;

use cronos::{Activation, Error, Gates, Loss, Matrix, Program, Settings, Solution, Solver, Status};
use problems::LOSSES;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use verify::Raw;

const PROGRAMS: u64 = 500;

/// What is odd about a program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Oddity {
    None,
    OneFeature,
    OneGate,
    RepeatedRows,
    RepeatedColumns,
    EmptyRowsAndColumns,
    EqualTargets,
    /// From 1e-9 to 1e9.
    Weights,
    /// Columns from 1e-3 to 1e3 times as large.
    Scales,
}

const ODDITIES: [Oddity; 9] = [
    Oddity::None,
    Oddity::OneFeature,
    Oddity::OneGate,
    Oddity::RepeatedRows,
    Oddity::RepeatedColumns,
    Oddity::EmptyRowsAndColumns,
    Oddity::EqualTargets,
    Oddity::Weights,
    Oddity::Scales,
];

fn oddity(seed: u64) -> Oddity {
    ODDITIES[seed as usize % ODDITIES.len()]
}

fn program(seed: u64) -> Result<Program<f64>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let odd = oddity(seed);
    let loss = LOSSES[seed as usize / ODDITIES.len() % LOSSES.len()];
    let n = rng.random_range(1..60);
    let d = match odd {
        Oddity::OneFeature => 1,
        _ => rng.random_range(1..14),
    };
    let outputs = match loss {
        Loss::Softmax => 3,
        _ => rng.random_range(1..4),
    };
    let mut x: Vec<Vec<f64>> = (0..n)
        .map(|_| (0..d).map(|_| rng.random_range(-2.0..2.0)).collect())
        .collect();
    for i in 0..n {
        match odd {
            Oddity::RepeatedRows => x[i] = x[i / 3].clone(),
            Oddity::RepeatedColumns => (0..d).for_each(|j| x[i][j] = x[i][j / 2]),
            Oddity::EmptyRowsAndColumns if i % 4 == 0 => x[i].fill(0.0),
            Oddity::EmptyRowsAndColumns => x[i][0] = 0.0,
            Oddity::Scales => {
                (0..d).for_each(|j| x[i][j] *= 10f64.powi(3 - (j as i32 % 7)));
            }
            _ => {}
        }
    }
    let mut y = Vec::new();
    for _ in 0..n {
        let own: Vec<f64> = (0..outputs)
            .map(|_| match odd {
                Oddity::EqualTargets => 2.0,
                _ => rng.random_range(-1.0..3.0),
            })
            .collect();
        let class = own.iter().position(|y| *y > 1.0).unwrap_or(0);
        y.extend(own.iter().enumerate().map(|(c, &y)| match loss {
            Loss::Logistic | Loss::SquaredHinge => y.signum(),
            Loss::Softmax => f64::from(c == class),
            _ => y,
        }));
    }
    let (x, y) = (
        Matrix::from_rows(n, d, x.concat())?,
        Matrix::from_rows(n, outputs, y)?,
    );
    let gates = match odd {
        Oddity::OneGate => 1,
        _ => rng.random_range(1..7),
    };
    Ok(Program {
        gates: Gates::sample(&x, gates, seed)?,
        x,
        y,
        beta: 10f64.powf(rng.random_range(-3.0..1.5)),
        activation: match rng.random_range(0..3) {
            0 => Activation::Gated,
            _ => Activation::Relu,
        },
        loss,
        weights: (odd == Oddity::Weights).then(|| {
            (0..n)
                .map(|_| 10f64.powf(rng.random_range(-9.0..9.0)))
                .collect()
        }),
    })
}

/// Every oddity meets every loss by every solver.
fn solve(program: &Program<f64>, seed: u64) -> Result<Solution, Error> {
    let each = (ODDITIES.len() * LOSSES.len()) as u64;
    let settings = Settings {
        solver: match (program.loss, seed / each % 3) {
            (Loss::Quantile { .. }, 0) => Solver::Direct,
            (_, 0) => Solver::PrimalPcg,
            (_, 1) => Solver::Direct,
            _ => Solver::SamplePcg,
        },
        max_iterations: 40 + (seed % 7) as usize * 30,
        keep_dual: true,
        ..Settings::default()
    };
    program.solve(&settings, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn what_is_reported_is_so_whatever_the_data() {
    let (mut verified, mut solved) = (0, 0);
    for seed in 0..PROGRAMS {
        let what = format!("program {seed}, {:?}", oddity(seed));
        let program = match program(seed) {
            Ok(program) => program,
            Err(error) => {
                // no gate is active on the only row
                assert!(error.to_string().contains("active"), "{what}: {error}");
                continue;
            }
        };
        let solution = solve(&program, seed).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(solution.certificate.objective.is_finite(), "{what}");
        let checked = std::panic::catch_unwind(|| Raw::of(&program).verify(&solution));
        assert!(
            checked.is_ok(),
            "{what}, {:?}, {:?}",
            program.loss,
            solution.status
        );
        verified += 1;
        solved += usize::from(solution.status == Status::Solved);
    }
    assert!(verified > 450, "{verified}");
    assert!(solved > 150, "{solved}");
}

/// Values from 1e-30 to 1e30 are solved for, or end in a status that says why not.
#[test]
fn extreme_values_do_no_harm() {
    let mut verified = 0;
    for power in (-30i32..=30).step_by(5) {
        for at in 0..2 * LOSSES.len() as u64 {
            // nothing else is odd; another loss each time, by another solver for another power
            let each = (ODDITIES.len() * LOSSES.len()) as u64;
            let seed = ODDITIES.len() as u64 * at + each * (power.unsigned_abs() as u64 / 5 % 3);
            let mut program = program(seed).expect("a program");
            let (n, d) = (program.x.rows(), program.x.columns());
            let scale = 10f64.powi(power);
            program.x = Matrix::from_fn(n, d, |i, j| scale * program.x.at(i, j));
            program.beta *= scale;
            let what = format!("1e{power}, program {seed}");
            let solution = match solve(&program, seed) {
                Ok(solution) => solution,
                Err(error) => {
                    let told = error.to_string().contains("standardise");
                    assert!(told && power.abs() > 10, "{what}: {error}");
                    continue;
                }
            };
            let failed = solution.status == Status::NumericalFailure;
            assert!(!failed || power.abs() > 10, "{what}");
            if !failed {
                let checked = std::panic::catch_unwind(|| Raw::of(&program).verify(&solution));
                assert!(checked.is_ok(), "{what}, {:?}", solution.status);
                verified += 1;
            }
        }
    }
    assert!(verified > 60, "{verified}");
}
