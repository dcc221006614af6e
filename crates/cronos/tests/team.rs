//! Ranks that share the rows of a program find what one finds that has all of them, bit by bit.

mod problems;
mod ranks;

use cronos::{
    Activation, Error, GateSource, Gates, Loss, Matrix, Options, Precision, Program, Real, Rows,
    Settings, Solution, Solver, Status, TargetScaling, Team, fit,
};
use problems::{Case, LOSSES, Quirk, rounded};
use std::ops::ControlFlow;

const ROWS: usize = 1100;

fn case(activation: Activation) -> Case {
    Case {
        n: ROWS,
        d: 7,
        outputs: 2,
        gates: 5,
        beta: 0.8,
        activation,
        quirk: Quirk::None,
        seed: 11,
    }
}

/// The part of a program that a rank has.
fn part<T: Real>(whole: &Program<T>, team: &Team) -> Program<T> {
    let (n, d) = (whole.x.rows(), whole.x.columns());
    let rows: Vec<usize> = team.share(n, d).expect("enough rows").collect();
    let x = whole.x.select(&rows);
    let directions = Matrix::from_fn(d, whole.gates.len(), |i, j| whole.gates.direction(j)[i]);
    Program {
        gates: Gates::from_directions_shared(&x, &directions, team).expect("gates"),
        x,
        y: whole.y.select(&rows),
        weights: (whole.weights.as_ref())
            .map(|weights| rows.iter().map(|&row| weights[row]).collect()),
        ..whole.clone()
    }
}

fn solve<T: Real>(program: &Program<T>, settings: &Settings) -> Solution {
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    program.solve(settings, go_on).expect("a solution")
}

fn bits(solution: &Solution) -> Vec<u64> {
    let certificate = solution.certificate;
    let numbers = [
        certificate.objective,
        certificate.lower_bound,
        certificate.network_objective,
        certificate.violation,
        solution.history.len() as f64,
    ];
    let all = numbers.iter().chain(&solution.weights);
    all.map(|number| number.to_bits()).collect()
}

/// Solves on 1, 2 and 4 ranks, which must agree; returns the one solution.
fn on_ranks<T: Real>(whole: &Program<T>, settings: &Settings) -> Solution {
    let mut first: Option<Solution> = None;
    for count in [1, 2, 4] {
        let solutions = ranks::run(count, |team| {
            let settings = Settings {
                team: team.clone(),
                ..settings.clone()
            };
            solve(&part(whole, &team), &settings)
        });
        for (rank, solution) in solutions.into_iter().enumerate() {
            let first = first.get_or_insert_with(|| solution.clone());
            assert!(
                bits(first) == bits(&solution),
                "rank {rank} of {count} found something else: {:?}, not {:?}",
                solution.certificate,
                first.certificate
            );
        }
    }
    first.expect("there are ranks")
}

/// Every loss, with and without cones and weights, by both solvers that rows can be shared for. What
/// ranks find is as good as what one process finds without them, each by its certificate.
#[test]
fn any_number_of_ranks_finds_the_same() {
    for (at, loss) in LOSSES.into_iter().enumerate() {
        for activation in [Activation::Relu, Activation::Gated] {
            let whole = case(activation).with_loss(loss, at % 2 == 0);
            let settings = Settings {
                solver: Solver::SamplePcg,
                gap_relative: 0.05,
                max_iterations: 600,
                ..Settings::default()
            };
            let shared = on_ranks(&whole, &settings);
            // ADMM is slow on a loss of two lines
            let slow = matches!(loss, Loss::Quantile { .. }) && activation == Activation::Relu;
            if slow {
                continue;
            }
            assert_eq!(shared.status, Status::Solved, "{loss:?} {activation:?}");
            let alone = solve(&whole, &settings);
            let [a, b] = [&shared, &alone].map(|found| found.certificate);
            // the bound of one is a bound on the other, as far as that meets the cones
            for (one, other) in [(a, b), (b, a)] {
                let far = 0.05 * one.objective;
                assert!(
                    one.objective >= other.lower_bound - far,
                    "{loss:?} {activation:?}"
                );
                assert!(
                    (one.objective - other.objective).abs() <= 2.0 * far,
                    "{loss:?} {activation:?}"
                );
            }
        }
    }
}

#[test]
fn the_solver_in_weight_space_too() {
    for loss in [Loss::Squared, Loss::Softmax] {
        let whole = case(Activation::Relu).with_loss(loss, true);
        let settings = Settings {
            solver: Solver::PrimalPcg,
            max_iterations: 30,
            ..Settings::default()
        };
        on_ranks(&whole, &settings);
    }
}

#[test]
fn a_rank_that_is_adaptive_and_single_precision() {
    let whole = case(Activation::Gated).with_loss(Loss::Squared, false);
    let settings = Settings {
        rank: cronos::nystrom::Rank::Adaptive { first: 1, most: 40 },
        ..Settings::default()
    };
    let found = on_ranks(&rounded(&whole), &settings);
    assert_eq!(found.status, Status::Solved);
    assert!(found.rank > Some(1));
}

/// Bytes that ranks send in an iteration grow with `d · P`, not with the rows.
#[test]
fn traffic_does_not_depend_on_the_rows() {
    let bytes = |n: usize, gates: usize| -> u64 {
        let whole = Case {
            n,
            gates,
            outputs: 1,
            ..case(Activation::Relu)
        }
        .program();
        let settings = Settings {
            solver: Solver::SamplePcg,
            rho: Some(0.5),
            adapt_rho: false,
            gap_relative: 0.0,
            check_every: 1000,
            max_inner_iterations: 1,
            ..Settings::default()
        };
        let sent = |iterations: usize| -> u64 {
            let of_ranks = ranks::run(2, |team| {
                let settings = Settings {
                    team: team.clone(),
                    max_iterations: iterations,
                    ..settings.clone()
                };
                let found = solve(&part(&whole, &team), &settings);
                assert!(
                    found
                        .history
                        .iter()
                        .all(|record| record.inner_iterations == 1)
                );
                team.sent()
            });
            of_ranks.iter().sum()
        };
        sent(4) - sent(3)
    };
    // 32 chunks each, of 256, 512 and 1024 rows
    let small = bytes(8192, 4);
    assert_eq!(small, bytes(16_384, 4));
    assert_eq!(small, bytes(32_768, 4));
    let per_gate = (bytes(8192, 8) - small) / 4;
    assert_eq!(bytes(8192, 64) - small, 60 * per_gate);
}

/// The whole way: scaling, gates, penalty, network.
#[test]
fn a_fit_is_the_same_network_on_any_number_of_ranks() {
    let wave = |at: usize| (at as f64 * 0.7 + (at * at % 97) as f64).sin();
    let x = Matrix::from_fn(ROWS, 6, |i, j| match j {
        5 => 3.5, // says nothing
        _ => wave(i * 6 + j) * 10f64.powi(j as i32 - 2) + j as f64,
    });
    let y = Matrix::from_fn(ROWS, 1, |i, _| x.at(i, 0).abs() + x.at(i, 1));
    let sampled = GateSource::Sampled(8);
    let learned = GateSource::Learned { most: Some(8) };
    for (precision, gates) in [
        (Precision::F32, &sampled),
        (Precision::F64, &sampled),
        (Precision::F32, &learned),
    ] {
        let mut first = None;
        for count in [1, 2, 4] {
            let fitted = ranks::run(count, |team| {
                let rows: Vec<usize> = team.share(ROWS, 7).expect("enough rows").collect();
                let (x, y) = (x.select(&rows), y.select(&rows));
                let targets = TargetScaling::shared(&y, None, 7, &team).expect("a scaling");
                let options = Options {
                    gates: gates.clone(),
                    precision,
                    settings: Settings {
                        team,
                        ..Settings::default()
                    },
                    ..Options::default()
                };
                let rows = Rows {
                    x: &x,
                    y: &y,
                    weights: None,
                    labels: None,
                };
                fit(rows, targets, &options, &()).expect("a fit").network
            });
            for network in fitted {
                assert_eq!(network, *first.get_or_insert_with(|| network.clone()));
            }
        }
    }
}

/// A product of two features among many that say nothing: few gates that are drawn can do little with it.
#[test]
fn learned_gates_beat_drawn_ones_on_ranks() {
    let wave = |at: usize| ((at * 7919 + at * at % 97) as f64).sin();
    let x = Matrix::from_fn(3000, 14, |i, j| 2.0 * wave(14 * i + j));
    let y = Matrix::from_fn(3000, 1, |i, _| x.at(i, 0) * x.at(i, 1));
    let objective = |gates: GateSource| {
        let fitted = ranks::run(2, |team| {
            let rows: Vec<usize> = team.share(3000, 15).expect("enough rows").collect();
            let (x, y) = (x.select(&rows), y.select(&rows));
            let options = Options {
                beta: Some(3.0),
                gates: gates.clone(),
                settings: Settings {
                    team,
                    ..Settings::default()
                },
                ..Options::default()
            };
            let rows = Rows {
                x: &x,
                y: &y,
                weights: None,
                labels: None,
            };
            fit(rows, TargetScaling::identity(1), &options, &()).expect("a fit")
        });
        assert_eq!(fitted[0].status, Status::Solved);
        assert_eq!(fitted[0].gates, 8);
        // of the network itself, by its outputs
        let outputs = fitted[0].network.predict(&x).expect("outputs");
        let loss = (0..3000).map(|i| 0.5 * (outputs.at(i, 0) - y.at(i, 0)).powi(2));
        loss.sum::<f64>()
    };
    let learned = objective(GateSource::Learned { most: Some(8) });
    let drawn = objective(GateSource::Sampled(8));
    assert!(learned < 0.5 * drawn, "{learned} {drawn}");
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let few = ranks::run(4, |team| team.share(600, 7));
    for rank in few {
        let why = rank.expect_err("three chunks").to_string();
        assert!(why.contains("start at most 3"), "{why}");
    }
    let whole = case(Activation::Relu).program();
    let direct = ranks::run(2, |team| {
        let settings = Settings {
            solver: Solver::Direct,
            team: team.clone(),
            ..Settings::default()
        };
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        part(&whole, &team).solve(&settings, go_on).map(|_| ())
    });
    for rank in direct {
        assert!(matches!(rank, Err(Error::Setting { name: "solver", .. })));
    }
    // rows that do not begin where a chunk does
    let torn = ranks::run(2, |team| {
        let rows: Vec<usize> = match team.rank() {
            0 => (0..500).collect(),
            _ => (500..ROWS).collect(),
        };
        let program = Program {
            x: whole.x.select(&rows),
            y: whole.y.select(&rows),
            gates: Gates::sample_shared(&whole.x.select(&rows), 3, 0, &team).expect("gates"),
            ..whole.clone()
        };
        let settings = Settings {
            team,
            ..Settings::default()
        };
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        program.solve(&settings, go_on).map(|_| ())
    });
    for rank in torn {
        assert!(matches!(rank, Err(Error::Shape { .. })), "{rank:?}");
    }
}

#[test]
fn an_error_of_one_is_known_to_all() {
    let found = ranks::run(3, |team| {
        let own = match team.rank() {
            1 => Err(Error::Data("row 7 is damaged".into())),
            rank => Ok(rank),
        };
        team.agree(own)
    });
    assert_eq!(found[1], Err(Error::Data("row 7 is damaged".into())));
    for rank in [0, 2] {
        let why = found[rank].as_ref().expect_err("told").to_string();
        assert_eq!(why, "rank 1: row 7 is damaged");
    }
}
