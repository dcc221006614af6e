//! One run for many penalties gives what a run for each would.

mod problems;
mod verify;

use cronos::{
    Activation, Classifier, GateSource, Grid, Iteration, Loss, Matrix, Observer, Options, Program,
    Regressor, SearchStep, Settings, Solution, Solver, Status,
};
use std::ops::ControlFlow;
use verify::Raw;

const GRID: Grid = Grid {
    steps: 6,
    smallest: 5e-2,
};

fn settings(solver: Solver) -> Settings {
    Settings {
        solver,
        gap_relative: 1e-3,
        max_iterations: 20_000,
        keep_dual: true,
        ..Settings::default()
    }
}

fn go_on(_: &Iteration) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn follow(program: &Program<f64>, betas: &[f64], settings: &Settings) -> Vec<(f64, Solution)> {
    let mut found = Vec::new();
    program
        .solve_path(betas, settings, &mut go_on, &mut |beta, solution| {
            found.push((beta, solution));
            ControlFlow::Continue(())
        })
        .expect("a path");
    found
}

/// Every point is verified from raw data and agrees with a run of its own, and
/// the path takes fewer iterations than those runs together.
#[test]
fn a_path_is_many_runs_in_fewer_iterations() {
    let (mut warm_iterations, mut cold_iterations) = (0, 0);
    let (relu, gated) = (Activation::Relu, Activation::Gated);
    for (activation, solver, loss) in [
        (relu, Solver::Direct, Loss::Squared),
        (relu, Solver::Direct, Loss::Logistic),
        (relu, Solver::Direct, Loss::Softmax),
        (relu, Solver::PrimalPcg, Loss::Squared),
        (gated, Solver::SamplePcg, Loss::Squared),
        (gated, Solver::SamplePcg, Loss::Logistic),
        (gated, Solver::SamplePcg, Loss::Softmax),
    ] {
        let case = problems::Case {
            n: 60,
            d: 6,
            outputs: 1,
            gates: 8,
            beta: f64::NAN,
            activation,
            quirk: problems::Quirk::None,
            seed: 9,
        };
        let program = Program {
            beta: 0.0,
            ..case.with_loss(loss, true)
        };
        let what = format!("{activation:?} {solver:?} {loss:?}");
        let settings = settings(solver);
        let betas = GRID.betas(program.smallest_zero_beta());
        let path = follow(&program, &betas, &settings);
        assert_eq!(path.len(), betas.len(), "{what}");
        for (beta, warm) in path {
            let own = Program {
                beta,
                ..program.clone()
            };
            let cold = own.solve(&settings, &mut go_on).expect("a run");
            Raw::of(&own).verify(&warm);
            assert_eq!(warm.status, Status::Solved, "{what} {beta}");
            assert_eq!(cold.status, Status::Solved, "{what} {beta}");
            // both hold the same optimum between their bound and their objective
            let (w, c) = (warm.certificate, cold.certificate);
            let low = w.lower_bound.max(c.lower_bound);
            for objective in [w.objective, c.objective] {
                let off = (objective - low).abs() / objective;
                assert!(off <= 2e-3, "{what} {beta}: {off:e}");
            }
            warm_iterations += warm.history.len();
            cold_iterations += cold.history.len();
        }
    }
    assert!(
        warm_iterations < cold_iterations,
        "{warm_iterations} warm, {cold_iterations} cold"
    );
}

fn shapes() -> (Matrix<f64>, Vec<&'static str>) {
    let x = Matrix::from_fn(90, 4, |i, j| ((7 * i + 13 * j + i * j) as f64).sin());
    let labels = (0..90)
        .map(|i| match x.at(i, 0) * x.at(i, 1) > 0.0 {
            true => "same",
            false => "different",
        })
        .collect();
    (x, labels)
}

fn sampled() -> Options {
    Options {
        gates: GateSource::Sampled(10),
        ..Options::default()
    }
}

#[test]
fn a_path_begins_with_nothing_and_is_the_same_again() {
    let (x, labels) = shapes();
    let classifier = Classifier { options: sampled() };
    let follow = || {
        classifier
            .path(&x, &labels, None, &GRID, &())
            .expect("a path")
    };
    let (classes, path) = follow();
    assert_eq!(classes, ["different", "same"]);
    assert_eq!(path.status, Status::Solved);
    assert_eq!(path.points.len(), 6);
    assert_eq!(path.points[0].network.neurons(), 0);
    assert!(path.points[5].network.neurons() > 0);
    for (k, point) in path.points.iter().enumerate() {
        let beta = path.zero_beta * 5e-2f64.powf(k as f64 / 5.0);
        assert!((point.beta - beta).abs() <= 1e-12 * beta);
        assert!(point.certificate.gap <= 1e-2);
        assert!(point.certificate.violation <= 1e-3);
    }
    let objectives = path.points.iter().map(|point| point.certificate.objective);
    assert!(objectives.is_sorted_by(|a, b| a > b));
    let (_, again) = follow();
    for (a, b) in path.points.iter().zip(&again.points) {
        assert_eq!(a.network, b.network);
        assert_eq!(a.iterations, b.iterations);
        assert_eq!(a.certificate, b.certificate);
    }
}

/// A penalty means the same on a path as in a fit of its own.
#[test]
fn a_point_is_the_fit_for_its_penalty() {
    let (x, labels) = shapes();
    let classifier = Classifier { options: sampled() };
    let (_, path) = classifier
        .path(&x, &labels, None, &GRID, &())
        .expect("a path");
    for point in path.points {
        let options = Options {
            beta: Some(point.beta),
            ..sampled()
        };
        let own = Classifier { options }
            .fit(&x, &labels)
            .expect("a fit")
            .fitted;
        let off = (own.certificate.objective - point.certificate.objective).abs();
        assert!(off <= 2e-2 * own.certificate.objective, "{off}");
        assert!(own.certificate.lower_bound <= point.certificate.objective * (1.0 + 1e-3));
        assert!(point.certificate.lower_bound <= own.certificate.objective * (1.0 + 1e-3));
    }
}

struct StopAfter(usize);

impl Observer for StopAfter {
    fn search(&self, step: &SearchStep) -> ControlFlow<()> {
        match step.done == self.0 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn points_that_were_done_are_kept() {
    let (x, _) = shapes();
    let y = Matrix::from_fn(90, 1, |i, _| 5.0 + 3.0 * x.at(i, 0).abs());
    let regressor = Regressor { options: sampled() };
    let stopped = (regressor.path(&x, &y, None, &GRID, &StopAfter(3))).expect("a path");
    assert_eq!(stopped.status, Status::Interrupted);
    let whole = (regressor.path(&x, &y, None, &GRID, &StopAfter(6))).expect("a path");
    assert_eq!(whole.status, Status::Solved);
    assert_eq!((stopped.points.len(), whole.points.len()), (3, 6));
    for (a, b) in stopped.points.iter().zip(&whole.points) {
        assert_eq!(a.network, b.network);
    }
    // the zero network predicts the mean
    let outputs = whole.points[0].network.predict(&x).expect("predictions");
    let mean = y.values().iter().sum::<f64>() / 90.0;
    assert!(
        outputs
            .values()
            .iter()
            .all(|out| (out - mean).abs() <= 1e-9)
    );
}

#[test]
fn what_makes_no_path_is_refused() {
    let (x, labels) = shapes();
    let refused = |grid: Grid, options: Options| {
        let classifier = Classifier { options };
        let made = classifier.path(&x, &labels, None, &grid, &());
        made.expect_err("a refusal").to_string()
    };
    assert_eq!(
        refused(Grid { steps: 1, ..GRID }, sampled()),
        "steps is 1; it must be at least 2"
    );
    let smallest = |smallest| refused(Grid { smallest, ..GRID }, sampled());
    assert_eq!(
        smallest(1.0),
        "smallest is 1; it must be greater than 0 and less than 1"
    );
    assert_eq!(
        smallest(f64::NAN),
        "smallest is NaN; it must be greater than 0 and less than 1"
    );
    assert_eq!(
        refused(GRID, Options::default()),
        "gates is learned; it must be sampled or given for a convex program"
    );
    let classifier = Classifier { options: sampled() };
    let none = classifier.path(&x, &labels, Some(&[0.0; 90]), &GRID, &());
    assert_eq!(
        none.expect_err("a refusal").to_string(),
        "the training data has 0 row(s); at least 2 are needed"
    );
    let y = Matrix::from_fn(90, 1, |_, _| 0.0);
    let constant = (Regressor { options: sampled() }).path(&x, &y, None, &GRID, &());
    assert!(
        constant
            .expect_err("a refusal")
            .to_string()
            .contains("there is no path"),
    );
}
