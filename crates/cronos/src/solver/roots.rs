//! `M_g = κ_g I + Xᵀ R_g X` of every group, by the roots of their inverses.

use crate::Error;
use crate::dense;
use crate::engine::{Engine, RowState};
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns handled by one task.
const PIECE: usize = 32;

/// Groups with the same `M`, and `W = L⁻¹` for `M = L Lᵀ`.
pub(crate) struct Class<T> {
    root: Mat<T>,
    pub groups: Vec<usize>,
}

/// All groups by classes.
pub(crate) struct Roots<T> {
    classes: Vec<Class<T>>,
    /// Class of a task, and the range of its groups.
    tasks: Vec<(usize, std::ops::Range<usize>)>,
}

impl<T> Default for Roots<T> {
    fn default() -> Self {
        Self {
            classes: Vec::new(),
            tasks: Vec::new(),
        }
    }
}

impl<T: Real> Roots<T> {
    /// `M_g = κ_g I + XᵀX`: one class for each distinct `κ`.
    pub fn shared(gram: &Mat<f64>, kappa: &[f64]) -> Result<Self, Error> {
        let mut distinct = kappa.to_vec();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let classes = distinct.into_par_iter().map(|value| {
            let groups = (0..kappa.len()).filter(|&g| kappa[g] == value).collect();
            Class::new(add_diagonal(gram.clone(), value), groups)
        });
        Ok(Self::of(classes.collect::<Result<_, _>>()?))
    }

    /// `M_g = κ_g I + Xᵀ R_g X`: every group is a class.
    ///
    /// `R` has two values, so `XᵀRX = soft XᵀX + (stiff − soft) X_AᵀX_A` with `A` the
    /// stiff rows, which are few.
    pub fn own(
        engine: &Engine<'_, T>,
        gram: &Mat<f64>,
        kappa: &[f64],
        state: &RowState<T>,
    ) -> Result<Self, Error> {
        let soft = (state.stiffness.iter()).fold(f64::INFINITY, |least, r| least.min(r.wide()));
        let d = engine.features();
        let classes = (0..kappa.len()).into_par_iter().map(|group| {
            let mut matrix = Mat::from_fn(d, d, |i, j| soft * gram[(i, j)]);
            let stiffness = engine.stiffness_of(state, group);
            let stiff: Vec<f64> = (stiffness.iter().enumerate())
                .filter(|(_, r)| r.wide() > soft)
                .flat_map(|(row, r)| {
                    let extra = (r.wide() - soft).sqrt();
                    engine.x.row(row).iter().map(move |x| extra * x.wide())
                })
                .collect();
            let stiff = MatRef::from_row_major_slice(&stiff, stiff.len() / d, d);
            add_gram(matrix.as_mut(), stiff);
            Class::new(add_diagonal(matrix, kappa[group]), vec![group])
        });
        Ok(Self::of(classes.collect::<Result<_, _>>()?))
    }

    fn of(classes: Vec<Class<T>>) -> Self {
        let tasks = (classes.iter().enumerate())
            .flat_map(|(at, class)| {
                let count = class.groups.len();
                (0..count)
                    .step_by(PIECE)
                    .map(move |from| (at, from..count.min(from + PIECE)))
            })
            .collect();
        Self { classes, tasks }
    }

    pub fn classes(&self) -> &[Class<T>] {
        &self.classes
    }

    /// `out_g = M_g⁻¹ b_g` for every group.
    pub fn solve(&self, b: &[T], out: &mut [T]) {
        let done: Vec<Mat<T>> = (self.tasks.par_iter())
            .map(|(class, range)| {
                let class = &self.classes[*class];
                let (root, groups) = (class.root.as_ref(), &class.groups[range.clone()]);
                let d = root.nrows();
                let b = Mat::from_fn(d, groups.len(), |i, j| b[groups[j] * d + i]);
                let mut half = Mat::zeros(d, groups.len());
                let mut whole = b;
                matmul(
                    half.as_mut(),
                    Accum::Replace,
                    root,
                    whole.as_ref(),
                    T::ONE,
                    Par::Seq,
                );
                let (to, from) = (whole.as_mut(), half.as_ref());
                matmul(to, Accum::Replace, root.transpose(), from, T::ONE, Par::Seq);
                whole
            })
            .collect();
        for ((class, range), done) in self.tasks.iter().zip(done) {
            let d = done.nrows();
            for (j, &group) in self.classes[*class].groups[range.clone()]
                .iter()
                .enumerate()
            {
                let out = &mut out[group * d..][..d];
                for (out, &value) in out.iter_mut().zip(done.col(j).iter()) {
                    *out = value;
                }
            }
        }
    }
}

impl<T: Real> Class<T> {
    fn new(mut matrix: Mat<f64>, groups: Vec<usize>) -> Result<Self, Error> {
        dense::cholesky(matrix.as_mut())?;
        let d = matrix.nrows();
        let mut root = Mat::<f64>::identity(d, d);
        solve_lower_triangular_in_place(matrix.as_ref(), root.as_mut(), Par::Seq);
        let root = Mat::from_fn(d, d, |i, j| T::of(root[(i, j)]));
        Ok(Self { root, groups })
    }

    /// `X Wᵀ` for rows of `X`, row by row.
    pub fn whiten(&self, rows: &[T]) -> Vec<T> {
        let d = self.root.nrows();
        let mut white = vec![T::ZERO; rows.len()];
        white
            .par_chunks_mut(256 * d)
            .zip(rows.par_chunks(256 * d))
            .for_each(|(white, rows)| {
                let count = rows.len() / d;
                matmul(
                    MatMut::from_row_major_slice_mut(white, count, d),
                    Accum::Replace,
                    MatRef::from_row_major_slice(rows, count, d),
                    self.root.transpose(),
                    T::ONE,
                    Par::Seq,
                );
            });
        white
    }
}

fn add_diagonal(mut matrix: Mat<f64>, value: f64) -> Mat<f64> {
    for i in 0..matrix.nrows() {
        matrix[(i, i)] += value;
    }
    matrix
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
