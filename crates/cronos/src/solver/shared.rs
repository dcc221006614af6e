//! What solvers add up over the rows, those of other ranks included.

use super::metric;
use crate::engine::{BLOCK, Engine};
use crate::nystrom::Nystrom;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::ops::Range;

/// Columns of a sum of outer products that ranks add up at a time.
const PANEL: usize = 256;

/// `XᵀX`, lower half.
pub(super) fn gram<T: Real>(engine: &Engine<'_, T>) -> Mat<f64> {
    if engine.team().is_alone() {
        return metric::gram(engine.x);
    }
    let chunks = engine.chunks();
    weighted(engine, &chunks, |rows| {
        rows.clone().map(|row| (row, 1.0)).collect()
    })
}

/// `Σ (r − soft) x xᵀ` over the rows that are held more stiffly than the softest; lower half.
pub(super) fn stiff_gram<T: Real>(engine: &Engine<'_, T>, stiffness: &[T], soft: f64) -> Mat<f64> {
    let chunks = engine.chunks();
    weighted(engine, &chunks, |rows| {
        let extra = rows.clone().map(|row| (row, stiffness[row].wide() - soft));
        let extra = extra.filter(|&(_, extra)| extra > 0.0);
        extra.map(|(row, extra)| (row, extra.sqrt())).collect()
    })
}

/// `Σ a² x xᵀ` over the rows and factors `a` that are chosen of each chunk, for a panel of columns
/// at a time.
fn weighted<T: Real>(
    engine: &Engine<'_, T>,
    chunks: &[Range<usize>],
    chosen: impl Fn(&Range<usize>) -> Vec<(usize, f64)> + Sync,
) -> Mat<f64> {
    let d = engine.features();
    let mut gram = Mat::<f64>::zeros(d, d);
    for from in (0..d).step_by(PANEL) {
        let (height, width) = (d - from, PANEL.min(d - from));
        let of_chunk = |rows: &Range<usize>| {
            let mut sum = vec![0.0; height * width];
            let mut wide = vec![0.0; BLOCK * height];
            let mut room = Vec::new();
            for rows in chosen(rows).chunks(BLOCK) {
                for (wide, &(row, factor)) in wide.chunks_mut(height).zip(rows) {
                    let x = engine.x.block(row..row + 1, &mut room);
                    for (wide, value) in wide.iter_mut().zip(&x[from..]) {
                        *wide = factor * value.wide();
                    }
                }
                let wide = &wide[..rows.len() * height];
                let block = MatRef::from_row_major_slice(wide, rows.len(), height);
                matmul(
                    MatMut::from_column_major_slice_mut(&mut sum, height, width),
                    Accum::Add,
                    block.transpose(),
                    block.subcols(0, width),
                    1.0,
                    Par::Seq,
                );
            }
            sum
        };
        let parts: Vec<Vec<f64>> = chunks.par_iter().map(of_chunk).collect();
        let parts: Vec<&[f64]> = parts.iter().map(Vec::as_slice).collect();
        let mut sum = vec![0.0; height * width];
        engine.team().add_up(&parts, &mut sum);
        let panel = MatRef::from_column_major_slice(&sum, height, width);
        gram.as_mut()
            .submatrix_mut(from, from, height, width)
            .copy_from(panel);
    }
    gram
}

/// `P⁻¹ r`: n x C
pub(super) fn precondition<T: Real>(
    engine: &Engine<'_, T>,
    sketch: &Nystrom<T>,
    mu: f64,
    r: &[T],
    out: &mut [T],
) {
    if engine.team().is_alone() {
        return sketch.precondition(mu, r, out);
    }
    let parts: Vec<Mat<T>> = (engine.chunks().into_par_iter())
        .map(|rows| sketch.along(r, rows))
        .collect();
    let flat = |part: &Mat<T>| -> Vec<T> {
        let columns = part.col_iter();
        columns.flat_map(|column| column.iter().copied()).collect()
    };
    let parts: Vec<Vec<T>> = parts.iter().map(flat).collect();
    let parts: Vec<&[T]> = parts.iter().map(Vec::as_slice).collect();
    let (rank, columns) = (sketch.rank(), r.len() / engine.rows());
    let mut along = vec![T::ZERO; rank * columns];
    engine.team().add_up(&parts, &mut along);
    let along = Mat::from_fn(rank, columns, |i, c| along[c * rank + i]);
    sketch.precondition_along(mu, along, r, out);
}
