//! All u-solvers reach the optimum of an interior-point method.

mod problems;
mod reference;
mod verify;

use cronos::{Settings, Solver, Status};
use std::ops::ControlFlow;
use verify::Raw;

#[test]
fn every_solver_reaches_the_interior_point_optimum() {
    for case in problems::cases() {
        let program = case.program();
        let raw = Raw::of(&program);
        let optimum = reference::optimum(&raw);
        for solver in [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg] {
            let settings = Settings {
                solver,
                gap_relative: 1e-7,
                violation: Some(1e-7),
                max_iterations: 100_000,
                keep_dual: true,
                ..Settings::default()
            };
            let mut bounds = Vec::new();
            let t = std::time::Instant::now();
            let solution = program
                .solve(&settings, &mut |iteration| {
                    bounds.push(iteration.lower_bound);
                    ControlFlow::Continue(())
                })
                .expect("solved");
            println!("{case:?} {solver:?} {} its {} obj {} opt {optimum} viol {:.1e} gap {:.1e} {:?}", solution.status, solution.history.len(), solution.certificate.objective, solution.certificate.violation, solution.certificate.gap, t.elapsed());
            raw.verify(&solution);
            assert_eq!(solution.status, Status::Solved, "{case:?} {solver:?}");
            let error = (solution.certificate.objective - optimum).abs() / optimum;
            assert!(error <= 1e-6, "{case:?} {solver:?}: {error:e}");
            for bound in bounds {
                assert!(bound <= optimum * (1.0 + 1e-9), "{bound} > {optimum}");
            }
        }
    }
}
