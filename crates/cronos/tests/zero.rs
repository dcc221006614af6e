//! The smallest penalty that leaves nothing, held against an interior-point optimum.

mod problems;
mod reference;
mod verify;

use cronos::Program;
use verify::Raw;

fn with_beta(program: &Program<f64>, beta: f64) -> Raw {
    Raw {
        beta,
        ..Raw::of(program)
    }
}

/// Above it nothing beats zero. Below it some feasible point does, which is found
/// on a ray through an optimum for a penalty that is no larger.
#[test]
fn zero_is_optimal_above_it_and_not_below() {
    for loss in problems::LOSSES {
        for (number, case) in problems::cases().into_iter().enumerate().step_by(5) {
            let program = case.with_loss(loss, number % 2 == 0);
            let what = format!("{loss:?} {case:?}");
            let exact = program.smallest_zero_beta();
            assert!(exact <= program.zero_beta() * (1.0 + 1e-12), "{what}");

            let above = with_beta(&program, exact * (1.0 + 1e-6));
            let nothing = vec![0.0; above.groups() * above.outputs() * above.d()];
            let zero = above.worth(&nothing).objective;
            let gain = zero - reference::optimum(&above);
            assert!(gain.abs() <= 1e-7 * zero, "{what}: {gain:e} of {zero}");

            let below = with_beta(&program, exact * (1.0 - 1e-3));
            let lowest = [1e-2, 2e-3, 1e-3]
                .into_iter()
                .flat_map(|less| {
                    let inside = reference::weights(&with_beta(&program, exact * (1.0 - less)));
                    let worth = |power| {
                        let short = inside.iter().map(|w| w * 0.3f64.powi(power));
                        below.worth(&short.collect::<Vec<f64>>()).objective
                    };
                    (0..6).map(worth).collect::<Vec<f64>>()
                })
                .fold(f64::INFINITY, f64::min);
            assert!(lowest < zero, "{what}: {lowest} against {zero}");
        }
    }
}

/// With cones the bound without them is often far too large.
#[test]
fn cones_make_a_difference() {
    let case = problems::cases()
        .into_iter()
        .find(|case| case.seed == 36)
        .expect("a case");
    let program = case.program();
    assert!(program.smallest_zero_beta() < 0.7 * program.zero_beta());
}

/// Rows enough for the search among all of them to come back several times.
#[test]
fn many_rows_and_features() {
    let case = problems::Case {
        n: 700,
        d: 40,
        outputs: 2,
        gates: 12,
        beta: 1.0,
        activation: cronos::Activation::Relu,
        quirk: problems::Quirk::DuplicatedRows,
        seed: 5,
    };
    let program = case.program();
    let exact = program.smallest_zero_beta();
    let solved = |beta: f64| {
        let solution = Program {
            beta,
            ..program.clone()
        }
        .solve(
            &cronos::Settings {
                gap_relative: 1e-7,
                violation: Some(1e-9),
                max_iterations: 3000,
                ..cronos::Settings::default()
            },
            &mut |_| std::ops::ControlFlow::Continue(()),
        )
        .expect("solved");
        solution.certificate
    };
    let zero = 0.5 * program.y.values().iter().map(|y| y * y).sum::<f64>();
    // a bound that reaches the objective of zero proves that zero is optimal
    let above = solved(exact * (1.0 + 1e-3));
    assert!(above.lower_bound >= zero * (1.0 - 1e-6), "{above:?} {zero}");
    let below = solved(exact * 0.97);
    assert!(below.objective < zero, "{below:?} {zero}");
    assert!(below.violation <= 1e-6, "{below:?}");
}
