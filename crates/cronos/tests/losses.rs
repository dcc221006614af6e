//! Every loss reaches the optimum of an interior-point method, weighted or not,
//! by its prox and by the paper's quadratic model, and its bound never exceeds it.

mod problems;
mod reference;
mod verify;

use cronos::{Loss, Program, Settings, Solver, Split, Status};
use std::ops::ControlFlow;
use verify::Raw;

fn tight() -> Settings {
    Settings {
        gap_relative: 1e-6,
        violation: Some(1e-6),
        max_iterations: 100_000,
        keep_dual: true,
        ..Settings::default()
    }
}

fn check(program: &Program<f64>, settings: &Settings, optimum: f64, what: &str) {
    let mut highest = 0.0f64;
    let solution = program
        .solve(settings, &mut |iteration| {
            highest = highest.max(iteration.lower_bound);
            ControlFlow::Continue(())
        })
        .expect(what);
    Raw::of(program).verify(&solution);
    assert_eq!(solution.status, Status::Solved, "{what}");
    let error = (solution.certificate.objective - optimum).abs() / optimum;
    assert!(error <= 1e-5, "{what}: relative error {error:e}");
    assert!(
        highest <= optimum * (1.0 + 1e-7),
        "{what}: bound {highest} > {optimum}"
    );
}

/// Twelve problems for each loss, the last of them weighted.
fn programs(loss: Loss) -> Vec<(String, Program<f64>)> {
    problems::cases()
        .into_iter()
        .step_by(4)
        .enumerate()
        .map(|(number, case)| {
            let weighted = number >= 8;
            (
                format!("{loss:?} {case:?} weighted {weighted}"),
                case.with_loss(loss, weighted),
            )
        })
        .collect()
}

#[test]
fn every_loss_reaches_the_interior_point_optimum() {
    for loss in problems::LOSSES {
        let programs = programs(loss);
        assert!(programs.len() >= 12);
        for (what, program) in programs {
            let optimum = reference::optimum(&Raw::of(&program));
            check(&program, &tight(), optimum, &what);
        }
    }
}

#[test]
fn the_papers_quadratic_model_reaches_the_same_optimum() {
    for loss in problems::LOSSES.into_iter().filter(|loss| loss.is_smooth()) {
        for (what, program) in programs(loss).into_iter().step_by(2) {
            let optimum = reference::optimum(&Raw::of(&program));
            let settings = Settings {
                solver: Solver::PrimalPcg,
                split: Some(Split::Paper),
                ..tight()
            };
            check(&program, &settings, optimum, &what);
        }
    }
}
