//! `S = (1/c) I + Σ_g D_g X M_g⁻¹ Xᵀ D_g`, tile by tile.

use super::metric::outer_tile;
use super::roots::Roots;
use crate::cholesky::Tiled;
use crate::engine::Engine;
use crate::real::Real;
use faer::{Mat, MatMut};
use rayon::prelude::*;
use std::ops::Range;

/// Gates whose whitened rows are held at a time.
const BATCH: usize = 16;

/// The rows on which a gate is active, and `X W_gᵀ` on them for its `v` and its `w`,
/// side by side.
struct Seen<T> {
    rows: Vec<usize>,
    white: Vec<T>,
}

impl<T: Real> Roots<T> {
    /// `S` over the groups of one output.
    pub fn sample_matrix(
        &self,
        engine: &Engine<'_, T>,
        groups: Range<usize>,
        weight: f64,
    ) -> Tiled<T> {
        let mut sample = Tiled::from_tiles(engine.rows(), |row, column, mut tile| {
            if row == column {
                for i in 0..tile.nrows() {
                    tile[(i, i)] = T::of(1.0 / weight);
                }
            }
        });
        let gates: Vec<usize> = (0..engine.gates.len()).collect();
        for batch in gates.chunks(BATCH) {
            let batch: Vec<Seen<T>> = batch
                .par_iter()
                .map(|&gate| {
                    let of_gate = [groups.start + gate, groups.start + gates.len() + gate];
                    Seen::new(engine, gate, self, of_gate)
                })
                .collect();
            sample.update_tiles(|row, column, rows, tile| {
                for seen in &batch {
                    seen.add(row, column, rows, tile);
                }
            });
        }
        sample
    }
}

impl<T: Real> Seen<T> {
    fn new(engine: &Engine<'_, T>, gate: usize, roots: &Roots<T>, groups: [usize; 2]) -> Self {
        let rows: Vec<usize> = (0..engine.rows())
            .filter(|&row| engine.gates.active(gate, row))
            .collect();
        let (d, active) = (engine.features(), engine.matrix().select(&rows));
        let mut white = vec![T::ZERO; 2 * d * rows.len()];
        let both = MatMut::from_row_major_slice_mut(&mut white, rows.len(), 2 * d);
        let (v, w) = both.split_at_col_mut(d);
        for (group, out) in groups.into_iter().zip([v, w]) {
            roots.whiten(group, active.values(), out);
        }
        Self { rows, white }
    }

    /// `S += D K D` on one tile: only rows on which the gate is active are touched.
    fn add(&self, row: usize, column: usize, rows: usize, tile: &mut [T]) {
        let within = |from: usize, count: usize| {
            let first = self.rows.partition_point(|&row| row < from);
            first..self.rows.partition_point(|&row| row < from + count)
        };
        let (left, right) = (within(row, rows), within(column, tile.len() / rows));
        let mut product = Mat::zeros(left.len(), right.len());
        let (from, to) = (left.start, right.start);
        let width = self.white.len() / self.rows.len().max(1);
        outer_tile(&self.white, width, from, to, product.as_mut());
        for (product, &to) in product.col_iter().zip(&self.rows[right]) {
            let tile = &mut tile[(to - column) * rows..][..rows];
            for (&value, &from) in product.iter().zip(&self.rows[left.clone()]) {
                tile[from - row] += value;
            }
        }
    }
}
