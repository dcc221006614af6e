//! The u-step when the splits are held with a stiffness of their own, so that
//! groups have matrices of their own:
//!
//! ```text
//! M_g = κ_g I + Xᵀ R_g X ,   S = (1/c) I + Σ_g D_g X M_g⁻¹ Xᵀ D_g
//! u ← M⁻¹ b ;  r = Σ_i D_i X (v_i − w_i) ;  S t = r ;  u_g ← u_g ∓ M_g⁻¹ Xᵀ D_i t
//! ```

use super::roots::Roots;
use super::{Build, Solver, USolver, shared};
use crate::Error;
use crate::cholesky::Tiled;
use crate::engine::{Engine, RowState, Workspace};
use crate::inner::{add_scaled, update};
use crate::nystrom::{Nystrom, Operator};
use crate::pcg::{self, PcgSpace, Stop};
use crate::real::Real;
use crate::team;
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut};
use std::ops::Range;

/// What the error of a u-step is taken to be, relative to the bound on it. Objective and
/// violation went the same way at a tenth of this; the lower bound did not.
const TYPICAL: f64 = 0.1;

/// Holds the roots of all `M_g` and a way to solve with `S`.
pub(crate) struct Stiff<T> {
    settings: Build,
    /// How stiffly all groups were held to begin with.
    kappa: f64,
    /// `XᵀX`, lower half
    gram: Mat<f64>,
    roots: Roots<T>,
    inner: Inner<T>,
    /// d x (2 P C)
    both: Vec<T>,
    solved: Vec<T>,
    /// d x (P C)
    q: Vec<T>,
    /// n x C
    r: Vec<T>,
    t: Vec<T>,
}

/// How `S t = r` is solved.
enum Inner<T> {
    /// By the factors of `S` of each output.
    Direct(Vec<Tiled<T>>),
    /// By conjugate gradients.
    Pcg {
        space: PcgSpace<T>,
        /// One for each output.
        sketches: Vec<Nystrom<T>>,
        /// `√κ ‖u − exact‖ / ‖r − S t‖`, or so.
        error_per_residual: f64,
    },
}

impl<T: Real> Stiff<T> {
    /// Everything but the matrices, which `set_stiffness` makes.
    pub fn new(engine: &Engine<'_, T>, solver: Solver, settings: Build, kappa: f64) -> Self {
        let wide = engine.weights_per_output() * settings.outputs;
        let thin = engine.rows() * settings.outputs;
        Self {
            settings,
            kappa,
            gram: shared::gram(engine),
            roots: Roots::empty(engine.features()),
            inner: match solver {
                Solver::SamplePcg => Inner::Pcg {
                    space: PcgSpace::new(thin),
                    sketches: Vec::new(),
                    error_per_residual: 1.0,
                },
                _ => Inner::Direct(Vec::new()),
            },
            both: vec![T::ZERO; wide],
            solved: vec![T::ZERO; wide],
            q: vec![T::ZERO; wide / 2],
            r: vec![T::ZERO; thin],
            t: vec![T::ZERO; thin],
        }
    }
}

/// `Σ_g D_g X M_g⁻¹ Xᵀ D_g`, by products.
struct Sample<'s, 'x, T> {
    engine: &'s Engine<'x, T>,
    roots: &'s Roots<T>,
    /// The groups that the columns belong to, over and over if there are more.
    groups: Range<usize>,
    work: &'s mut Workspace<T>,
    q: &'s mut [T],
    both: &'s mut [T],
    solved: &'s mut [T],
}

impl<T: Real> Sample<'_, '_, T> {
    /// `solved_g = ± M_g⁻¹ Xᵀ D_i t`
    fn spread(&mut self, t: &[T]) {
        let half = self.engine.features() * self.engine.gates.len();
        let length = t.len() / self.engine.rows() * half;
        self.engine
            .masked_spread(t, &mut self.q[..length], self.work);
        let both = &mut self.both[..2 * length];
        for (both, q) in both.chunks_mut(2 * half).zip(self.q.chunks(half)) {
            let (v, w) = both.split_at_mut(half);
            v.copy_from_slice(q);
            update(w, q, |w, q| *w = -q);
        }
        let solved = &mut self.solved[..2 * length];
        self.roots.solve(self.groups.clone(), both, solved);
    }

    /// `r = Σ_i D_i X (v_i − w_i)`
    fn sum(&mut self, u: &[T], r: &mut [T]) {
        let half = self.engine.features() * self.engine.gates.len();
        let q = &mut self.q[..u.len() / 2];
        for (q, u) in q.chunks_mut(half).zip(u.chunks(2 * half)) {
            let (v, w) = u.split_at(half);
            q.copy_from_slice(v);
            update(q, w, |q, w| *q -= w);
        }
        self.engine.masked_sum(q, r, self.work);
    }
}

impl<T: Real> Operator<T> for Sample<'_, '_, T> {
    fn size(&self) -> usize {
        self.engine.rows()
    }

    fn apply(&mut self, t: &[T], out: &mut [T]) {
        let n = self.engine.rows();
        let batch = self.engine.batch(self.work) * n;
        for (t, out) in t.chunks(batch).zip(out.chunks_mut(batch)) {
            self.spread(t);
            let solved = std::mem::take(&mut self.solved);
            let length = t.len() / n * self.engine.weights_per_output();
            self.sum(&solved[..length], out);
            self.solved = solved;
        }
    }
}

impl<T: Real> USolver<T> for Stiff<T> {
    fn set_weight(&mut self, _: &Engine<'_, T>, _: f64, _: &mut Workspace<T>) -> Result<(), Error> {
        Err(Error::Numerical(
            "the weight of the loss cannot change once the splits have a stiffness".into(),
        ))
    }

    fn set_stiffness(
        &mut self,
        engine: &Engine<'_, T>,
        kappa: &[f64],
        state: &RowState<T>,
        work: &mut Workspace<T>,
    ) -> Result<(), Error> {
        let weight = self.settings.weight;
        self.roots.renew(engine, &self.gram, kappa, state)?;
        match &mut self.inner {
            Inner::Direct(factors) => {
                factors.clear();
                let per_output = engine.columns_per_output();
                for c in 0..self.settings.outputs {
                    let groups = c * per_output..(c + 1) * per_output;
                    let sample = self.roots.sample_matrix(engine, groups, weight);
                    factors.push(sample.factor()?);
                }
            }
            Inner::Pcg {
                sketches,
                error_per_residual,
                ..
            } => {
                let Build { rank, seed, .. } = self.settings;
                sketches.clear();
                let per_output = engine.columns_per_output();
                for c in 0..self.settings.outputs {
                    let mut sample = Sample {
                        engine,
                        roots: &self.roots,
                        groups: c * per_output..(c + 1) * per_output,
                        work,
                        q: &mut self.q,
                        both: &mut self.both,
                        solved: &mut self.solved,
                    };
                    let mu = 1.0 / weight;
                    sketches.push(team::sketch(engine.team(), &mut sample, rank, mu, seed)?);
                }
                // ‖S⁻¹‖ ≤ c, and M ≽ κ_g I + soft XᵀX gives ‖M⁻¹ Xᵀ‖ ≤ 1/(2√(κ_g soft))
                let least = kappa.iter().copied().fold(f64::INFINITY, f64::min) / self.kappa;
                let softest = least * engine.softest(state);
                let groups = engine.columns_per_output() as f64;
                *error_per_residual = TYPICAL * weight * (groups / softest).sqrt() / 2.0;
            }
        }
        Ok(())
    }

    fn solve(
        &mut self,
        engine: &Engine<'_, T>,
        b: &[T],
        u: &mut [T],
        tolerance: f64,
        work: &mut Workspace<T>,
    ) -> usize {
        let (n, most, mu) = (
            engine.rows(),
            self.settings.most_inner,
            1.0 / self.settings.weight,
        );
        let groups = 0..self.roots.len();
        let mut sample = Sample {
            engine,
            roots: &self.roots,
            groups: groups.clone(),
            work,
            q: &mut self.q,
            both: &mut self.both,
            solved: &mut self.solved,
        };
        // u = M⁻¹ b ;  r = Σ_i D_i X (v_i − w_i)
        self.roots.solve(groups, b, u);
        sample.sum(u, &mut self.r);
        // S t = r
        let mut iterations = 0;
        match &mut self.inner {
            Inner::Direct(factors) => {
                self.t.copy_from_slice(&self.r);
                for (t, factor) in self.t.chunks_mut(n).zip(factors) {
                    let mut t = MatMut::from_column_major_slice_mut(t, n, 1);
                    factor.solve_lower(t.rb_mut());
                    factor.solve_upper(t);
                }
            }
            Inner::Pcg {
                space,
                sketches,
                error_per_residual,
            } => {
                let tolerance = tolerance / *error_per_residual;
                iterations = pcg::solve(
                    |x, out| {
                        sample.apply(x, out);
                        add_scaled(out, T::of(mu), x);
                    },
                    |r, z| {
                        let columns = r.chunks(n).zip(z.chunks_mut(n));
                        for (sketch, (r, z)) in sketches.iter().zip(columns) {
                            shared::precondition(engine, sketch, mu, r, z);
                        }
                    },
                    |a, b| engine.dots(a, b),
                    &self.r,
                    &mut self.t,
                    space,
                    Stop { tolerance, most },
                );
            }
        }
        // u_g ← u_g ∓ M_g⁻¹ Xᵀ D_i t
        sample.spread(&self.t);
        update(u, &self.solved, |u, solved| *u -= solved);
        iterations
    }

    #[cfg(feature = "device")]
    fn parts(&self) -> super::Parts<'_, T> {
        let inner = match &self.inner {
            Inner::Direct(factors) => super::InnerParts::Direct(factors.iter().collect()),
            Inner::Pcg {
                sketches,
                error_per_residual,
                ..
            } => super::InnerParts::Pcg {
                sketches: sketches.iter().collect(),
                mu: 1.0 / self.settings.weight,
                error_per_residual: *error_per_residual,
            },
        };
        super::Parts::Sample(super::SampleParts {
            roots: (0..self.roots.len()).map(|g| self.roots.root(g)).collect(),
            multiplicity: 1.0,
            inner,
        })
    }

    fn memory(&self) -> &[T] {
        &self.t
    }

    fn set_memory(&mut self, memory: &[T]) {
        if memory.len() == self.t.len() {
            self.t.copy_from_slice(memory);
        }
    }

    fn kappa(&self) -> f64 {
        self.kappa
    }

    fn rank(&self) -> Option<usize> {
        match &self.inner {
            Inner::Pcg { sketches, .. } => sketches.first().map(Nystrom::rank),
            Inner::Direct(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SweepStep;
    use crate::gates::Gates;
    use crate::loss::Loss;
    use crate::matrix::Matrix;
    use crate::nystrom::Rank;
    use crate::program::Activation;
    use crate::solver::Kappa;
    use faer::Side;
    use faer::linalg::solvers::Solve;

    fn wave(at: usize) -> f64 {
        (at as f64 * 0.7 + (at * at % 97) as f64).sin()
    }

    /// `⊕ (κ_g I + Xᵀ R_g X) + c FᵀF` of output `c`, entry by entry.
    fn system(
        engine: &Engine<'_, f64>,
        kappa: &[f64],
        state: &RowState<f64>,
        output: usize,
        weight: f64,
    ) -> Mat<f64> {
        let (n, d, p) = (engine.rows(), engine.features(), engine.gates.len());
        let stiffness: Vec<Vec<f64>> = (0..2 * p)
            .map(|group| engine.stiffness_of(state, output * 2 * p + group))
            .collect();
        Mat::from_fn(2 * p * d, 2 * p * d, |a, b| {
            let ((left, i), (right, j)) = ((a / d, a % d), (b / d, b % d));
            let mut sum = if a == b {
                kappa[output * 2 * p + left]
            } else {
                0.0
            };
            for row in 0..n {
                let product = engine.matrix().at(row, i) * engine.matrix().at(row, j);
                if left == right {
                    sum += product * stiffness[left].get(row).unwrap_or(&1.0);
                }
                let active = |group: usize| engine.gates.active(group % p, row);
                if active(left) && active(right) {
                    let same = (left < p) == (right < p);
                    sum += if same {
                        weight * product
                    } else {
                        -weight * product
                    };
                }
            }
            sum
        })
    }

    #[test]
    fn the_u_step_with_stiffness_is_a_dense_solve() {
        for (n, d, outputs) in [(300, 5, 1), (600, 5, 2), (40, 7, 3)] {
            let x = Matrix::from_fn(n, d, |i, j| wave(i * d + j));
            let y = Matrix::from_fn(n, outputs, |i, c| wave(3 * i + c));
            let gates = Gates::sample(&x, 4, 1).expect("gates");
            let engine = Engine::new(&x, &gates, Activation::Relu);
            let step = SweepStep {
                loss: Loss::Squared,
                split: crate::admm::Split::Loss,
                rho: 0.3,
                weight: 0.5,
                relaxation: 1.6,
            };
            let mut state = engine.row_state(&y, &step);
            for (at, a) in state.a.iter_mut().enumerate() {
                *a = wave(at);
            }
            engine.stiffen(&mut state, 50.0, 0.2);
            let groups = 8 * outputs;
            let kappa: Vec<f64> = (0..groups).map(|g| [0.25, 1.0, 4.0][g * g % 3]).collect();
            let mut work = engine.workspace(outputs);
            let settings = Build {
                outputs,
                weight: step.weight,
                kappa: Kappa::Given(1.0),
                rank: Rank::Fixed(6),
                seed: 1,
                most_inner: 5000,
            };
            for solver in [Solver::Direct, Solver::SamplePcg] {
                let mut solver = Stiff::new(&engine, solver, settings, 1.0);
                solver
                    .set_stiffness(&engine, &kappa, &state, &mut work)
                    .expect("factored");
                let b: Vec<f64> = (0..groups * d).map(|at| wave(at + 77)).collect();
                let mut u = vec![0.0; b.len()];
                solver.solve(&engine, &b, &mut u, 1e-13, &mut work);
                for output in 0..outputs {
                    let at = output * 8 * d;
                    let factor = system(&engine, &kappa, &state, output, step.weight)
                        .llt(Side::Lower)
                        .expect("positive definite");
                    let exact = factor.solve(Mat::from_fn(8 * d, 1, |i, _| b[at + i]));
                    for i in 0..8 * d {
                        let error = (u[at + i] - exact[(i, 0)]).abs();
                        assert!(error <= 1e-10, "{n} {outputs}: {error:e}");
                    }
                }
            }
        }
    }
}
