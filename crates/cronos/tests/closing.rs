//! Where all groups share their matrices, a run ends by closing the cones with a larger ρ.

mod problems;
mod reference;
mod verify;

use cronos::{Iteration, Program, Settings, Solver, Status};
use problems::SHARED;
use std::ops::ControlFlow;
use verify::Raw;

fn settings() -> Settings {
    Settings {
        solver: Solver::SamplePcg,
        gap_relative: 1e-4,
        keep_dual: true,
        ..Settings::default()
    }
}

/// Iterations after which ρ was far larger.
fn jumps(history: &[Iteration]) -> Vec<usize> {
    let pairs = history.windows(2);
    let far = pairs.filter(|pair| pair[1].rho > 10.0 * pair[0].rho);
    far.map(|pair| pair[0].number).collect()
}

#[test]
fn it_comes_once_and_ends_at_the_optimum() {
    let program = SHARED.program();
    let observe = &mut |_: &Iteration| ControlFlow::Continue(());
    let solution = program.solve(&settings(), observe).expect("a run");
    Raw::of(&program).verify(&solution);
    assert_eq!(solution.status, Status::Solved);
    let optimum = reference::optimum(&Raw::of(&program));
    let certificate = solution.certificate;
    assert!(certificate.lower_bound <= optimum * (1.0 + 1e-9));
    assert!((certificate.objective - optimum).abs() <= 1e-4 * optimum);

    let [jump] = jumps(&solution.history)[..] else {
        panic!("{:?}", jumps(&solution.history));
    };
    let checked = |record: &&Iteration| record.number >= jump && record.certificate.is_some();
    let violations: Vec<f64> = (solution.history.iter().filter(checked))
        .filter_map(|record| Some(record.certificate?.violation))
        .collect();
    assert!(violations.len() > 1 && violations.len() < 6);
    assert!(violations[0] > 1e-5 && violations[violations.len() - 1] <= 1e-5);
    // the bound was near by then
    let before = solution.history[jump - 1].lower_bound;
    assert!((optimum - before) / optimum <= 1e-4, "{before} {optimum}");
}

/// ρ goes back before the next penalty.
#[test]
fn the_next_penalty_begins_without_it() {
    let program = SHARED.program();
    let mut rhos = Vec::new();
    let betas = [1.0, 0.5];
    let observe = &mut |_: &Iteration| ControlFlow::Continue(());
    program
        .solve_path(&betas, &settings(), observe, &mut |beta, solution| {
            assert_eq!(solution.status, Status::Solved);
            let raw = Raw::of(&Program {
                beta,
                ..SHARED.program()
            });
            raw.verify(&solution);
            let ends = [0, solution.history.len() - 1].map(|at| solution.history[at].rho);
            rhos.push((jumps(&solution.history).len(), ends));
            ControlFlow::Continue(())
        })
        .expect("a path");
    let [(1, [_, end]), (_, [begin, _])] = rhos[..] else {
        panic!("{rhos:?}");
    };
    let expected = end / 16.0 * betas[1] / betas[0];
    assert!((begin - expected).abs() <= 1e-9 * expected, "{rhos:?}");
}
