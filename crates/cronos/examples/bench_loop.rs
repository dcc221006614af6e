//! What an iteration costs next to the bare matrix products it is made of.
//!
//! `cargo xtask bench loop`, which calls it as `bench_loop [SECONDS] [SHAPE | --quick]`:
//! products and iterations take turns, best of several; no run is longer than
//! SECONDS; `--quick` measures the first shape only, SHAPE another one alone.

mod power_law;

use cronos::{Program, Solver};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use power_law::{iteration_seconds, mean_inner, problem, run};
use std::time::Instant;

/// n, d, P, C
const SHAPES: [(usize, usize, usize, usize); 4] = [
    (2_000, 768, 64, 1),
    (10_000, 3_073, 10, 1),
    (10_000, 785, 32, 10),
    (60_000, 785, 32, 10),
];
/// Rows above which the `n x n` matrix of `direct` is too large.
const MOST_DIRECT: usize = 20_000;
const ITERATIONS: usize = 10;
/// Turns, and seconds of them, at least.
const REPEATS: usize = 5;
const SECONDS: f64 = 8.0;

fn main() {
    let limit = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(600.0);
    let quick = std::env::args().any(|argument| argument == "--quick");
    let only = std::env::args().nth(2).and_then(|text| text.parse().ok());
    let shapes = match (quick, only) {
        (true, _) => &SHAPES[..1],
        (_, Some(only)) => SHAPES.get(only..=only).unwrap_or_default(),
        _ => &SHAPES[..],
    };
    println!(
        "An ADMM iteration next to the bare matrix products it is made of (f32, each by the fastest way of \
         multiplying found here, results thrown away): n rows, d features, P gates, C outputs; `sample-pcg` with the \
         products of its inner iterations; best of {REPEATS} or more, taking turns. Command: `cargo xtask bench loop`.\n"
    );
    println!("| n | d | P | C | solver | inner | products, ms | iteration, ms | ratio |");
    println!("|--:|--:|--:|--:|---|--:|--:|--:|--:|");
    for &(n, d, gates, outputs) in shapes {
        let program = problem(n, d, gates, outputs);
        for solver in [Solver::Direct, Solver::SamplePcg] {
            if solver == Solver::Direct && n > MOST_DIRECT {
                continue;
            }
            let mut products = Products::new(&program, solver);
            let (mut bare, mut spent, mut inner) = (Bare::default(), f64::INFINITY, 0.0);
            let start = Instant::now();
            let mut turns = 0;
            while turns < REPEATS || start.elapsed().as_secs_f64() < SECONDS {
                turns += 1;
                // among the threads, as the iterations are
                bare.lower(rayon::scope(|_| products.time()));
                let Some(solution) = run(&program, solver, ITERATIONS, 0.0, limit) else {
                    continue;
                };
                inner = mean_inner(&solution);
                spent = spent.min(iteration_seconds(&solution));
            }
            let bare = bare.total(solver, inner);
            println!(
                "| {n} | {d} | {gates} | {outputs} | {} | {inner:.1} | {:.1} | {:.1} | {:.2} |",
                solver.name(),
                1e3 * bare,
                1e3 * spent,
                spent / bare
            );
        }
    }
}

/// Seconds of the products.
#[derive(Clone, Copy)]
struct Bare {
    /// `X U` and `Xᵀ Z` with 2PC columns
    wide: [f64; 2],
    /// the same with PC
    narrow: [f64; 2],
    /// `M⁻¹ B` with 2PC and PC columns
    metric: [f64; 2],
    /// `S⁻¹ R` with C
    sample: f64,
}

impl Default for Bare {
    fn default() -> Self {
        let most = [f64::INFINITY; 2];
        Self {
            wide: most,
            narrow: most,
            metric: most,
            sample: f64::INFINITY,
        }
    }
}

impl Bare {
    fn lower(&mut self, other: Self) {
        for at in 0..2 {
            self.wide[at] = self.wide[at].min(other.wide[at]);
            self.narrow[at] = self.narrow[at].min(other.narrow[at]);
            self.metric[at] = self.metric[at].min(other.metric[at]);
        }
        self.sample = self.sample.min(other.sample);
    }

    /// What one iteration needs.
    fn total(&self, solver: Solver, inner: f64) -> f64 {
        let both = |pair: [f64; 2]| pair[0] + pair[1];
        let common = both(self.wide) + both(self.narrow) + both(self.metric);
        match solver {
            // the residual at the start of the inner iterations is a product too
            Solver::SamplePcg => common + (inner + 1.0) * (both(self.narrow) + self.metric[1]),
            _ => common + self.sample,
        }
    }
}

/// Arrays of the shapes of the products.
struct Products<'a> {
    program: &'a Program<f32>,
    /// d x 2PC and n x 2PC
    features: Vec<f32>,
    rows: Vec<f32>,
    /// d x d
    metric: Vec<f32>,
    /// n x n
    sample: Vec<f32>,
    /// the larger of d x 2PC and n x C
    out: Vec<f32>,
}

impl<'a> Products<'a> {
    fn new(program: &'a Program<f32>, solver: Solver) -> Self {
        let (n, d) = (program.x.rows(), program.x.columns());
        let columns = 2 * program.gates.len() * program.y.columns();
        let size = if solver == Solver::Direct { n * n } else { 0 };
        Self {
            program,
            features: vec![0.5; d * columns],
            rows: vec![0.5; n * columns],
            metric: vec![0.5; d * d],
            sample: vec![0.5; size],
            out: vec![0.0; (d * columns).max(n)],
        }
    }

    fn time(&mut self) -> Bare {
        let (n, d) = (self.program.x.rows(), self.program.x.columns());
        let outputs = self.program.y.columns();
        let half = self.program.gates.len() * outputs;
        let x = MatRef::from_row_major_slice(self.program.x.values(), n, d);
        let mut with = |columns: usize| {
            let u = MatRef::from_column_major_slice(&self.features[..d * columns], d, columns);
            let z = MatMut::from_column_major_slice_mut(&mut self.rows[..n * columns], n, columns);
            let forward = product(z, x, u);
            let z = MatRef::from_column_major_slice(&self.rows[..n * columns], n, columns);
            let out = MatMut::from_column_major_slice_mut(&mut self.out[..d * columns], d, columns);
            let back = product(out, x.transpose(), z);
            let out = MatMut::from_column_major_slice_mut(&mut self.out[..d * columns], d, columns);
            let metric = MatRef::from_column_major_slice(&self.metric, d, d);
            (forward, back, product(out, metric, u))
        };
        let (wide, narrow) = (with(2 * half), with(half));
        let sample = match self.sample.is_empty() {
            true => 0.0,
            false => {
                let r = MatRef::from_column_major_slice(&self.rows[..n * outputs], n, outputs);
                let s = MatRef::from_column_major_slice(&self.sample, n, n);
                let mut t = vec![0.0; n * outputs];
                product(
                    MatMut::from_column_major_slice_mut(&mut t, n, outputs),
                    s,
                    r,
                )
            }
        };
        Bare {
            wide: [wide.0, wide.1],
            narrow: [narrow.0, narrow.1],
            metric: [wide.2, narrow.2],
            sample,
        }
    }
}

/// Seconds of `out = a b`.
fn product(mut out: MatMut<'_, f32>, a: MatRef<'_, f32>, b: MatRef<'_, f32>) -> f64 {
    let once = |out: MatMut<'_, f32>| {
        let start = Instant::now();
        matmul(out, Accum::Replace, a, b, 1.0, Par::rayon(0));
        start.elapsed().as_secs_f64()
    };
    (0..2)
        .map(|_| once(out.as_mut()))
        .fold(f64::INFINITY, f64::min)
}
