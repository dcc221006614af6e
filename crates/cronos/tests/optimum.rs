//! All u-solvers reach the optimum of an interior-point method, and every
//! number they report is recomputed from raw data.

mod problems;
mod reference;
mod verify;

use cronos::nystrom::Rank;
use cronos::{Activation, Program, Settings, Solution, Solver, Split, Status};
use std::ops::ControlFlow;
use verify::Raw;

const SOLVERS: [Solver; 3] = [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg];

fn tight() -> Settings {
    Settings {
        gap_relative: 1e-7,
        violation: Some(1e-7),
        max_iterations: 100_000,
        keep_dual: true,
        ..Settings::default()
    }
}

/// Solves, verifies every number, and holds every bound against the optimum.
fn check(program: &Program<f64>, settings: &Settings, optimum: f64, what: &str) -> Solution {
    let mut bounds = Vec::new();
    let solution = program
        .solve(settings, &mut |iteration| {
            bounds.push(iteration.lower_bound);
            ControlFlow::Continue(())
        })
        .expect(what);
    Raw::of(program).verify(&solution);
    assert_eq!(solution.status, Status::Solved, "{what}");
    let error = (solution.certificate.objective - optimum).abs() / optimum;
    assert!(error <= 1e-6, "{what}: relative error {error:e}");
    for bound in bounds {
        assert!(
            bound <= optimum * (1.0 + 1e-9),
            "{what}: {bound} > {optimum}"
        );
    }
    solution
}

#[test]
fn every_solver_reaches_the_interior_point_optimum_on_48_problems() {
    let cases = problems::cases();
    assert_eq!(cases.len(), 48);
    for case in cases {
        let program = case.program();
        let optimum = reference::optimum(&Raw::of(&program));
        for solver in SOLVERS {
            let settings = Settings { solver, ..tight() };
            check(
                &program,
                &settings,
                optimum,
                &format!("{case:?} {solver:?}"),
            );
        }
    }
}

#[test]
fn both_splits_reach_the_optimum_with_every_solver() {
    for case in problems::cases().into_iter().step_by(7) {
        let program = case.program();
        let optimum = reference::optimum(&Raw::of(&program));
        for solver in SOLVERS {
            for split in [Split::Loss, Split::Paper] {
                let settings = Settings {
                    solver,
                    split: Some(split),
                    ..tight()
                };
                let what = format!("{case:?} {solver:?} {split:?}");
                check(&program, &settings, optimum, &what);
            }
        }
    }
}

#[test]
fn fixed_rho_over_three_decades_and_other_loss_weights_reach_the_optimum() {
    let program = problems::cases()[34].program();
    let optimum = reference::optimum(&Raw::of(&program));
    for rho in [1e-2, 0.1, 1.0, 10.0] {
        let settings = Settings {
            rho: Some(rho),
            adapt_rho: false,
            ..tight()
        };
        check(&program, &settings, optimum, &format!("rho {rho}"));
    }
    for weight in [0.05, 5.0] {
        let settings = Settings {
            loss_weight: Some(weight),
            ..tight()
        };
        check(&program, &settings, optimum, &format!("c {weight}"));
    }
}

#[test]
fn the_adaptive_rank_reaches_the_optimum() {
    let program = problems::cases()[32].program();
    let optimum = reference::optimum(&Raw::of(&program));
    for solver in [Solver::SamplePcg, Solver::PrimalPcg] {
        let settings = Settings {
            solver,
            rank: Rank::Adaptive { first: 2, most: 30 },
            ..tight()
        };
        let solution = check(&program, &settings, optimum, "adaptive");
        assert!(solution.rank.is_some_and(|rank| (2..=30).contains(&rank)));
    }
}

/// What is certified is the program as it was rounded to `f32`, so that one is
/// verified and held against its own optimum.
#[test]
fn single_precision_meets_the_certificate() {
    for case in problems::cases().into_iter().step_by(5) {
        let program = case.program();
        let single = problems::rounded(&program);
        let same = Program {
            x: single.x.cast(),
            y: single.y.cast(),
            ..program
        };
        let raw = Raw::with_gates(&same, &single.gates);
        let optimum = reference::optimum(&raw);
        let settings = Settings {
            gap_relative: 1e-4,
            violation: Some(1e-4),
            ..tight()
        };
        let solution = single
            .solve(&settings, &mut |_| ControlFlow::Continue(()))
            .expect("solved");
        assert_eq!(solution.status, Status::Solved, "{case:?}");
        raw.verify(&solution);
        let certificate = solution.certificate;
        assert!(certificate.lower_bound <= optimum * (1.0 + 1e-9));
        assert!((certificate.objective - optimum).abs() <= 3e-4 * optimum);
    }
}

/// Rows enough for several chunks of several blocks, the last one cut short.
#[test]
fn many_blocks_of_rows_are_verified_too() {
    for activation in [Activation::Relu, Activation::Gated] {
        for solver in SOLVERS {
            let case = problems::Case {
                n: 1100,
                d: 70,
                outputs: 2,
                gates: 5,
                beta: 3.0,
                activation,
                quirk: problems::Quirk::None,
                seed: 77,
            };
            let program = case.program();
            let settings = Settings {
                solver,
                max_iterations: 60,
                gap_relative: 0.0,
                keep_dual: true,
                ..Settings::default()
            };
            let solution = program
                .solve(&settings, &mut |_| ControlFlow::Continue(()))
                .expect("solved");
            Raw::of(&program).verify(&solution);
            let single = problems::rounded(&program);
            let solution = single
                .solve(&settings, &mut |_| ControlFlow::Continue(()))
                .expect("solved");
            let same = Program {
                x: single.x.cast(),
                y: single.y.cast(),
                ..program
            };
            Raw::with_gates(&same, &single.gates).verify(&solution);
        }
    }
}
