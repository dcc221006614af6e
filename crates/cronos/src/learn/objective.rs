//! The objective of the network itself, and its gradient.

use super::descent::{Landscape, Slope};
use super::features::Features;
use super::hidden::Hidden;
use crate::inner::{add_scaled, dot, norm};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows in a block that stays in cache, and in a part that runs in parallel.
const BLOCK: usize = 256;
pub(crate) const PART: usize = 4 * BLOCK;

/// `Σ_i weight_i loss(f(x_i), y_i) + ½ β Σ_j (‖w_j‖² + ‖a_j‖²)`
pub(crate) struct Objective<'a, T, X = Matrix<T>> {
    pub x: &'a X,
    pub y: &'a Matrix<T>,
    pub weights: Option<&'a [f64]>,
    pub loss: Loss,
    pub beta: f64,
}

/// What one part of the rows adds.
pub(crate) struct Part<T> {
    pub loss: f64,
    /// As `Hidden::values`, or empty.
    pub gradient: Vec<T>,
    /// Gradient of the loss in the predictions: rows x C; empty if there is the other.
    pub pull: Vec<T>,
}

impl<T: Real, X: Features<T>> Objective<'_, T, X> {
    /// Value and gradient, as `Hidden::values`. Parts of so many rows are added in order, so the
    /// result is the same for any number of threads.
    pub fn slope_in_parts(&self, units: &Hidden<T>, rows: usize) -> Slope<Vec<T>> {
        let parts = X::parts(self, units, true, rows);
        let beta = T::of(self.beta);
        let mut gradient: Vec<T> = units.values.iter().map(|&value| beta * value).collect();
        let mut loss = 0.0;
        for part in &parts {
            loss += part.loss;
            for (sum, &term) in gradient.iter_mut().zip(&part.gradient) {
                *sum += term;
            }
        }
        let penalty = 0.5 * self.beta * crate::inner::norm_squared(&units.values);
        Slope {
            value: loss + penalty,
            loss,
            gradient,
        }
    }

    /// The loss without the penalty, and its gradient in the predictions: n x C,
    /// row by row.
    pub fn pull(&self, units: &Hidden<T>) -> (f64, Vec<T>) {
        let parts = X::parts(self, units, false, PART);
        let loss = parts.iter().map(|part| part.loss).sum();
        (loss, parts.into_iter().flat_map(|part| part.pull).collect())
    }

    /// `f` becomes the gradient of the loss for the rows from `from` on, and `loss` grows by it.
    pub fn losses(&self, from: usize, f: &mut [T], loss: &mut f64) {
        let outputs = self.y.columns();
        let mut wide = vec![0.0; 3 * outputs];
        let (prediction, rest) = wide.split_at_mut(outputs);
        let (target, pull) = rest.split_at_mut(outputs);
        for (f, row) in f.chunks_mut(outputs).zip(from..) {
            for c in 0..outputs {
                (prediction[c], target[c]) = (f[c].wide(), self.y.at(row, c).wide());
            }
            let weight = self.weights.map_or(1.0, |weights| weights[row]);
            *loss += weight * self.loss.value_and_gradient(prediction, target, pull);
            for (f, pull) in f.iter_mut().zip(pull.iter()) {
                *f = T::of(weight * pull);
            }
        }
    }
}

impl<T: Real, X: Features<T>> Landscape for Objective<'_, T, X> {
    type Point = Hidden<T>;
    type Vector = Vec<T>;

    fn slope(&self, units: &Hidden<T>) -> Slope<Vec<T>> {
        self.slope_in_parts(units, PART)
    }

    fn go(&self, units: &mut Hidden<T>, factor: f64, vector: &Vec<T>) {
        add_scaled(&mut units.values, T::of(factor), vector);
    }

    fn length(&self, units: &Hidden<T>) -> f64 {
        norm(&units.values)
    }

    fn dot(&self, a: &Vec<T>, b: &Vec<T>) -> f64 {
        dot(a, b)
    }

    fn add(&self, a: &mut Vec<T>, factor: f64, b: &Vec<T>) {
        add_scaled(a, T::of(factor), b);
    }

    fn scaled(&self, factor: f64, a: &Vec<T>) -> Vec<T> {
        let factor = T::of(factor);
        a.iter().map(|&a| factor * a).collect()
    }
}

impl<T: Real> Objective<'_, T> {
    pub(super) fn dense_parts(
        &self,
        units: &Hidden<T>,
        with_gradient: bool,
        rows: usize,
    ) -> Vec<Part<T>> {
        let n = self.x.rows();
        (0..n.div_ceil(rows))
            .into_par_iter()
            .map(|at| {
                let mut part = Part {
                    loss: 0.0,
                    gradient: vec![T::ZERO; if with_gradient { units.values.len() } else { 0 }],
                    pull: Vec::new(),
                };
                let mut z = vec![T::ZERO; BLOCK * units.len()];
                let end = n.min((at + 1) * rows);
                for from in (at * rows..end).step_by(BLOCK) {
                    self.block(from, end.min(from + BLOCK), units, &mut z, &mut part);
                }
                part
            })
            .collect()
    }

    fn block(&self, from: usize, to: usize, units: &Hidden<T>, z: &mut [T], part: &mut Part<T>) {
        let (d, m, outputs, rows) = (units.features, units.len(), units.outputs, to - from);
        let x = self.x.view(from, to);
        let outer = MatRef::from_column_major_slice(units.outer(), outputs, m);
        let z = &mut z[..rows * m];
        // z = max(X w, 0)
        product(
            MatMut::from_column_major_slice_mut(z, rows, m),
            x,
            MatRef::from_column_major_slice(units.inner(), d, m),
            Accum::Replace,
        );
        for z in z.iter_mut() {
            *z = z.positive_part();
        }
        let mut f = vec![T::ZERO; rows * outputs];
        product(
            MatMut::from_row_major_slice_mut(&mut f, rows, outputs),
            MatRef::from_column_major_slice(z, rows, m),
            outer.transpose(),
            Accum::Replace,
        );
        self.losses(from, &mut f, &mut part.loss);
        if part.gradient.is_empty() {
            part.pull.extend_from_slice(&f);
            return;
        }
        let pull = MatRef::from_row_major_slice(&f, rows, outputs);
        let (of_inner, of_outer) = part.gradient.split_at_mut(d * m);
        product(
            MatMut::from_column_major_slice_mut(of_outer, outputs, m),
            pull.transpose(),
            MatRef::from_column_major_slice(z, rows, m),
            Accum::Add,
        );
        // z becomes 1(z > 0) (pull · a)
        let mut back = vec![T::ZERO; rows * m];
        product(
            MatMut::from_column_major_slice_mut(&mut back, rows, m),
            pull,
            outer,
            Accum::Replace,
        );
        for (back, &z) in back.iter_mut().zip(z.iter()) {
            *back = if z > T::ZERO { *back } else { T::ZERO };
        }
        product(
            MatMut::from_column_major_slice_mut(of_inner, d, m),
            x.transpose(),
            MatRef::from_column_major_slice(&back, rows, m),
            Accum::Add,
        );
    }
}

/// `out = a b`, or added to it.
pub(super) fn product<T: Real>(out: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>, how: Accum) {
    matmul(out, how, a, b, T::ONE, Par::Seq);
}

/// The predictions of dense rows: n x C, row by row.
pub(super) fn predict<T: Real>(x: &Matrix<T>, units: &Hidden<T>) -> Vec<f64> {
    let (d, m, outputs) = (units.features, units.len(), units.outputs);
    let mut f = vec![0.0; x.rows() * outputs];
    f.par_chunks_mut(BLOCK * outputs)
        .enumerate()
        .for_each(|(at, f)| {
            let rows = f.len() / outputs;
            let mut z = vec![T::ZERO; rows * m];
            product(
                MatMut::from_column_major_slice_mut(&mut z, rows, m),
                x.view(at * BLOCK, at * BLOCK + rows),
                MatRef::from_column_major_slice(units.inner(), d, m),
                Accum::Replace,
            );
            for (z, a) in z.chunks(rows).zip(units.outer().chunks(outputs)) {
                for (f, z) in f.chunks_mut(outputs).zip(z) {
                    for (f, a) in f.iter_mut().zip(a) {
                        *f += a.wide() * z.positive_part().wide();
                    }
                }
            }
        });
    f
}
