//! Seconds to a certified gap of 1e-2, 1e-3 and 1e-6 (cones met to a tenth of
//! that): ADMM as it is by default, against plain ADMM with each of a grid of
//! fixed ρ, without over-relaxation and with that of the default.
//!
//! `cargo xtask bench convergence`, which calls it as `bench_convergence [SECONDS]
//! [IMAGES | --quick]`: each run is cut off after SECONDS (default 120); IMAGES is the
//! folder of Fashion-MNIST's IDX files; `--quick` solves the digits only.

use cronos::{Activation, Gates, Loss, Matrix, Program, Real, Settings, Solver};
use cronos_data::{Dataset, ReadOptions, Target};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::ops::ControlFlow;

const GAPS: [f64; 3] = [1e-2, 1e-3, 1e-6];
/// Times the limit that the default may take to the last gap.
const PATIENCE: f64 = 4.0;
/// Over-relaxation of plain ADMM.
const RELAXATIONS: [f64; 2] = [1.0, 1.9];
const RHOS: [f64; 7] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let limit = arguments.next().and_then(|text| text.parse().ok());
    let limit = limit.unwrap_or(120.0);
    println!(
        "Seconds to a certified gap, cones met to a tenth of it: `cronos` as it is by default, which gives each row and \
         each group of the splitting a stiffness of its own where that pays and else closes the cones with a larger ρ \
         ([docs/method.md](docs/method.md), section 3), against plain ADMM with the best of {} fixed penalties ρ from {} \
         to {} (the two that are nearest after an eighth of the time go on), without over-relaxation (θ = 1) and with \
         that of `cronos`. All with `direct`; f64 for 1e-6, f32 else; runs are cut off after {limit} s, that of \
         the default to 1e-6 after {} s. Command: `cargo xtask bench convergence --limit {limit}`.\n",
        RHOS.len(),
        RHOS[0],
        RHOS[RHOS.len() - 1],
        PATIENCE * limit
    );
    println!("| problem | n | d | P | β | ADMM | 1e-2 | 1e-3 | 1e-6 |");
    println!("|---|--:|--:|--:|--:|---|--:|--:|--:|");
    let digits = cronos_data::read("digits", &ReadOptions::default()).expect("built in");
    compare(
        "digits 0–4 / 5–9",
        &table(&digits.train, 10, 50, 1.0),
        limit,
    );
    let images = arguments.next();
    if images.as_deref() == Some("--quick") {
        return;
    }
    compare("power law", &power_law(2_000, 768, 64), limit);
    if let Some(folder) = images {
        let images = cronos_data::read(&folder, &ReadOptions::default());
        let images = images.unwrap_or_else(|error| panic!("{error}")).train;
        let rows: Vec<usize> = (0..10_000).collect();
        let program = table(&images.select(&rows), 10, 32, 30.0);
        compare("Fashion-MNIST 0–4 / 5–9", &program, limit);
    }
}

/// One row of the table for the default and one for the best fixed ρ.
fn compare(name: &str, program: &Program<f64>, limit: f64) {
    let shape = format!(
        "| {name} | {} | {} | {} | {} |",
        program.x.rows(),
        program.x.columns(),
        program.gates.len(),
        program.beta
    );
    let single = single(program);
    let [first, second, last] = GAPS;
    let ours = run(&single, None, [first, second], limit).reached;
    let exact = run(program, None, [second, last], PATIENCE * limit).reached;
    println!(
        "{shape} default | {} |",
        cells(&[ours[0], ours[1], exact[1]])
    );

    for relaxation in RELAXATIONS {
        let times = best_of_plain(name, &single, program, relaxation, limit);
        println!(
            "{shape} plain, θ = {relaxation}, best of {} ρ | {} |",
            RHOS.len(),
            cells(&times)
        );
    }
}

/// The best times of plain ADMM over the grid.
fn best_of_plain(
    name: &str,
    single: &Program<f32>,
    program: &Program<f64>,
    relaxation: f64,
    limit: f64,
) -> [Option<f64>; 3] {
    let [first, second, last] = GAPS;
    let plain = |rho: f64| Some(Plain { rho, relaxation });
    let mut tried: Vec<(f64, f64)> = RHOS
        .iter()
        .map(|&rho| {
            let outcome = run(single, plain(rho), [first, second], limit / 8.0);
            (outcome.left, rho)
        })
        .collect();
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    eprintln!("{name}, θ = {relaxation}: (gap left, ρ) {tried:?}");
    let found: Vec<(f64, [Option<f64>; 2])> = tried[..2]
        .iter()
        .map(|&(_, rho)| {
            let outcome = run(single, plain(rho), [first, second], limit);
            (rho, outcome.reached)
        })
        .collect();
    let best = |at: usize| {
        let reached = found
            .iter()
            .filter_map(|(rho, times)| Some((times[at]?, *rho)));
        reached.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let exact =
        best(1).and_then(|(_, rho)| run(program, plain(rho), [second, last], limit).reached[1]);
    let seconds = |best: Option<(f64, f64)>| best.map(|(seconds, _)| seconds);
    [seconds(best(0)), seconds(best(1)), exact]
}

fn cells(times: &[Option<f64>; 3]) -> String {
    let cell =
        |time: &Option<f64>| time.map_or("not reached".into(), |time| format!("{time:.2} s"));
    times.iter().map(cell).collect::<Vec<_>>().join(" | ")
}

fn single(program: &Program<f64>) -> Program<f32> {
    Program {
        x: program.x.cast::<f32>(),
        y: program.y.cast(),
        gates: program.gates.clone(),
        beta: program.beta,
        activation: program.activation,
        loss: program.loss,
        weights: None,
    }
}

/// ADMM with nothing that follows the iterates.
#[derive(Clone, Copy)]
struct Plain {
    rho: f64,
    relaxation: f64,
}

/// How far a run came.
struct Outcome {
    /// Seconds until the certificate first showed each gap.
    reached: [Option<f64>; 2],
    /// The smallest gap shown, or ten times the violation if that is more.
    left: f64,
}

fn run<T: Real>(program: &Program<T>, plain: Option<Plain>, gaps: [f64; 2], limit: f64) -> Outcome {
    let default = Settings::default();
    let settings = Settings {
        solver: Solver::Direct,
        rho: plain.map(|plain| plain.rho),
        adapt_rho: plain.is_none(),
        relaxation: plain.map_or(default.relaxation, |plain| plain.relaxation),
        max_iterations: usize::MAX,
        gap_relative: gaps[1],
        time_limit_seconds: Some(limit),
        ..default
    };
    let solution = program
        .solve(&settings, &mut |_| ControlFlow::Continue(()))
        .expect("a run");
    let mut clock = solution.seconds.setup;
    let (mut reached, mut left) = ([None; 2], f64::INFINITY);
    for record in &solution.history {
        clock += record.seconds.total();
        let Some(certificate) = record.certificate else {
            continue;
        };
        let far = certificate.gap.max(10.0 * certificate.violation);
        left = left.min(far);
        for (reached, gap) in reached.iter_mut().zip(gaps) {
            if far <= gap {
                reached.get_or_insert(clock);
            }
        }
    }
    Outcome { reached, left }
}

/// Classes below and from `classes / 2` on, as −1 and 1; standardised, with a bias.
fn table(data: &Dataset, classes: usize, gates: usize, beta: f64) -> Program<f64> {
    let (n, d) = (data.features.rows, data.features.columns);
    let column = |j: usize| (0..n).map(move |i| data.features.at(i, j));
    let scale: Vec<(f64, f64)> = (0..d)
        .map(|j| {
            let mean = column(j).sum::<f64>() / n as f64;
            let variance = column(j).map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
            (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 })
        })
        .collect();
    let x = Matrix::from_fn(n, d + 1, |i, j| match scale.get(j) {
        Some((mean, scale)) => (data.features.at(i, j) - mean) / scale,
        None => 1.0,
    });
    let class = |i: usize| match &data.target {
        Some(Target::Numbers { values, .. }) => values[i] as usize,
        Some(Target::Text(texts)) => texts[i].parse().expect("a digit"),
        None => 0,
    };
    let y = Matrix::from_fn(n, 1, |i, _| if class(i) < classes / 2 { -1.0 } else { 1.0 });
    program(x, y, gates, beta)
}

/// Features with a power-law spectrum and the signs of a random network as targets.
fn power_law(n: usize, d: usize, gates: usize) -> Program<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
    let raw: Vec<f64> = (0..n * d)
        .map(|at| draw() * 3.0 / ((at % d + 1) as f64).sqrt())
        .collect();
    let teacher: Vec<f64> = (0..8 * d).map(|_| draw()).collect();
    let target = |row: &[f64]| -> f64 {
        let unit = |unit: usize| {
            let weights = &teacher[unit * d..][..d];
            let z: f64 = row.iter().zip(weights).map(|(x, w)| x * w).sum();
            if unit.is_multiple_of(2) {
                z.max(0.0)
            } else {
                -z.max(0.0)
            }
        };
        if (0..8).map(unit).sum::<f64>() >= 0.0 {
            1.0
        } else {
            -1.0
        }
    };
    let y = Matrix::from_fn(n, 1, |i, _| target(&raw[i * d..][..d]));
    let x = Matrix::from_fn(n, d, |i, j| raw[i * d + j]);
    program(x, y, gates, 10.0)
}

fn program(x: Matrix<f64>, y: Matrix<f64>, gates: usize, beta: f64) -> Program<f64> {
    let gates = Gates::sample(&x, gates, 1).expect("gates that are not empty");
    Program {
        x,
        y,
        gates,
        beta,
        activation: Activation::Relu,
        loss: Loss::Squared,
        weights: None,
    }
}
