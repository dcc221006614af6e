//! `direct` when the splits are held with a stiffness of their own, so that every
//! group has a matrix of its own:
//!
//! ```text
//! M_g = κ_g I + Xᵀ R_g X ,   S = (1/c) I + Σ_g D_g X M_g⁻¹ Xᵀ D_g
//! u ← M⁻¹ b ;  r = Σ_i D_i X (v_i − w_i) ;  S t = r ;  u_g ← u_g ∓ M_g⁻¹ Xᵀ D_i t
//! ```

use super::USolver;
use super::metric::gram;
use super::roots::{Class, Roots};
use crate::Error;
use crate::cholesky::Tiled;
use crate::engine::{Engine, RowState, Workspace};
use crate::real::Real;
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut};

/// Holds the roots of all `M_g` and the factor of `S`, one for each output unless
/// the outputs share it.
pub(crate) struct Stiff<T> {
    /// `XᵀX`, lower half
    gram: Mat<f64>,
    roots: Roots<T>,
    factors: Vec<Tiled<T>>,
    /// d x (2 P C)
    both: Vec<T>,
    solved: Vec<T>,
    /// d x (P C)
    q: Vec<T>,
    /// n x C
    t: Vec<T>,
}

impl<T: Real> Stiff<T> {
    /// Everything but the matrices, which `set_stiffness` makes.
    pub fn new(engine: &Engine<'_, T>, outputs: usize) -> Self {
        let wide = engine.weights_per_output() * outputs;
        Self {
            gram: gram(engine.x),
            roots: Roots::default(),
            factors: Vec::new(),
            both: vec![T::ZERO; wide],
            solved: vec![T::ZERO; wide],
            q: vec![T::ZERO; wide / 2],
            t: vec![T::ZERO; engine.rows() * outputs],
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
        weight: f64,
    ) -> Result<(), Error> {
        self.factors.clear();
        self.roots = if state.stiffness.is_empty() {
            Roots::shared(&self.gram, kappa)?
        } else {
            Roots::own(engine, &self.gram, kappa, state)?
        };
        let per_output = engine.columns_per_output();
        let outputs = kappa.len() / per_output;
        let same = state.stiffness.is_empty()
            && (kappa.chunks(per_output)).all(|of| of == &kappa[..per_output]);
        for c in 0..if same { 1 } else { outputs } {
            let groups = c * per_output..(c + 1) * per_output;
            let sample = self.roots.sample_matrix(engine, groups, weight);
            self.factors.push(sample.factor()?);
        }
        Ok(())
    }

    fn solve(
        &mut self,
        engine: &Engine<'_, T>,
        b: &[T],
        u: &mut [T],
        _: f64,
        work: &mut Workspace<T>,
    ) -> usize {
        let half = engine.features() * engine.gates.len();
        // u = M⁻¹ b ;  q = v − w
        self.roots.solve(b, u);
        for (q, u) in self.q.chunks_mut(half).zip(u.chunks(2 * half)) {
            let (v, w) = u.split_at(half);
            for ((q, &v), &w) in q.iter_mut().zip(v).zip(w) {
                *q = v - w;
            }
        }
        // r = Σ_i D_i X q_i ;  S t = r
        engine.masked_sum(&self.q, &mut self.t, work);
        let n = engine.rows();
        if let [factor] = &self.factors[..] {
            let count = self.t.len() / n;
            solve(
                factor,
                MatMut::from_column_major_slice_mut(&mut self.t, n, count),
            );
        } else {
            for (t, factor) in self.t.chunks_mut(n).zip(&self.factors) {
                solve(factor, MatMut::from_column_major_slice_mut(t, n, 1));
            }
        }
        // u_g ← u_g ∓ M_g⁻¹ Xᵀ D_i t
        engine.masked_spread(&self.t, &mut self.q, work);
        for (both, q) in self.both.chunks_mut(2 * half).zip(self.q.chunks(half)) {
            let (v, w) = both.split_at_mut(half);
            v.copy_from_slice(q);
            for (w, &q) in w.iter_mut().zip(q) {
                *w = -q;
            }
        }
        self.roots.solve(&self.both, &mut self.solved);
        for (u, &solved) in u.iter_mut().zip(&self.solved) {
            *u -= solved;
        }
        0
    }
}

fn solve<T: Real>(factor: &Tiled<T>, mut t: MatMut<'_, T>) {
    factor.solve_lower(t.rb_mut());
    factor.solve_upper(t);
}

impl<T: Real> Roots<T> {
    /// `S = (1/c) I + Σ_g D_g X M_g⁻¹ Xᵀ D_g` over the groups of one output.
    fn sample_matrix(
        &self,
        engine: &Engine<'_, T>,
        groups: std::ops::Range<usize>,
        weight: f64,
    ) -> Tiled<T> {
        let mut sample = Tiled::from_tiles(engine.rows(), |row, column, mut tile| {
            if row == column {
                for i in 0..tile.nrows() {
                    tile[(i, i)] = T::of(1.0 / weight);
                }
            }
        });
        for class in self.classes() {
            let gates: Vec<usize> = (class.groups.iter())
                .filter(|group| groups.contains(group))
                .map(|group| group % engine.gates.len())
                .collect();
            match gates[..] {
                [] => {}
                [gate] => class.add_one(engine, gate, &mut sample),
                _ => class.add_many(engine, &gates, &mut sample),
            }
        }
        sample
    }
}

impl<T: Real> Class<T> {
    /// `S += D_i K D_i`: only rows on which the gate is active are touched.
    fn add_one(&self, engine: &Engine<'_, T>, gate: usize, sample: &mut Tiled<T>) {
        let active: Vec<usize> = (0..engine.rows())
            .filter(|&row| engine.gates.active(gate, row))
            .collect();
        let white = self.whiten(engine.x.select(&active).values());
        let d = engine.features();
        sample.update_tiles(|row, column, rows, tile| {
            let within = |from: usize, count: usize| {
                let first = active.partition_point(|&active| active < from);
                first..active.partition_point(|&active| active < from + count)
            };
            let (left, right) = (within(row, rows), within(column, tile.len() / rows));
            let mut product = Mat::zeros(left.len(), right.len());
            super::metric::outer_tile(&white, d, left.start, right.start, product.as_mut());
            for (product, &to) in product.col_iter().zip(&active[right]) {
                let tile = &mut tile[(to - column) * rows..][..rows];
                for (&value, &from) in product.iter().zip(&active[left.clone()]) {
                    tile[from - row] += value;
                }
            }
        });
    }

    /// `S += K ∘ (Σ_i d_i d_iᵀ)` over some gates.
    fn add_many(&self, engine: &Engine<'_, T>, gates: &[usize], sample: &mut Tiled<T>) {
        let white = self.whiten(engine.x.values());
        let d = engine.features();
        let bits = engine.gates.by_row_of(gates);
        let words = bits.len() / engine.rows();
        sample.update_tiles(|row, column, rows, tile| {
            let mut product = Mat::zeros(rows, tile.len() / rows);
            super::metric::outer_tile(&white, d, row, column, product.as_mut());
            for (j, (product, tile)) in product.col_iter().zip(tile.chunks_mut(rows)).enumerate() {
                let b = &bits[(column + j) * words..][..words];
                for (i, (&value, out)) in product.iter().zip(tile).enumerate() {
                    let a = &bits[(row + i) * words..][..words];
                    let shared: u32 = a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum();
                    *out += T::of(f64::from(shared)) * value;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SweepStep;
    use crate::gates::Gates;
    use crate::loss::Loss;
    use crate::matrix::Matrix;
    use crate::program::Activation;
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
                let product = engine.x.at(row, i) * engine.x.at(row, j);
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
        for (n, d, outputs, own) in [
            (300, 5, 1, false),
            (300, 5, 2, false),
            (300, 5, 1, true),
            (40, 7, 3, true),
        ] {
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
            if own {
                engine.stiffen(&mut state, 50.0, 0.2);
            }
            let groups = 8 * outputs;
            let kappa: Vec<f64> = (0..groups).map(|g| [0.25, 1.0, 4.0][g * g % 3]).collect();
            let mut solver = Stiff::new(&engine, outputs);
            solver
                .set_stiffness(&engine, &kappa, &state, step.weight)
                .expect("factored");
            let b: Vec<f64> = (0..groups * d).map(|at| wave(at + 77)).collect();
            let mut u = vec![0.0; b.len()];
            let mut work = engine.workspace(outputs);
            solver.solve(&engine, &b, &mut u, 0.0, &mut work);
            for output in 0..outputs {
                let at = output * 8 * d;
                let factor = system(&engine, &kappa, &state, output, step.weight)
                    .llt(Side::Lower)
                    .expect("positive definite");
                let exact = factor.solve(Mat::from_fn(8 * d, 1, |i, _| b[at + i]));
                for i in 0..8 * d {
                    let error = (u[at + i] - exact[(i, 0)]).abs();
                    assert!(error <= 1e-10, "{n} {outputs} {own}: {error:e}");
                }
            }
        }
    }
}
