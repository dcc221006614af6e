//! Certificates of points that come from anywhere, and runs that start where another ended.

mod problems;
mod reference;
mod verify;

use cronos::admm::Warm;
use cronos::{Program, Settings, Solution, Status};
use std::ops::ControlFlow;
use verify::{Raw, same};

/// The numbers are those of plain loops, the bound is below the optimum everywhere, and at the
/// solution of an interior-point method it is the optimum.
#[test]
fn a_point_from_anywhere_has_a_certificate() {
    for case in problems::cases() {
        let program = case.program();
        let raw = Raw::of(&program);
        let solved = reference::weights(&raw);
        let optimum = raw.worth(&solved).objective;
        let shrunk: Vec<f64> = solved.iter().map(|weight| 0.7 * weight).collect();
        let swapped: Vec<f64> = solved.iter().rev().copied().collect();
        for (weights, near) in [(&solved, true), (&shrunk, false), (&swapped, false)] {
            let found = program.certify(weights).expect("finite weights");
            let worth = raw.worth(weights);
            same(
                "objective",
                found.objective,
                worth.objective,
                worth.objective,
            );
            same("violation", found.violation, worth.violation, 1.0);
            let (bound, what) = (found.lower_bound, format!("{case:?}"));
            assert!(
                bound <= optimum * (1.0 + 1e-6),
                "{what}: {bound} > {optimum}"
            );
            if near {
                // the interior point is a solution to about eight digits, its slope to four
                assert!(
                    bound >= optimum * (1.0 - 1e-3),
                    "{what}: {bound} < {optimum}"
                );
            }
        }
    }
}

#[test]
fn weights_of_another_shape_are_refused() {
    let program = problems::cases()[0].program();
    let few = program.certify(&[1.0]).unwrap_err().to_string();
    assert!(few.contains("groups of"), "{few}");
    let mut weights = vec![0.0; program.groups() * program.x.columns()];
    weights[3] = f64::NAN;
    let wrong = program.certify(&weights).unwrap_err().to_string();
    assert!(wrong.contains("weights"), "{wrong}");
}

fn solve(program: &Program<f64>, warm: &mut Option<Warm<f64>>) -> Solution {
    let settings = Settings {
        gap_relative: 1e-5,
        keep_dual: true,
        ..Settings::default()
    };
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    let solution = program.solve_warm(&settings, warm, go_on).expect("solved");
    assert_eq!(solution.status, Status::Solved);
    Raw::of(program).verify(&solution);
    solution
}

#[test]
fn a_run_goes_on_where_another_ended() {
    // at least as many rows as features, else nothing is left behind
    for case in problems::cases().iter().filter(|case| case.n > case.d) {
        let mut program = case.program();
        let mut warm = None;
        let cold = solve(&program, &mut warm);
        assert!(warm.is_some(), "{case:?}");
        let again = solve(&program, &mut warm);
        assert!(
            again.history.len() <= 20,
            "{case:?}: {}",
            again.history.len()
        );
        // another penalty, from the state of the first
        program.beta *= 0.9;
        let warm = solve(&program, &mut warm).certificate;
        let fresh = solve(&program, &mut None).certificate;
        let scale = 2e-5 * fresh.objective;
        assert!(
            (warm.objective - fresh.objective).abs() <= scale,
            "{case:?}"
        );
        assert!(warm.objective < cold.certificate.objective, "{case:?}");
    }
}
