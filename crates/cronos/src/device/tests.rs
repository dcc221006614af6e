//! What crosses between processor and device.

use super::Card;
use super::link::Link;
use super::loss;
use crate::admm::{Groups, Iteration, Machine, MachineStart, Settings, Split};
use crate::engine::{Engine, SweepStep};
use crate::gates::Gates;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::nystrom::Rank;
use crate::place::Place;
use crate::program::{Activation, Program};
use crate::solver::{Build, Solver};
use std::ops::ControlFlow;

fn wave(at: usize) -> f32 {
    (at as f32 * 0.7 + (at * at % 97) as f32).sin()
}

/// Bytes that go there and back in an iteration, and its inner iterations.
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
                let most = 4 * ((12 + 12) * blocks + 6 + 2 + inner);
                assert!(fetched <= most, "{what}");
            }
        }
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
