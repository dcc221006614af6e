//! Tests a device against the processor and prints two tables: right or not, then how fast.
//!
//! ```console
//! $ cargo run --release -p cronos --example devices --features gpu          # the first card
//! $ cargo run --release -p cronos --example devices --features cuda -- cuda:1
//! $ cargo run --release -p cronos --example devices -- --expected           # what a card should take
//! ```
//!
//! `--quick` measures the smallest shape only.

mod cost;
#[allow(dead_code)]
mod power_law;

use cost::{PASSES, Shape, iteration, seconds};
use cronos::{Loss, Place, Program, Settings, Solution, Solver};
use power_law::{iteration_seconds, mean_inner, problem};
use std::ops::ControlFlow;

/// Those of the benchmark of an iteration.
const SHAPES: [Shape; 4] = [
    shape(2_000, 768, 64, 1),
    shape(10_000, 3_073, 10, 1),
    shape(10_000, 785, 32, 10),
    shape(60_000, 785, 32, 10),
];
/// Rows above which the `n x n` matrix of `direct` is too large.
const MOST_DIRECT: usize = 20_000;
const ITERATIONS: usize = 10;

/// Single-precision operations and bytes a second, as their makers state them.
const CARDS: [(&str, f64, f64); 2] = [
    ("RTX 4090", 82.6e12, 1008e9),
    ("A100, 80 GB", 19.5e12, 2039e9),
];
/// The share of the operations that large matrix products reach.
const REACHED: f64 = 0.6;
/// Inner iterations, or so.
const INNER: f64 = 9.0;

const fn shape(n: usize, d: usize, gates: usize, outputs: usize) -> Shape {
    Shape {
        n,
        d,
        gates,
        outputs,
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--expected") {
        return expected();
    }
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let named = arguments
        .iter()
        .find(|argument| !argument.starts_with("--"));
    let place = Place::named(named.map_or("gpu", String::as_str)).and_then(|place| {
        let checked = place.check().map(|()| place);
        checked.map_err(|why| why.to_string())
    });
    let place = match place {
        Ok(place) => place,
        Err(why) => {
            eprintln!("{why}");
            std::process::exit(1);
        }
    };
    for found in place.found() {
        println!("{}: {}", found.place, found.name);
    }
    if !right(place) {
        std::process::exit(1);
    }
    times(place, if quick { &SHAPES[..1] } else { &SHAPES });
}

fn solve(program: &Program<f32>, settings: &Settings) -> Option<Solution> {
    let solved = program.solve(settings, &mut |_| ControlFlow::Continue(()));
    solved.map_err(|why| eprintln!("{why}")).ok()
}

/// Small programs there and here.
fn right(place: Place) -> bool {
    println!("\n| loss | solver | status | objective | iterations | here | difference | right |");
    println!("|---|---|---|--:|--:|--:|--:|---|");
    let mut all = true;
    for loss in [Loss::Squared, Loss::Huber { delta: 0.5 }] {
        for solver in [Solver::Direct, Solver::SamplePcg, Solver::PrimalPcg] {
            let program = Program {
                loss,
                beta: 0.5,
                ..problem(300, 20, 8, 2)
            };
            let settings = |place| Settings {
                solver,
                place,
                max_iterations: 400,
                ..Settings::default()
            };
            let [here, there] = [Place::Cpu, place].map(|place| solve(&program, &settings(place)));
            let (Some(here), Some(there)) = (here, there) else {
                all = false;
                continue;
            };
            let [a, b] = [&here, &there].map(|solution| solution.certificate.objective);
            let difference = (a - b).abs() / a.abs();
            let [k, l] = [&here, &there].map(|solution| solution.history.len());
            let near = (k as f64 - l as f64).abs() <= (0.05 * k as f64).max(10.0);
            let right = here.status == there.status && difference <= 1e-4 && near;
            all &= right;
            println!(
                "| {} | {} | {} | {b:.5} | {l} | {k} | {difference:.1e} | {} |",
                loss.name(),
                solver.name(),
                there.status.name(),
                if right { "yes" } else { "NO" }
            );
        }
    }
    all
}

/// Milliseconds of an iteration there and here.
fn times(place: Place, shapes: &[Shape]) {
    println!("\n| n | d | P | C | solver | inner | {place}, ms | cpu, ms | faster by |");
    println!("|--:|--:|--:|--:|---|--:|--:|--:|--:|");
    for &Shape {
        n,
        d,
        gates,
        outputs,
    } in shapes
    {
        let program = problem(n, d, gates, outputs);
        for solver in [Solver::Direct, Solver::SamplePcg] {
            if solver == Solver::Direct && n > MOST_DIRECT {
                continue;
            }
            let settings = |place| Settings {
                solver,
                place,
                max_iterations: ITERATIONS,
                check_every: 2 * ITERATIONS,
                gap_relative: 0.0,
                ..Settings::default()
            };
            let [here, there] = [Place::Cpu, place].map(|place| solve(&program, &settings(place)));
            let (Some(here), Some(there)) = (here, there) else {
                continue;
            };
            let [here_ms, there_ms] =
                [&here, &there].map(|solution| 1e3 * iteration_seconds(solution));
            println!(
                "| {n} | {d} | {gates} | {outputs} | {} | {:.1} | {there_ms:.2} | {here_ms:.2} | {:.1} |",
                solver.name(),
                mean_inner(&there),
                here_ms / there_ms
            );
        }
    }
}

/// What cards should take, by their rates.
fn expected() {
    println!(
        "| n | d | P | C | solver | Gflop | MB, operations fused or not | {} |",
        {
            let names: Vec<String> = CARDS.iter().map(|card| format!("{}, ms", card.0)).collect();
            names.join(" | ")
        }
    );
    println!("|--:|--:|--:|--:|---|--:|--:|--:|--:|");
    for shape in SHAPES {
        for inner in [None, Some(INNER)] {
            if inner.is_none() && shape.n > MOST_DIRECT {
                continue;
            }
            let [unfused, fused] = PASSES.map(|passes| iteration(shape, inner, passes));
            let cards: Vec<String> = (CARDS.iter())
                .map(|&(_, operations, bytes)| {
                    let [slow, fast] = [unfused, fused]
                        .map(|cost| 1e3 * seconds(cost, REACHED * operations, bytes));
                    format!("{fast:.2} to {slow:.2}")
                })
                .collect();
            println!(
                "| {} | {} | {} | {} | {} | {:.1} | {:.0} to {:.0} | {} |",
                shape.n,
                shape.d,
                shape.gates,
                shape.outputs,
                if inner.is_none() {
                    "direct"
                } else {
                    "sample-pcg"
                },
                1e-9 * fused.operations,
                1e-6 * fused.bytes,
                1e-6 * unfused.bytes,
                cards.join(" | ")
            );
        }
    }
}
