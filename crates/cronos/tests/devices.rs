//! Programs solved on a device, next to the processor.
#![cfg(any(feature = "flex", feature = "gpu", feature = "cuda"))]

mod problems;
mod verify;

use cronos::{Activation, Loss, Matrix, Place, Program, Settings, Solution, Solver};
use problems::{Case, LOSSES, Quirk, cases};
use std::ops::ControlFlow;
use verify::Raw;

/// The devices of this build and this machine; the first of each kind.
fn places() -> Vec<Place> {
    let mut places = Vec::new();
    if cfg!(feature = "flex") {
        places.push(Place::Flex);
    }
    places.extend(
        Place::DEVICES
            .into_iter()
            .filter(|place| place.check().is_ok()),
    );
    assert!(
        !places.is_empty(),
        "no device is compiled in, or none is there"
    );
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
fn same(
    what: &str,
    program: &Program<f32>,
    (solver, max_iterations): (Solver, usize),
    places: &[Place],
) {
    let settings = |place| Settings {
        solver,
        place,
        max_iterations,
        ..Settings::default()
    };
    let here = solve(program, &settings(Place::Cpu));
    for &place in places {
        let there = solve(program, &settings(place));
        let what = format!("{what} {solver:?} on {place:?}");
        assert_eq!(there.status, here.status, "{what}");
        let [a, b] = [&here, &there].map(|solution| solution.certificate.objective);
        assert!((a - b).abs() <= 1e-4 * a.abs(), "{what}: {a} {b}");
        let [a, b] = [&here, &there].map(|solution| solution.history.len() as f64);
        assert!((a - b).abs() <= (0.05 * a).max(10.0), "{what}: {a} {b}");
    }
}

const SOLVERS: [Solver; 3] = [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg];

/// Every solver on the processor's own device; on others, whose driver may well be a program, one
/// after the other.
fn by_solvers(
    what: &str,
    program: &Program<f64>,
    (number, solvers): (usize, &[Solver]),
    max_iterations: usize,
) {
    let program = single(program);
    for (at, &solver) in solvers.iter().enumerate() {
        let in_turn = number % solvers.len() == at;
        let mut places = places();
        places.retain(|place| *place == Place::Flex || in_turn);
        same(what, &program, (solver, max_iterations), &places);
    }
}

#[test]
fn shapes_of_all_kinds() {
    for (number, case) in cases().iter().enumerate() {
        // quirks come in fours
        let number = number + number / 4;
        let what = format!("{case:?}");
        by_solvers(&what, &case.program(), (number, &SOLVERS), 300);
    }
}

#[test]
fn losses_of_all_kinds() {
    let mut number = 0;
    for activation in [Activation::Relu, Activation::Gated] {
        for weighted in [false, true] {
            for loss in LOSSES {
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
                let program = case.with_loss(loss, weighted);
                let what = format!("{loss:?} {activation:?} {weighted}");
                // which has no curvature
                let solvers = match loss {
                    Loss::Quantile { .. } => &SOLVERS[..2],
                    _ => &SOLVERS,
                };
                by_solvers(&what, &program, (number, solvers), 150);
                number += 1;
            }
            number += 1;
        }
    }
}

/// Certificate and dual point, computed again from the data.
#[test]
fn what_is_claimed_is_true() {
    for number in [0, 9, 36] {
        let case = &cases()[number];
        for loss in [Loss::Squared, Loss::Logistic, Loss::Softmax] {
            // in double precision, which the device rounds and the certificate does not
            let program = case.with_loss(loss, number > 30);
            let raw = Raw::of(&program);
            for place in places() {
                for max_iterations in [13, 60] {
                    let settings = Settings {
                        solver: Solver::Direct,
                        place,
                        max_iterations,
                        keep_dual: true,
                        ..Settings::default()
                    };
                    let go_on = &mut |_: &_| ControlFlow::Continue(());
                    raw.verify(&program.solve(&settings, go_on).unwrap());
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
        let few = &SOLVERS[1..2];
        let solvers = if place == Place::Flex { &SOLVERS } else { few };
        for &solver in solvers {
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
