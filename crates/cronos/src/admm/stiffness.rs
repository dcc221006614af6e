//! How stiffly each split is held: `ρ κ_g/2 ‖u_g − v_g‖²` and `ρ r/2 (Gu − s)²`.
//!
//! With `κ = r = 1` a step is cheapest, but a row that is far inside its cone
//! resists every move of its group as much as one that must be held at 0. So the
//! stiffness follows what the iterates show: rows that push against their cone are
//! held stiffly, the others softly, and a group as stiffly as its norm is curved,
//! `ρ κ_g = β/‖v_g‖`. The u-step needs new matrices for it, which is why it
//! happens at fixed iteration counts, ever more rarely; so ADMM converges as ever.

use super::machine::Point;
use super::run::Run;
use super::settings::{Settings, Split};
use super::shrink::Groups;
use crate::Error;
use crate::cholesky::Tiled;
use crate::engine::BLOCK;
use crate::inner::norm;
use crate::memory::{self, Plan};
use crate::real::Real;
use crate::solver::{Choice, Shape, Solver};

/// Stiffness of rows that push against their cone, and of the others.
const ROWS: (f64, f64) = (100.0, 0.1);

/// Least and most stiffness of a group, relative to that which all begin with.
const GROUPS: (f64, f64) = (0.03, 30.0);

/// Iterations between changes at first, how many changes come at that pace, and
/// how the interval grows then.
const INTERVAL: usize = 25;
const EVEN: usize = 12;
/// The first change where its steps are dearer than plain ones, which settle most.
const UNSETTLED: usize = 60;
/// The first change after a warm start.
const SOON: usize = 10;
const GROWTH: f64 = 1.25;
/// Iterations that a change may cost.
const WORTH: f64 = 200.0;

/// Inner iterations of a u-step, or so, and what it costs to read a number of the
/// matrices from memory, in multiplications.
const INNER: f64 = 12.0;
const READING: f64 = 4.0;

/// When the stiffness follows the iterates.
#[derive(Clone, Debug)]
pub(super) struct Stiffening {
    on: bool,
    /// How the u-step is solved then.
    by: Solver,
    /// Iterations before the first change.
    first: usize,
    /// Whether the solver has matrices for it.
    begun: bool,
    next: usize,
    interval: f64,
    done: usize,
}

impl Stiffening {
    /// Whether it is worth while and fits into memory, and the plan with its arrays.
    pub fn new<T: Real>(
        (shape, all_rows): (Shape, usize),
        settings: &Settings,
        choice: &Choice,
        split: Split,
        plan: Plan,
    ) -> (Self, Plan) {
        // with the rows of all ranks, so that they choose alike
        let whole = Shape {
            rows: all_rows,
            ..shape
        };
        let (by, cost) = cheapest(whole, choice.solver);
        let cost = cost / iteration(whole);
        let first = match by {
            Solver::SamplePcg => UNSETTLED,
            _ => INTERVAL.max((cost / 4.0) as usize),
        };
        let with_matrices = planned::<T>(plan.clone(), shape, by, settings);
        let fits = with_matrices.total() <= memory::limit(settings);
        let short = settings.team.largest(if fits { 0.0 } else { 1.0 });
        let on = split == Split::Loss
            && settings.adapt_rho
            && shape.signs == 2
            && cost <= WORTH
            && short == 0.0;
        let stiffening = Self {
            on,
            by,
            first,
            begun: false,
            next: first,
            interval: INTERVAL as f64,
            done: 0,
        };
        (stiffening, if on { with_matrices } else { plan })
    }

    /// Begins the schedule again, for another penalty.
    pub fn restart(&mut self) {
        self.next = if self.begun { SOON } else { self.first };
        (self.interval, self.done) = (INTERVAL as f64, 0);
    }

    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Who solves then, if it is on.
    pub fn solver(&self) -> Option<Solver> {
        self.on.then_some(self.by)
    }

    /// Who solves once splits have a stiffness.
    pub fn by(&self) -> Solver {
        self.by
    }

    /// Where the schedule is.
    pub fn schedule(&self) -> [f64; 4] {
        let begun = f64::from(u8::from(self.begun));
        [begun, self.next as f64, self.interval, self.done as f64]
    }

    /// Goes on from there.
    pub fn follow(&mut self, schedule: &[f64]) {
        if let [begun, next, interval, done] = *schedule {
            (self.begun, self.next) = (begun > 0.0, next as usize);
            (self.interval, self.done) = (interval, done as usize);
        }
    }

    /// Whether splits have a stiffness by now.
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// Whether it will be by conjugate gradients.
    pub fn by_pcg(&self) -> bool {
        self.on && self.by == Solver::SamplePcg
    }

    pub fn is_due(&self, number: usize) -> bool {
        self.on && number >= self.next
    }

    fn count(&mut self, number: usize) {
        self.done += 1;
        if self.done >= EVEN {
            self.interval *= GROWTH;
        }
        self.next = number + self.interval as usize;
    }
}

/// Multiplications of an iteration.
fn iteration(shape: Shape) -> f64 {
    let [n, d, p, c] = sizes(shape);
    6.0 * n * d * p * c + 6.0 * d * d * p * c + n * n * c
}

fn sizes(shape: Shape) -> [f64; 4] {
    let Shape {
        rows,
        features,
        gates,
        outputs,
        ..
    } = shape;
    [rows, features.min(rows), gates, outputs].map(|size| size as f64)
}

/// The cheapest way to solve the u-step until the next change, and the multiplications
/// that a change costs then; infinite where the solver has no use for it.
fn cheapest(shape: Shape, solver: Solver) -> (Solver, f64) {
    let [n, d, p, c] = sizes(shape);
    let roots = 2.0 * p * c * 2.0 * d * d * d / 3.0;
    // inner iterations multiply by X twice and read all matrices
    let (products, reading) = (2.0 * n * d * p * c, READING * 2.0 * p * c * d * d);
    let inner = products + reading;
    let sketch = 20.0 * inner;
    let white = 2.0 * p * c * n * d * d / 2.0;
    let factor = white + c * (2.0 * p * n * n * d / 8.0 + n * n * n / 6.0);
    match solver {
        Solver::Direct if factor <= sketch + INNER * INTERVAL as f64 * inner => {
            (Solver::Direct, roots + factor)
        }
        Solver::Direct | Solver::SamplePcg if reading <= products => {
            (Solver::SamplePcg, roots + sketch)
        }
        _ => (solver, f64::INFINITY),
    }
}

/// A plan with the stiffness of the rows and the solver that has matrices for the groups.
fn planned<T: Real>(plan: Plan, shape: Shape, solver: Solver, settings: &Settings) -> Plan {
    let (n, d) = (shape.rows, shape.features.min(shape.rows));
    let groups = 2 * shape.gates * shape.outputs;
    let size = |numbers: usize| numbers.saturating_mul(size_of::<T>()) as u64;
    let wide = |numbers: usize| numbers.saturating_mul(size_of::<f64>()) as u64;
    let outputs = shape.outputs as u64;
    let (factors, thin) = match solver {
        Solver::Direct => {
            let white = 16.min(shape.gates) * n * d;
            (size(white) + outputs * Tiled::<T>::bytes(n), 2 * n)
        }
        _ => {
            let sketch = n * settings.rank_limit().min(n);
            let sketches = size(sketch).saturating_mul(outputs);
            (wide(6 * sketch).saturating_add(sketches), 6 * n)
        }
    };
    let threads = rayon::current_num_threads();
    let making = wide(d * (2 * d + n.min(1024))).saturating_mul(threads as u64);
    let rows = size(groups * n.next_multiple_of(BLOCK));
    let beside = wide(d * d) + 3 * size(d * groups) + size(thin).saturating_mul(outputs);
    plan.and("stiffness of the rows", rows)
        .and("solver of the groups", beside)
        .and_then(
            "matrices of the groups",
            size(groups * d * d) + making + factors,
        )
}

impl<T: Real> Run<'_, T> {
    /// Makes the stiffness follow the iterates.
    pub(super) fn stiffen(&mut self) -> Result<(), Error> {
        self.stiffening.count(self.history.len());
        let (stiff, soft) = ROWS;
        self.machine.stiffen_rows(stiff, soft);
        let stiffness = self.group_stiffness();
        self.tell_solver(&stiffness)?;
        self.set_groups(Groups {
            stiffness,
            ..self.groups.clone()
        });
        Ok(())
    }

    /// Takes on the stiffness of groups whose splits and rows are those of another run.
    pub(super) fn take_stiffness(&mut self, stiffness: Vec<f64>) -> Result<(), Error> {
        self.tell_solver(&stiffness)?;
        self.groups.stiffness = stiffness;
        Ok(())
    }

    fn tell_solver(&mut self, stiffness: &[f64]) -> Result<(), Error> {
        self.stiffening.begun = true;
        self.machine.set_stiffness(self.stiffening.by, stiffness)
    }

    /// `κ_g = β/(ρ‖v_g‖)`; a group at zero keeps its own.
    fn group_stiffness(&self) -> Vec<f64> {
        let v = self.machine.point(Point::Shrunk, &self.groups);
        let norms: Vec<f64> = v.chunks(self.groups.size).map(norm).collect();
        let mut live: Vec<f64> = norms.iter().copied().filter(|norm| *norm > 0.0).collect();
        live.sort_by(f64::total_cmp);
        let Some(median) = live.get(live.len() / 2) else {
            return self.groups.stiffness.clone();
        };
        let (least, most) = GROUPS;
        let (least, most) = (least * self.kappa, most * self.kappa);
        let threshold = self.threshold();
        (norms.iter().zip(&self.groups.stiffness))
            .map(|(norm, old)| match norm {
                0.0 => *old,
                norm => (threshold / norm.max(1e-3 * median)).clamp(least, most),
            })
            .collect()
    }
}
