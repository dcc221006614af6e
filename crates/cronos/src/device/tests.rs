//! What crosses between processor and device.

use super::link::Link;
use super::loss;
use super::resident::BITS;
use super::{Card, Resident, There};
use crate::admm::{Groups, Iteration, Machine, MachineStart, Point, Settings, Split};
use crate::blocks::Blocks;
use crate::engine::{Engine, Multipliers, SweepStep};
use crate::gates::Gates;
use crate::head::{Ground, Head, HeadGates, HeadOptions};
use crate::learn::{Hidden, Landscape, Objective, Patience};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::nystrom::Rank;
use crate::place::Place;
use crate::program::{Activation, Program};
use crate::solver::{Build, Kappa, Solver};
use crate::team::Team;
use burn::tensor::Tensor;
use std::ops::ControlFlow;
use std::sync::Arc;

fn wave(at: usize) -> f32 {
    (at as f32 * 0.7 + (at * at % 97) as f32).sin()
}

/// Bytes that go there and back in an iteration and a look at what it is worth, and its inner
/// iterations.
fn traffic(n: usize, solver: Solver, loss: Loss) -> ([u64; 2], u64) {
    let outputs = 2;
    let x = Matrix::from_fn(n, 5, |i, j| wave(i * 5 + j));
    let y = Matrix::from_fn(n, outputs, |i, c| wave(3 * i + c).signum());
    let gates = Gates::sample(&x, 4, 1).unwrap();
    let engine = Engine::new(&x, &gates, Activation::Relu);
    let paper = solver == Solver::PrimalPcg;
    let step = SweepStep {
        loss,
        split: if paper { Split::Paper } else { Split::Loss },
        rho: 0.3,
        weight: 0.5,
        relaxation: 1.6,
    };
    let groups = Groups {
        size: 5,
        threshold: 0.1,
        stiffness: vec![1.0; 8 * outputs],
    };
    let start = MachineStart {
        engine,
        y: &y,
        solver,
        build: Build {
            outputs,
            weight: step.weight,
            kappa: Kappa::Given(1.0),
            rank: Rank::Fixed(4),
            seed: 1,
            most_inner: 50,
        },
        step: &step,
        groups: &groups,
        rank: 4,
        limit: None,
        stiff: None,
    };
    let device = Place::Flex.open().unwrap().unwrap();
    let mut card = Card::new(device, start).unwrap();
    card.rescale_groups(&groups, &groups);
    card.refresh(&step);
    let before = card.bytes();
    let inner = card.solve(1e-4) as u64;
    card.shrink(&groups, step.relaxation);
    let sums = card.sweep(&step);
    assert!(sums.loss.is_finite());
    let worth = card.estimate(Point::Shrunk, &step, 0.1).unwrap();
    assert!(worth.objective.is_finite());
    let sets = if loss.couples_outputs() { 1 } else { outputs };
    card.estimate_bounds(&step, 0.1, &vec![0.0; sets]).unwrap();
    let after = card.bytes();
    ([after[0] - before[0], after[1] - before[1]], inner)
}

/// Rows in several blocks give what the processor gives.
#[test]
fn blocks_add_up() {
    let n = 700;
    let x = Matrix::from_fn(n, 5, |i, j| wave(i * 5 + j));
    let y = Matrix::from_fn(n, 2, |i, c| wave(3 * i + c));
    for activation in [Activation::Relu, Activation::Gated] {
        for solver in [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg] {
            let program = Program {
                gates: Gates::sample(&x, 4, 1).unwrap(),
                x: x.clone(),
                y: y.clone(),
                beta: 2.0,
                activation,
                loss: Loss::Squared,
                weights: Some((0..n).map(|i| 0.5 + (i % 3) as f64).collect()),
            };
            let solve = |place, limit| {
                let settings = Settings {
                    solver,
                    place,
                    device_memory_bytes: limit,
                    max_iterations: 200,
                    ..Settings::default()
                };
                let go_on = &mut |_: &Iteration| ControlFlow::Continue(());
                program.solve(&settings, go_on).unwrap()
            };
            let [here, there] = [Place::Cpu, Place::Flex].map(|place| solve(place, None));
            let [a, b] = [&here, &there].map(|solution| solution.certificate.objective);
            assert!(
                (a - b).abs() <= 1e-5 * a,
                "{solver:?} {activation:?}: {a} {b}"
            );
            assert_eq!(here.status, there.status);
            // some of the blocks stay there, the others are sent
            let planned = there.residence.unwrap().planned_bytes;
            let sent = solve(Place::Flex, Some(planned - 6000));
            let streamed = sent.residence.unwrap().streamed_rows;
            assert!(streamed > 0 && streamed < n, "{streamed}");
            assert_eq!(sent.weights, there.weights);
        }
    }
}

/// Nothing goes there, and what comes back is a few sums for each block, which are very small here.
#[test]
fn an_iteration_moves_a_few_numbers() {
    for solver in [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg] {
        for loss in [Loss::Squared, Loss::Logistic, Loss::Softmax] {
            for n in [60, 1200] {
                let ([sent, fetched], inner) = traffic(n, solver, loss);
                let what = format!("{solver:?} {loss:?} {n}: {sent} {fetched} in {inner}");
                assert_eq!(sent, 0, "{what}");
                // 12 sums of each block and two at every tenth step of its prox; 6 of the groups;
                // one for each inner iteration and two before them
                let blocks = (n as u64).div_ceil((1 << 11) / 16);
                let step = (12 + 12) * blocks + 6 + 2 + inner;
                // 4 of each block and a norm; of each output the largest group, its reach and a
                // bisection
                let worth = 4 * blocks + 1 + 2 * (1 + 1 + 21);
                let most = 4 * (step + worth);
                assert!(fetched <= most, "{what}");
            }
        }
    }
}

/// What a device says of its state is what the processor computes of it.
#[test]
fn estimates_are_near() {
    let (n, d, outputs) = (300, 5, 3);
    let x = Matrix::from_fn(n, d, |i, j| wave(i * 5 + j));
    let roots: Vec<f32> = (0..n).map(|i| 0.5 + (i % 3) as f32).collect();
    let weighted = Matrix::from_fn(n, d, |i, j| roots[i] * x.at(i, j));
    let gates = Gates::sample(&x, 4, 1).unwrap();
    let losses = [
        Loss::Squared,
        Loss::Logistic,
        Loss::Softmax,
        Loss::Huber { delta: 0.4 },
        Loss::SquaredHinge,
        Loss::Quantile { level: 0.3 },
    ];
    for loss in losses {
        let y = Matrix::from_fn(n, outputs, |i, c| match loss {
            Loss::Logistic | Loss::SquaredHinge => wave(3 * i + c).signum(),
            Loss::Softmax => {
                let own = if i % outputs == c { 0.7 } else { 0.0 };
                own + 0.1
            }
            _ => wave(3 * i + c),
        });
        for activation in [Activation::Relu, Activation::Gated] {
            for roots in [None, Some(&roots[..])] {
                let step = SweepStep {
                    loss,
                    split: Split::Loss,
                    rho: 0.3,
                    weight: 0.5,
                    relaxation: 1.6,
                };
                let k = activation.signs() * 4 * outputs;
                let groups = Groups {
                    size: d,
                    threshold: 0.2,
                    stiffness: vec![1.0; k],
                };
                let x = if roots.is_some() { &weighted } else { &x };
                let engine = || Engine::new(x, &gates, activation).weighted(roots);
                let start = MachineStart {
                    engine: engine(),
                    y: &y,
                    solver: Solver::Direct,
                    build: Build {
                        outputs,
                        weight: step.weight,
                        kappa: Kappa::Given(1.0),
                        rank: Rank::Fixed(4),
                        seed: 1,
                        most_inner: 50,
                    },
                    step: &step,
                    groups: &groups,
                    rank: 4,
                    limit: None,
                    stiff: None,
                };
                let device = Place::Flex.open().unwrap().unwrap();
                let mut card = Card::new(device, start).unwrap();
                card.rescale_groups(&groups, &groups);
                card.refresh(&step);
                let sets = if loss.couples_outputs() { 1 } else { outputs };
                let mut best = vec![0.0; sets];
                for iteration in 1..=30 {
                    card.solve(1e-6);
                    card.shrink(&groups, step.relaxation);
                    card.sweep(&step);
                    if iteration % 10 > 0 {
                        continue;
                    }
                    if iteration == 20 {
                        card.stiffen_rows(2.0, 0.5);
                    }
                    let what = format!("{loss:?} {activation:?} {}", roots.is_some());
                    let bounds = card.estimate_bounds(&step, 0.06, &best).unwrap();
                    for (set, bound) in bounds.into_iter().enumerate() {
                        best[set] = f64::max(best[set], bound);
                        let own = outputs / sets;
                        let range = set * own..(set + 1) * own;
                        let exact = card.lower_bound(&step, 0.06, range).value;
                        let near = (best[set] - exact).abs() <= 2e-4 * exact.abs().max(1e-2);
                        assert!(near, "{what}: bound {} {exact}", best[set]);
                    }
                    for which in [Point::Shrunk, Point::Solved] {
                        let there = card.estimate(which, &step, 0.06).unwrap();
                        let point = card.point(which, &groups);
                        let (_, state) = card.leave();
                        let multipliers = Multipliers {
                            state: &state,
                            rho: step.rho,
                        };
                        let here = engine().evaluate(&point, &y, loss, 0.06, Some(multipliers));
                        let pairs = [
                            (there.objective, here.objective),
                            (there.network_objective, here.network_objective),
                            (there.violation, here.violation),
                            (there.held, here.held),
                        ];
                        for (a, b) in pairs {
                            assert!((a - b).abs() <= 1e-5 * b.abs().max(1e-1), "{what}: {a} {b}");
                        }
                    }
                }
                assert!(best.iter().any(|&bound| bound > 0.0), "{loss:?}");
            }
        }
    }
}

/// Numbers that come back when a head descends: sums of each block and dots, never rows.
#[test]
fn a_head_leaves_its_features_where_they_are() {
    let patience = Patience {
        iterations: 3,
        memory: 3,
        window: 3,
        progress: 0.0,
    };
    let fetched = [60, 600].map(|n| {
        let device = Place::Flex.open().unwrap().unwrap();
        let blocks: Vec<Tensor<2>> = (0..n / 30)
            .map(|block| {
                let x = (0..30 * 5).map(|at| wave(block * 150 + at)).collect();
                Link::new(device.clone()).send(x, [30, 5])
            })
            .collect();
        let y = Matrix::from_fn(n, 2, |i, c| wave(3 * i + c));
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        let ground = There::new(&blocks, &y, Some(&weights), Loss::Squared, Place::Flex).unwrap();
        let mut units = Hidden {
            features: 5,
            outputs: 2,
            values: (0..4 * 7).map(wave).collect(),
        };
        let before = ground.value(&units, 0.1);
        let after = ground.descend(&mut units, 0.1, patience);
        assert!(after < before);
        let again = ground.value(&units, 0.1);
        assert!((after - again).abs() <= 1e-5 * after);
        // as the processor has it
        let x = ground.fetched().unwrap();
        let objective = Objective {
            x,
            y: &y,
            weights: Some(&weights),
            loss: Loss::Squared,
            beta: 0.1,
        };
        let here = objective.slope(&units).value;
        assert!((after - here).abs() <= 1e-5 * here, "{after} {here}");
        // without the features that were just fetched
        (ground.bytes()[1] - 4 * (n * 5) as u64, blocks.len() as u64)
    });
    let slopes = 3 * 26 + 4;
    for (bytes, blocks) in fetched {
        let units = 4 * 7;
        assert!(
            bytes <= 4 * (units + slopes * (blocks + 3) + 100),
            "{bytes} of {blocks}"
        );
    }
}

/// Features in blocks of 30 rows, on the device and here.
fn resident(n: usize, d: usize) -> (Vec<Tensor<2>>, Matrix<f32>) {
    let device = Place::Flex.open().unwrap().unwrap();
    let x = Matrix::from_fn(n, d, |i, j| wave(i * d + j).max(0.0));
    let blocks = x.values().chunks(30 * d).map(|block| {
        let rows = block.len() / d;
        Link::new(device.clone()).send(block.to_vec(), [rows, d])
    });
    (blocks.collect(), x)
}

/// The first step, which draws gates and sets ADMM up, and those that redraw them: the same units as
/// on the processor, and far fewer bytes than the features have.
#[test]
fn gates_and_factors_are_made_where_the_features_are() {
    for (n, d) in [(1010, 48), (30, 48)] {
        let (blocks, x) = resident(n, d);
        let y = Matrix::from_fn(n, 2, |i, c| wave(3 * i + c));
        let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        for weights in [None, Some(&weights[..])] {
            for source in [HeadGates::Seed, HeadGates::Redrawn, HeadGates::Learned] {
                let options = HeadOptions {
                    gates: 6,
                    source,
                    ..HeadOptions::default()
                };
                let (mut here, mut there) = (Head::new(options.clone()), Head::new(options));
                for second in [false, true] {
                    let expected = here.step(&x, &y, weights).unwrap();
                    let ground =
                        There::new(&blocks, &y, weights, Loss::Squared, Place::Flex).unwrap();
                    let found = there.step_on(&ground).unwrap();
                    let near = 1e-3 * expected.after;
                    assert!(
                        (found.after - expected.after).abs() <= near,
                        "{n} x {d}, {source:?}: {found:?} {expected:?}"
                    );
                    // with fewer rows than features the processor finds a smaller program
                    let features = 4 * (n * d) as u64;
                    let fetched = ground.bytes()[1];
                    let descends = source == HeadGates::Learned && second;
                    // gates, XᵀX, the sketch of 20 vectors, units and sums; and with fixed gates
                    // where ADMM ended
                    let made = n * 8 / BITS + 3 * d * d + 20 * n + 3 * 24 * d + 500;
                    let ended = match source {
                        HeadGates::Seed => (24 + 8) * n,
                        _ => 0,
                    };
                    let made = 4 * (made + ended) as u64;
                    match n > d {
                        true => assert!(fetched < made, "{source:?}: {fetched} bytes, {made}"),
                        false => assert!(descends || fetched >= features, "{source:?}"),
                    }
                }
            }
        }
    }
}

/// What is asked of features on a device is what the processor finds in them.
#[test]
fn features_on_a_device_are_features() {
    let (n, d) = (1700, 7);
    let (blocks, x) = resident(n, d);
    let link = Arc::new(Link::new(blocks[0].device()));
    let there = Resident::new(&blocks, link);
    let (mut room, mut others) = (Vec::new(), Vec::new());
    for rows in [0..n, 25..31, 29..95, 1699..1700] {
        let expected = Blocks::block(&x, rows.clone(), &mut others);
        assert_eq!(there.block(rows, &mut room), expected);
    }
    assert!(there.check_finite().is_ok());
    let gram = there.gram();
    for j in 0..d {
        for i in j..d {
            let products = (0..n).map(|row| f64::from(x.at(row, i)) * f64::from(x.at(row, j)));
            let exact: f64 = products.sum();
            assert!((gram[(i, j)] - exact).abs() <= 1e-6 * exact);
        }
    }
    let gates = [&there as &dyn Blocks<f32>, &x]
        .map(|x| Gates::sample_shared(x, 20, 3, &Team::default()).unwrap());
    assert_eq!(gates[0].by_row(), gates[1].by_row());
    let roots: Vec<f32> = (0..n).map(|i| 0.5 + (i % 3) as f32).collect();
    let weighted = there.weighted(&roots);
    let expected = 0.5 + (500 % 3) as f32;
    assert_eq!(
        weighted.block(500..501, &mut room)[3],
        expected * x.at(500, 3)
    );

    let mut broken = x.values().to_vec();
    broken[40 * d + 2] = f32::NAN;
    let broken = Link::new(blocks[0].device()).send::<2>(broken, [n, d]);
    let link = Arc::new(Link::new(blocks[0].device()));
    let why = Resident::new(&[broken], link).check_finite();
    let why = why.unwrap_err().to_string();
    assert!(why.contains("row 40, column 2"), "{why}");
}

/// A sum of squares so large that single precision would swallow `κ` is left to the processor.
#[test]
fn what_single_precision_swallows_is_left_to_the_processor() {
    for (scale, made_there) in [(1.0f32, true), (1e4, false)] {
        let (blocks, _) = resident(600, 96);
        let blocks: Vec<Tensor<2>> = (blocks.into_iter())
            .map(|block| block.mul_scalar(scale))
            .collect();
        let y = Matrix::from_fn(600, 1, |i, _| wave(3 * i));
        let ground = There::new(&blocks, &y, None, Loss::Squared, Place::Flex).unwrap();
        let options = HeadOptions {
            gates: 4,
            ..HeadOptions::default()
        };
        let step = Head::new(options).step_on(&ground).unwrap();
        let nothing: f64 = y.values().iter().map(|y| 0.5 * f64::from(y * y)).sum();
        assert!(step.after < 0.9 * nothing, "{} {nothing}", step.after);
        let features = 4 * 600 * 96;
        assert_eq!(ground.bytes()[1] < features, made_there);
    }
}

/// Every loss, its gradient and its prox, as the processor computes them.
#[test]
fn losses_are_those_of_the_processor() {
    let link = Link::new(Place::Flex.open().unwrap().unwrap());
    let (rows, outputs) = (400, 3);
    for loss in [
        Loss::Squared,
        Loss::Logistic,
        Loss::Softmax,
        Loss::Huber { delta: 0.4 },
        Loss::SquaredHinge,
        Loss::Quantile { level: 0.3 },
    ] {
        let y: Vec<f32> = (0..rows * outputs)
            .map(|at| match loss {
                Loss::Logistic | Loss::SquaredHinge => wave(at).signum(),
                Loss::Softmax => f32::from(u8::from(at % outputs == at / outputs % outputs)),
                _ => wave(at),
            })
            .collect();
        for (w, spread) in [(1e-3, 900.0), (5e-3, 300.0), (0.1, 20.0), (3.0, 2.0)] {
            let e: Vec<f32> = (0..rows * outputs)
                .map(|at| spread * wave(at + 7))
                .collect();
            let send = |values: &[f32]| link.send(values.to_vec(), [rows, outputs]);
            let found = link.fetch(loss::prox(loss, send(&e), send(&y), w, &link));
            let mut scratch = vec![0.0; 3 * outputs];
            for (row, found) in found.chunks(outputs).enumerate() {
                let at = row * outputs..(row + 1) * outputs;
                let mut f = vec![0.0f32; outputs];
                loss.prox(&e[at.clone()], &y[at.clone()], w, &mut f, &mut scratch);
                for (a, b) in f.iter().zip(found) {
                    let near = 2e-6 * f64::from(spread) + 2e-6;
                    assert!(
                        f64::from(a - b).abs() <= near,
                        "{loss:?} w = {w}, e = {:?}: {f:?} {found:?}",
                        &e[at.clone()]
                    );
                }
            }
        }
    }
}
