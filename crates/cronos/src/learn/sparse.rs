//! Sparse rows as learning sees them: divided by one number, never centred, and with a column of ones that
//! is not stored.
//!
//! A product with all units reads every entry once, there by rows and back by columns; so nothing is cut into
//! parts but the rows of either product.

use super::features::Features;
use super::hidden::Hidden;
use super::objective::{Objective, Part};
use crate::real::Real;
use crate::sparse::{Sparse, flip};
use rayon::prelude::*;
use std::borrow::Cow;

/// Rows whose losses are summed together.
const BLOCK: usize = 256;

/// `Z = (X / scale, 1)`, by rows and by columns.
#[derive(Clone)]
pub(crate) struct SparseRows<'a> {
    by_row: Cow<'a, Sparse>,
    by_column: Sparse,
    scale: f64,
    bias: bool,
}

/// What a block of rows gives.
struct Block<T> {
    loss: f64,
    /// Gradient of the loss in the predictions, rows x C.
    pull: Vec<T>,
    /// In what goes into the units, rows x m.
    back: Vec<T>,
    /// In the outer weights, m x C.
    of_outer: Vec<T>,
}

impl<'a> SparseRows<'a> {
    pub fn new(x: Cow<'a, Sparse>, scale: f64, bias: bool) -> Self {
        Self {
            by_column: x.transposed(),
            by_row: x,
            scale,
            bias,
        }
    }

    /// The rows with these indices, in this order.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self::new(Cow::Owned(self.by_row.select(rows)), self.scale, self.bias)
    }

    /// Bytes of both copies of a matrix with so many entries.
    pub fn bytes(rows: usize, columns: usize, entries: usize) -> u64 {
        let starts = (rows + columns + 2).saturating_mul(size_of::<usize>());
        starts.saturating_add(entries.saturating_mul(4 * size_of::<f32>())) as u64
    }

    /// `Z W` for `w` of `d x k` numbers, column by column; row by row.
    pub fn forward<T: Real>(&self, w: &[T], k: usize) -> Vec<T> {
        let d = self.by_row.columns();
        let mut v = flip(w, k, d + usize::from(self.bias));
        let inverse = T::of(1.0 / self.scale);
        v[..d * k].iter_mut().for_each(|v| *v *= inverse);
        let mut z = self.by_row.times(&v[..d * k], k);
        for z in z.chunks_mut(k.max(1)) {
            for (z, &ones) in z.iter_mut().zip(&v[d * k..]) {
                *z += ones;
            }
        }
        z
    }

    /// `Zᵀ B` for `b` of `n x k` numbers, row by row; row by row.
    pub fn backward<T: Real>(&self, b: &[T], k: usize) -> Vec<T> {
        let mut out = self.by_column.times(b, k);
        let inverse = T::of(1.0 / self.scale);
        out.iter_mut().for_each(|out| *out *= inverse);
        if self.bias {
            let mut sums = vec![T::ZERO; k];
            for b in b.chunks(k.max(1)) {
                for (sum, &b) in sums.iter_mut().zip(b) {
                    *sum += b;
                }
            }
            out.extend(sums);
        }
        out
    }
}

impl<T: Real> Features<T> for SparseRows<'_> {
    fn rows(&self) -> usize {
        self.by_row.rows()
    }

    fn columns(&self) -> usize {
        self.by_row.columns() + usize::from(self.bias)
    }

    fn select(&self, rows: &[usize]) -> Self {
        self.select(rows)
    }

    fn used(&self) -> Vec<bool> {
        let used = |column: usize| self.by_column.row(column).1.iter().any(|&x| x != 0.0);
        let columns = (0..self.by_row.columns()).map(used);
        columns.chain(self.bias.then_some(true)).collect()
    }

    fn times(&self, v: &[T], out: &mut [T]) {
        let n = self.by_row.rows();
        let k = out.len() / n;
        out.copy_from_slice(&flip(&self.forward(v, k), n, k));
    }

    fn times_back(&self, z: &[T], out: &mut [T]) {
        let n = self.by_row.rows();
        let k = z.len() / n;
        let products = self.backward(&flip(z, k, n), k);
        out.copy_from_slice(&flip(&products, out.len() / k, k));
    }

    fn parts(
        objective: &Objective<'_, T, Self>,
        units: &Hidden<T>,
        with_gradient: bool,
        _: usize,
    ) -> Vec<Part<T>> {
        let (x, m, n) = (objective.x, units.len(), objective.y.rows());
        let z = x.forward(units.inner(), m);
        let blocks: Vec<Block<T>> = (0..n.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let (from, to) = (block * BLOCK, n.min((block + 1) * BLOCK));
                objective.block(from, &z[from * m..to * m], to - from, units, with_gradient)
            })
            .collect();
        let loss = blocks.iter().map(|block| block.loss).sum();
        let joined = |array: fn(&Block<T>) -> &[T]| -> Vec<T> {
            blocks.iter().flat_map(array).copied().collect()
        };
        if !with_gradient {
            return vec![Part {
                loss,
                gradient: Vec::new(),
                pull: joined(|block| &block.pull),
            }];
        }
        let of_inner = x.backward(&joined(|block| &block.back), m);
        let mut gradient = flip(&of_inner, units.features, m);
        let mut of_outer = vec![T::ZERO; m * units.outputs];
        for block in &blocks {
            for (sum, &term) in of_outer.iter_mut().zip(&block.of_outer) {
                *sum += term;
            }
        }
        gradient.extend(of_outer);
        vec![Part {
            loss,
            gradient,
            pull: Vec::new(),
        }]
    }

    fn predict(&self, units: &Hidden<T>) -> Vec<f64> {
        let (m, outputs) = (units.len(), units.outputs);
        let mut f = vec![0.0; self.by_row.rows() * outputs];
        let z = self.forward(units.inner(), m);
        for (f, z) in f.chunks_mut(outputs).zip(z.chunks(m.max(1))) {
            for (z, a) in z.iter().zip(units.outer().chunks(outputs)) {
                for (f, a) in f.iter_mut().zip(a) {
                    *f += a.wide() * z.positive_part().wide();
                }
            }
        }
        f
    }
}

impl<T: Real> Objective<'_, T, SparseRows<'_>> {
    /// What the rows from `from` on give; `z` is what goes into their units, rows x m.
    fn block(
        &self,
        from: usize,
        z: &[T],
        rows: usize,
        units: &Hidden<T>,
        with_gradient: bool,
    ) -> Block<T> {
        let (m, outputs) = (units.len(), units.outputs);
        let outer = units.outer();
        let mut block = Block {
            loss: 0.0,
            pull: vec![T::ZERO; rows * outputs],
            back: Vec::new(),
            of_outer: Vec::new(),
        };
        // f = Σ_j a_j max(z_j, 0)
        for (f, z) in block.pull.chunks_mut(outputs).zip(z.chunks(m.max(1))) {
            for (z, a) in z.iter().zip(outer.chunks(outputs)) {
                for (f, &a) in f.iter_mut().zip(a) {
                    *f += a * z.positive_part();
                }
            }
        }
        self.losses(from, &mut block.pull, &mut block.loss);
        if !with_gradient {
            return block;
        }
        block.back = vec![T::ZERO; rows * m];
        block.of_outer = vec![T::ZERO; m * outputs];
        let rows = z.chunks(m.max(1)).zip(block.back.chunks_mut(m.max(1)));
        for ((z, back), pull) in rows.zip(block.pull.chunks(outputs)) {
            for (j, (&z, back)) in z.iter().zip(back).enumerate() {
                if z > T::ZERO {
                    let a = &outer[j * outputs..][..outputs];
                    let of_outer = &mut block.of_outer[j * outputs..][..outputs];
                    for ((&a, &pull), of_outer) in a.iter().zip(pull).zip(of_outer) {
                        *back += pull * a;
                        *of_outer += pull * z;
                    }
                }
            }
        }
        block
    }
}
