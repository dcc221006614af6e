//! Programs solved on a device, next to the processor.
#![cfg(feature = "device")]

mod problems;

use cronos::{Activation, Loss, Matrix, Place, Program, Settings, Solution, Solver};
use problems::{Case, LOSSES, Quirk, cases};
use std::ops::ControlFlow;

/// The devices of this build.
fn places() -> Vec<Place> {
    let mut places = Vec::new();
    if cfg!(feature = "flex") {
        places.push(Place::Flex);
    }
    assert!(!places.is_empty(), "no device is compiled in");
    places
}

fn single(program: &Program<f64>) -> Program<f32> {
    let cast = |m: &Matrix<f64>| Matrix::from_fn(m.rows(), m.columns(), |i, j| m.at(i, j) as f32);
    Program {
        x: cast(&program.x),
        y: cast(&program.y),
        gates: program.gates.clone(),
        beta: program.beta,
        activation: program.activation,
        loss: program.loss,
        weights: program.weights.clone(),
    }
}

fn solve(program: &Program<f32>, settings: &Settings) -> Solution {
    let solved = program.solve(settings, &mut |_| ControlFlow::Continue(()));
    solved.unwrap()
}

/// Objectives within 1e-4, the same status, as many iterations but for one in twenty.
fn same(what: &str, program: &Program<f64>, settings: &Settings) {
    let program = single(program);
    let here = solve(&program, settings);
    for place in places() {
        let settings = Settings {
            place,
            ..settings.clone()
        };
        let there = solve(&program, &settings);
        let what = format!("{what} on {place:?}");
        assert_eq!(there.status, here.status, "{what}");
        let [a, b] = [&here, &there].map(|solution| solution.certificate.objective);
        assert!((a - b).abs() <= 1e-4 * a.abs(), "{what}: {a} {b}");
        let [a, b] = [&here, &there].map(|solution| solution.history.len() as f64);
        assert!((a - b).abs() <= (0.05 * a).max(10.0), "{what}: {a} {b}");
    }
}

const SOLVERS: [Solver; 3] = [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg];

#[test]
fn shapes_of_all_kinds() {
    for case in cases() {
        for solver in SOLVERS {
            let settings = Settings {
                solver,
                max_iterations: 300,
                ..Settings::default()
            };
            same(&format!("{case:?} {solver:?}"), &case.program(), &settings);
        }
    }
}

#[test]
fn losses_of_all_kinds() {
    for activation in [Activation::Relu, Activation::Gated] {
        for loss in LOSSES {
            for weighted in [false, true] {
                for solver in SOLVERS {
                    if solver == Solver::PrimalPcg && loss == (Loss::Quantile { level: 0.3 }) {
                        continue;
                    }
                    let case = Case {
                        n: 60,
                        d: 5,
                        outputs: 2,
                        gates: 7,
                        beta: 0.3,
                        activation,
                        quirk: Quirk::None,
                        seed: 3,
                    };
                    let settings = Settings {
                        solver,
                        max_iterations: 300,
                        ..Settings::default()
                    };
                    let program = case.with_loss(loss, weighted);
                    let what = format!("{loss:?} {activation:?} {weighted} {solver:?}");
                    same(&what, &program, &settings);
                }
            }
        }
    }
}

/// Features that the device has no room for are sent to it, and nothing else changes.
#[test]
fn a_small_device_gets_its_features_block_by_block() {
    let program = single(&cases()[32].program());
    for place in places() {
        for solver in SOLVERS {
            let settings = Settings {
                solver,
                place,
                ..Settings::default()
            };
            let whole = solve(&program, &settings);
            let held = whole.residence.unwrap();
            assert_eq!(held.streamed_rows, 0);
            let limit = |bytes| Settings {
                device_memory_bytes: Some(bytes),
                ..settings.clone()
            };
            let enough = solve(&program, &limit(held.planned_bytes));
            assert_eq!(enough.residence, Some(held));
            let sent = solve(&program, &limit(held.planned_bytes - 1));
            assert_eq!(sent.residence.unwrap().streamed_rows, program.x.rows());
            assert_eq!(sent.weights, whole.weights);
            let refused = program.solve(&limit(1000), &mut |_| ControlFlow::Continue(()));
            let why = refused.unwrap_err().to_string();
            assert!(why.contains("--device cpu"), "{why}");
        }
    }
}
