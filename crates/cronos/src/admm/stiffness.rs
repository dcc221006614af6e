//! How stiffly each split is held: `ρ κ_g/2 ‖u_g − v_g‖²` and `ρ r/2 (Gu − s)²`.
//!
//! With `κ = r = 1` a step is cheapest, but a row that is far inside its cone
//! resists every move of its group as much as one that must be held at 0. So the
//! stiffness follows what the iterates show: rows that push against their cone are
//! held stiffly, the others softly, and a group as stiffly as its norm is curved,
//! `ρ κ_g = β/‖v_g‖`. The u-step needs new matrices for it, which is why it
//! happens at fixed iteration counts, ever more rarely; so ADMM converges as ever.

use super::run::Run;
use super::settings::{Settings, Split};
use super::shrink::{self, Groups};
use crate::Error;
use crate::cholesky::Tiled;
use crate::inner::norm;
use crate::memory::{self, Plan};
use crate::real::Real;
use crate::solver::{Choice, Shape, Solver, Stiff};

/// Stiffness of rows that push against their cone, and of the others.
const ROWS: (f64, f64) = (100.0, 0.1);

/// Least and most stiffness of a group.
const GROUPS: (f64, f64) = (0.03, 30.0);

/// Iterations between changes at first, how many changes come at that pace, and
/// how the interval grows then.
const INTERVAL: usize = 25;
const EVEN: usize = 12;
/// The first change after a warm start.
const SOON: usize = 10;
const GROWTH: f64 = 1.25;

/// Changes that cost as much as this many iterations are worth while.
const WORTH: f64 = 200.0;

/// What has a stiffness of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nothing,
    /// Groups, in steps of 4 so that many share a matrix.
    Groups,
    /// Groups, and every row of every group.
    Rows,
}

/// When the stiffness follows the iterates.
#[derive(Clone, Debug)]
pub(super) struct Stiffening {
    kind: Kind,
    first: usize,
    /// Whether the solver has matrices for it.
    begun: bool,
    next: usize,
    interval: f64,
    done: usize,
}

impl Stiffening {
    /// The finest kind that is worth while and fits into memory, and the plan with
    /// its arrays.
    pub fn new<T: Real>(
        shape: Shape,
        settings: &Settings,
        choice: &Choice,
        split: Split,
        plan: Plan,
    ) -> (Self, Plan) {
        let of = |kind: Kind, first: usize| Self {
            kind,
            first,
            begun: false,
            next: first,
            interval: first as f64,
            done: 0,
        };
        let direct = choice.solver == Solver::Direct && split == Split::Loss;
        if !direct || !settings.adapt_rho || shape.signs == 1 {
            return (of(Kind::Nothing, 0), plan);
        }
        let iteration = iteration(shape);
        for kind in [Kind::Rows, Kind::Groups] {
            let cost = kind.cost(shape) / iteration;
            let bytes = kind.bytes::<T>(shape);
            let fits = plan.total().saturating_add(bytes) <= memory::limit(settings);
            if cost <= WORTH && fits {
                let first = INTERVAL.max((cost / 4.0) as usize);
                return (of(kind, first), plan.and("matrices of the groups", bytes));
            }
        }
        (of(Kind::Nothing, 0), plan)
    }

    /// Begins the schedule again, for another penalty.
    pub fn restart(&mut self) {
        self.next = if self.begun { SOON } else { self.first };
        (self.interval, self.done) = (self.first as f64, 0);
    }

    pub fn is_on(&self) -> bool {
        self.kind != Kind::Nothing
    }

    pub fn is_due(&self, number: usize) -> bool {
        self.is_on() && number >= self.next
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

impl Kind {
    /// Multiplications for new matrices.
    fn cost(self, shape: Shape) -> f64 {
        let [n, d, p, c] = sizes(shape);
        let factor = n * n * n / 6.0;
        match self {
            Self::Nothing => 0.0,
            Self::Groups => 6.0 * (d * d * d / 3.0 + n * d * d + n * n * d / 2.0) + factor,
            Self::Rows => {
                let group = d * d * d / 3.0 + d * d * d + n * d * d / 2.0 + n * n * d / 8.0;
                c * (2.0 * p * group + factor)
            }
        }
    }

    /// Bytes beyond those of `direct`.
    fn bytes<T: Real>(self, shape: Shape) -> u64 {
        let (n, d) = (shape.rows, shape.features.min(shape.rows));
        let groups = 2 * shape.gates * shape.outputs;
        let size = |numbers: usize| numbers.saturating_mul(size_of::<T>()) as u64;
        let common = 2 * size(d * groups) + size(n * d) + 4 * (d * d * size_of::<f64>()) as u64;
        match self {
            Self::Nothing => 0,
            Self::Groups => common + 6 * size(d * d),
            Self::Rows => {
                let factors = (shape.outputs as u64 - 1) * Tiled::<T>::bytes(n);
                common + size(groups * d * d) + size(groups * n) + factors
            }
        }
    }
}

impl<T: Real> Run<'_, T> {
    /// `ρ` from the size of the groups of a first, unpenalised `u`: the threshold
    /// `β/ρ` begins at ten times their median.
    pub(super) fn find_rho(&mut self) -> Result<(), Error> {
        let (engine, right) = (&self.engine, &self.right);
        self.solver
            .solve(engine, right, &mut self.u, 0.0, &mut self.work);
        let mut norms: Vec<f64> = self.u.chunks(engine.features()).map(norm).collect();
        norms.sort_by(f64::total_cmp);
        let rho = 0.1 * self.beta / norms[norms.len() / 2];
        self.u.fill(T::ZERO);
        if !rho.is_finite() || rho <= 0.0 {
            return Ok(());
        }
        self.step.rho = rho;
        self.state = self.engine.row_state(&self.program.y, &self.step);
        self.groups.threshold = self.threshold();
        self.set_groups(self.groups.clone());
        Ok(())
    }

    /// Makes the stiffness follow the iterates.
    pub(super) fn stiffen(&mut self) -> Result<(), Error> {
        if !std::mem::replace(&mut self.stiffening.begun, true) {
            self.solver = Box::new(Stiff::new(&self.engine, self.program.y.columns()));
        }
        self.stiffening.count(self.history.len());
        if self.stiffening.kind == Kind::Rows {
            let (stiff, soft) = ROWS;
            self.engine.stiffen(&mut self.state, stiff, soft);
        }
        let stiffness = self.group_stiffness();
        let weight = self.step.weight;
        self.solver
            .set_stiffness(&self.engine, &stiffness, &self.state, weight)?;
        self.set_groups(Groups {
            stiffness,
            ..self.groups.clone()
        });
        Ok(())
    }

    /// `κ_g = β/(ρ‖v_g‖)`; a group at zero keeps its own.
    fn group_stiffness(&self) -> Vec<f64> {
        let v = shrink::shrunk(&self.b, &self.groups);
        let norms: Vec<f64> = v.chunks(self.groups.size).map(norm).collect();
        let mut live: Vec<f64> = norms.iter().copied().filter(|norm| *norm > 0.0).collect();
        live.sort_by(f64::total_cmp);
        let Some(median) = live.get(live.len() / 2) else {
            return self.groups.stiffness.clone();
        };
        let (least, most) = GROUPS;
        let threshold = self.threshold();
        let wanted = norms.iter().zip(&self.groups.stiffness);
        let wanted = wanted.map(|(norm, old)| match norm {
            0.0 => *old,
            norm => (threshold / norm.max(1e-3 * median)).clamp(least, most),
        });
        if self.stiffening.kind == Kind::Rows {
            return wanted.collect();
        }
        // groups of all outputs that see the same gate share a matrix
        let wanted: Vec<f64> = wanted.map(f64::ln).collect();
        let per_output = self.engine.columns_per_output();
        let outputs = wanted.len() / per_output;
        (0..wanted.len())
            .map(|group| {
                let of_gate = wanted.iter().skip(group % per_output).step_by(per_output);
                let mean = of_gate.sum::<f64>() / outputs as f64;
                (mean / 4f64.ln()).round().exp2().powi(2)
            })
            .collect()
    }
}
