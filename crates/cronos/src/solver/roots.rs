//! `M_g = κ_g I + Xᵀ R_g X` of every group, by the roots of their inverses.

use super::shared;
use crate::Error;
use crate::dense;
use crate::engine::{Engine, RowState};
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Accum, ColMut, ColRef, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that are added to a matrix at a time.
const ROWS: usize = 1024;
/// Columns of a root that are read at a time.
const STRIP: usize = 64;

/// `W = L⁻¹` for `M = L Lᵀ`, so that `M⁻¹ = WᵀW`, of all groups.
pub(crate) struct Roots<T> {
    /// d x d, one after the other
    values: Vec<T>,
    size: usize,
}

impl<T: Real> Roots<T> {
    /// None yet, of groups with so many weights.
    pub fn empty(size: usize) -> Self {
        let values = Vec::new();
        Self { values, size }
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.values.len() / (self.size * self.size)
    }

    /// `W` of a group: lower triangular.
    pub fn root(&self, group: usize) -> MatRef<'_, T> {
        let d = self.size;
        MatRef::from_column_major_slice(&self.values[group * d * d..][..d * d], d, d)
    }

    /// Makes them anew. `R` has two values, so `XᵀRX = soft XᵀX + (stiff − soft) X_AᵀX_A` with `A`
    /// the stiff rows, which are few.
    ///
    /// gram: `XᵀX`, lower half; kappa: one for each group
    pub fn renew(
        &mut self,
        engine: &Engine<'_, T>,
        gram: &Mat<f64>,
        kappa: &[f64],
        state: &RowState<T>,
    ) -> Result<(), Error> {
        let soft = engine.softest(state);
        let d = self.size;
        self.values.resize(kappa.len() * d * d, T::ZERO);
        let start = |group: usize, matrix: &mut Mat<f64>| {
            for j in 0..d {
                for i in j..d {
                    matrix[(i, j)] = soft * gram[(i, j)];
                }
                matrix[(j, j)] += kappa[group];
            }
        };
        if !engine.team().is_alone() {
            // ranks add up one matrix after the other
            let mut room = Room::new(d);
            for (group, root) in self.values.chunks_mut(d * d).enumerate() {
                start(group, &mut room.matrix);
                let stiffness = engine.stiffness_of(state, group);
                room.matrix += shared::stiff_gram(engine, &stiffness, soft);
                room.invert(root)?;
            }
            return Ok(());
        }
        let roots = self.values.par_chunks_mut(d * d).enumerate();
        roots.try_for_each_init(
            || Room::new(d),
            |room, (group, root)| {
                start(group, &mut room.matrix);
                room.add_stiff(engine, &engine.stiffness_of(state, group), soft);
                room.invert(root)
            },
        )
    }

    /// `out_g = M_g⁻¹ b_g` for some groups, over and over if there are more columns.
    pub fn solve(&self, groups: Range<usize>, b: &[T], out: &mut [T]) {
        (out.par_chunks_mut(self.size).zip(b.par_chunks(self.size)))
            .enumerate()
            .for_each(|(at, (out, b))| {
                solve(self.root(groups.start + at % groups.len()), b, out);
            });
    }

    /// `X Wᵀ` of a group for rows of `X`, row by row, into a run of columns of a wider matrix.
    pub fn whiten(&self, group: usize, rows: &[T], out: MatMut<'_, T>) {
        let (count, d) = (out.nrows(), out.ncols());
        let rows = MatRef::from_row_major_slice(rows, count, d);
        let root = self.root(group).transpose();
        matmul(out, Accum::Replace, rows, root, T::ONE, Par::Seq);
    }
}

/// `out = Wᵀ W b`. `W` is lower triangular, so that its columns are read from the
/// diagonal down.
fn solve<T: Real>(root: MatRef<'_, T>, b: &[T], out: &mut [T]) {
    let d = b.len();
    let strip = |from: usize, width: usize| {
        let columns = root.subcols(from, width);
        columns.subrows(from, d - from)
    };
    let mut half = vec![T::ZERO; d];
    let mut half = ColMut::from_slice_mut(&mut half);
    let b = ColRef::from_slice(b);
    let mut out = ColMut::from_slice_mut(out);
    for from in (0..d).step_by(STRIP) {
        let width = STRIP.min(d - from);
        let b = b.subrows(from, width);
        let half = half.as_mut().subrows_mut(from, d - from);
        matmul(half, Accum::Add, strip(from, width), b, T::ONE, Par::Seq);
    }
    for from in (0..d).step_by(STRIP) {
        let width = STRIP.min(d - from);
        let root = strip(from, width).transpose();
        let out = out.as_mut().subrows_mut(from, width);
        let half = half.as_ref().subrows(from, d - from);
        matmul(out, Accum::Replace, root, half, T::ONE, Par::Seq);
    }
}

/// Where a root is made, in `f64`.
struct Room<T> {
    /// `M_g`, of which only the lower half counts, and its factor
    matrix: Mat<f64>,
    /// `W`, whose upper half stays zero: nobody writes there
    root: Mat<f64>,
    /// Stiff rows, and one that is not in memory.
    rows: Vec<f64>,
    row: Vec<T>,
}

impl<T: Real> Room<T> {
    fn new(d: usize) -> Self {
        Self {
            matrix: Mat::zeros(d, d),
            root: Mat::zeros(d, d),
            rows: Vec::new(),
            row: Vec::new(),
        }
    }

    /// `M += (stiff − soft) X_AᵀX_A`
    fn add_stiff(&mut self, engine: &Engine<'_, T>, stiffness: &[T], soft: f64) {
        let stiff: Vec<usize> = (0..stiffness.len())
            .filter(|&row| stiffness[row].wide() > soft)
            .collect();
        for rows in stiff.chunks(ROWS) {
            self.rows.clear();
            self.rows.reserve(rows.len() * engine.features());
            for &row in rows {
                let extra = (stiffness[row].wide() - soft).sqrt();
                let x = engine.x.block(row..row + 1, &mut self.row);
                self.rows.extend(x.iter().map(|x| extra * x.wide()));
            }
            let rows = MatRef::from_row_major_slice(&self.rows, rows.len(), engine.features());
            add_gram(self.matrix.as_mut(), rows);
        }
    }

    fn invert(&mut self, out: &mut [T]) -> Result<(), Error> {
        dense::cholesky(self.matrix.as_mut())?;
        invert_lower_triangular(self.root.as_mut(), self.matrix.as_ref(), Par::Seq);
        for (out, root) in out.chunks_mut(self.root.nrows()).zip(self.root.col_iter()) {
            for (out, &root) in out.iter_mut().zip(root.iter()) {
                *out = T::of(root);
            }
        }
        Ok(())
    }
}

/// `lower half of matrix += AᵀA`
fn add_gram(mut matrix: MatMut<'_, f64>, a: MatRef<'_, f64>) {
    use faer::linalg::matmul::triangular::{BlockStructure, matmul};
    matmul(
        matrix.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Add,
        a.transpose(),
        BlockStructure::Rectangular,
        a,
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}
