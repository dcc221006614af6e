//! Blocks of `X` and of wide arrays, in `f64`.

use super::{BLOCK, Engine};
use crate::inner::norm;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use std::ops::Range;

pub(super) fn widen<T: Real>(values: &[T], out: &mut [f64]) {
    for (out, value) in out.iter_mut().zip(values) {
        *out = value.wide();
    }
}

/// A block of `X` and of a wide array, in `f64`.
pub(super) struct Wide<T> {
    /// For rows that are not in memory.
    room: Vec<T>,
    x: Vec<f64>,
    pub z: Vec<f64>,
    columns: usize,
}

impl<T: Real> Wide<T> {
    pub fn new(engine: &Engine<'_, T>, columns: usize) -> Self {
        Self {
            room: Vec::new(),
            x: vec![0.0; BLOCK * engine.features()],
            z: vec![0.0; BLOCK * columns],
            columns,
        }
    }

    fn load(&mut self, engine: &Engine<'_, T>, block: &Range<usize>) {
        let d = engine.features();
        if let Some(exact) = engine.exact {
            let rows = &exact.values()[block.start * d..block.end * d];
            return self.x[..rows.len()].copy_from_slice(rows);
        }
        let room: &mut Vec<T> = &mut self.room;
        widen(engine.x.block(block.clone(), room), &mut self.x);
    }

    /// `Z = X_block U`
    pub fn multiply(&mut self, engine: &Engine<'_, T>, block: &Range<usize>, u: &[f64]) {
        self.load(engine, block);
        let d = engine.features();
        matmul(
            MatMut::from_column_major_slice_mut(&mut self.z, BLOCK, self.columns)
                .subrows_mut(0, block.len()),
            Accum::Replace,
            MatRef::from_row_major_slice(&self.x[..block.len() * d], block.len(), d),
            MatRef::from_column_major_slice(u, d, self.columns),
            1.0,
            Par::Seq,
        );
    }

    /// `sum += X_blockᵀ Z`; returns `‖X_block‖`
    pub fn add_adjoint(
        &mut self,
        engine: &Engine<'_, T>,
        block: &Range<usize>,
        sum: &mut [f64],
    ) -> f64 {
        self.load(engine, block);
        let d = engine.features();
        matmul(
            MatMut::from_column_major_slice_mut(sum, d, self.columns),
            Accum::Add,
            MatRef::from_row_major_slice(&self.x[..block.len() * d], block.len(), d).transpose(),
            MatRef::from_column_major_slice(&self.z, BLOCK, self.columns).subrows(0, block.len()),
            1.0,
            Par::Seq,
        );
        norm(&self.x[..block.len() * d])
    }
}
