//! Every run ends in a named status and carries its best iterate.

mod problems;
mod verify;

use cronos::{Activation, Gates, Iteration, Loss, Matrix, Program, Settings, Solution, Status};
use std::ops::ControlFlow;
use verify::Raw;

fn program() -> Program<f64> {
    problems::cases()[32].program()
}

fn solve(settings: Settings) -> Solution {
    let program = program();
    let settings = Settings {
        keep_dual: true,
        ..settings
    };
    let solution = program
        .solve(&settings, &mut |_| ControlFlow::Continue(()))
        .expect("a status, not an error");
    Raw::of(&program).verify(&solution);
    solution
}

fn zero_objective(program: &Program<f64>) -> f64 {
    Raw::of(program)
        .worth(&vec![0.0; program.groups() * program.x.columns()])
        .objective
}

#[test]
fn solved_within_the_tolerances() {
    let solution = solve(Settings::default());
    assert_eq!(solution.status, Status::Solved);
    assert!(solution.certificate.gap <= 0.01);
    assert!(solution.certificate.violation <= 0.001);
}

#[test]
fn iteration_limit_returns_something_better_than_nothing() {
    let solution = solve(Settings {
        max_iterations: 5,
        ..Settings::default()
    });
    assert_eq!(solution.status, Status::IterationLimit);
    assert_eq!(solution.history.len(), 5);
    assert!(solution.certificate.network_objective < zero_objective(&program()));
}

#[test]
fn time_limit() {
    let solution = solve(Settings {
        gap_relative: 0.0,
        time_limit_seconds: Some(1e-9),
        ..Settings::default()
    });
    assert_eq!(solution.status, Status::TimeLimit);
    assert_eq!(solution.history.len(), 1);
}

#[test]
fn the_observer_can_break_off() {
    let program = program();
    let mut seen = Vec::new();
    let solution = program
        .solve(&Settings::default(), &mut |iteration: &Iteration| {
            seen.push(iteration.number);
            if iteration.number == 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .expect("a status, not an error");
    assert_eq!(solution.status, Status::Interrupted);
    assert_eq!(seen, [1, 2, 3]);
}

#[test]
fn single_precision_stalls_at_its_rounding_error() {
    let mut single = problems::rounded(&program());
    single.activation = Activation::Gated;
    let settings = Settings {
        gap_relative: 0.0,
        max_iterations: 50_000,
        ..Settings::default()
    };
    let solution = single
        .solve(&settings, &mut |_| ControlFlow::Continue(()))
        .expect("a status, not an error");
    assert_eq!(solution.status, Status::Stalled);
    assert!(solution.certificate.gap <= 1e-4);
}

/// Features times `scale`, in single precision.
fn scaled(scale: f32, activation: Activation) -> Program<f32> {
    let x = Matrix::from_fn(20, 3, |i, j| ((i * 3 + j) as f32 - 30.0) * scale);
    let y = Matrix::from_fn(20, 1, |i, _| i as f32);
    let gates = Gates::sample(&x, 4, 0).expect("gates");
    Program {
        x,
        y,
        gates,
        beta: 1.0,
        activation,
        loss: Loss::Squared,
        weights: None,
    }
}

#[test]
fn numbers_too_large_for_the_precision_end_in_numerical_failure() {
    let solution = scaled(1e25, Activation::Relu)
        .solve(&Settings::default(), &mut |_| ControlFlow::Continue(()))
        .expect("a status, not an error");
    assert_eq!(solution.status, Status::NumericalFailure);
    assert!(solution.weights.iter().all(|weight| weight.is_finite()));
}

#[test]
fn features_that_are_all_zero_give_the_zero_network() {
    for activation in [Activation::Relu, Activation::Gated] {
        let solution = scaled(0.0, activation)
            .solve(&Settings::default(), &mut |_| ControlFlow::Continue(()))
            .expect("a status, not an error");
        assert_eq!(solution.status, Status::Solved);
        assert!(solution.weights.iter().all(|&weight| weight == 0.0));
    }
}

#[test]
fn settings_outside_their_range_are_refused() {
    for (settings, name) in [
        (
            Settings {
                rho: Some(0.0),
                ..Settings::default()
            },
            "rho",
        ),
        (
            Settings {
                relaxation: 2.0,
                ..Settings::default()
            },
            "relaxation",
        ),
        (
            Settings {
                gap_relative: f64::NAN,
                ..Settings::default()
            },
            "tolerance",
        ),
        (
            Settings {
                max_iterations: 0,
                ..Settings::default()
            },
            "max iterations",
        ),
    ] {
        let error = program()
            .solve(&settings, &mut |_| ControlFlow::Continue(()))
            .expect_err(name);
        assert!(error.to_string().starts_with(name), "{error}");
    }
}

#[test]
fn a_job_that_does_not_fit_is_refused_with_its_size() {
    let settings = Settings {
        memory_limit_bytes: Some(1000),
        ..Settings::default()
    };
    let error = program()
        .solve(&settings, &mut |_| ControlFlow::Continue(()))
        .expect_err("too large")
        .to_string();
    assert!(
        error.contains("1000 bytes") && error.contains("largest array"),
        "{error}"
    );
}

#[test]
fn without_a_penalty_the_residuals_decide() {
    let mut program = program();
    program.beta = 0.0;
    let solution = program
        .solve(&Settings::default(), &mut |_| ControlFlow::Continue(()))
        .expect("a status, not an error");
    assert_eq!(solution.status, Status::Solved);
    assert_eq!(solution.certificate.lower_bound, 0.0);
}
