//! Shampoo: a matrix for each side of a tensor instead of a number for each parameter.
//!
//! A tensor of order `k` is seen from each of its sides `i` as a matrix `G_i` with one row
//! for each index on that side. With the sums `L_i = ε I + Σ G_i G_iᵀ` over all steps, the
//! gradient is multiplied by `L_i^(−1/2k)` on every side. Long sides are cut into blocks, and
//! the tensor with them, so that no matrix is larger than `SIDE`.

use super::{Layout, Memory, Optimizer, size};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows of a preconditioner at most.
const SIDE: usize = 256;

/// Steps at the beginning that compute the roots each time.
const FIRST: usize = 10;

/// Shampoo, with its matrices in blocks.
pub struct Shampoo {
    /// Learning rate.
    pub rate: f64,
    /// Weight decay.
    pub decay: f64,
    /// Steps between two computations of the roots, once the first few are done: until then
    /// the sums know too few directions, and each new one would be taken too far.
    pub every: usize,
    scale: f64,
    steps: usize,
    blocks: Vec<Block>,
}

impl Shampoo {
    /// For parameters of this layout; `epsilon` keeps the matrices from being singular.
    pub fn new(layout: &Layout, rate: f64, decay: f64, epsilon: f32) -> Self {
        let mut blocks = Vec::new();
        let mut first = 0;
        for whole in &layout.shapes {
            blocks.extend(
                cut(whole)
                    .into_iter()
                    .map(|part| Block::new(first, whole, part, epsilon)),
            );
            first += size(whole);
        }
        Self {
            rate,
            decay,
            every: 20,
            scale: 1.0,
            steps: 0,
            blocks,
        }
    }
}

impl Optimizer for Shampoo {
    fn step(&mut self, parameters: &mut [f32], gradient: &mut [f32]) {
        let decay = self.decay as f32;
        if decay != 0.0 {
            let pairs = gradient.iter_mut().zip(&*parameters);
            pairs.for_each(|(g, p)| *g += decay * p);
        }
        let renew = self.steps < FIRST || self.steps.is_multiple_of(self.every);
        self.steps += 1;
        let moves: Vec<Vec<f32>> = (self.blocks.par_iter_mut())
            .map(|block| block.precondition(block.read(gradient), renew))
            .collect();
        let rate = (self.rate * self.scale) as f32;
        for (block, moved) in self.blocks.iter().zip(moves) {
            block.move_by(parameters, &moved, -rate);
        }
    }

    fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    fn memory(&self) -> Memory {
        let matrices = (self.blocks.iter()).flat_map(|block| block.sums.iter().chain(&block.roots));
        Memory {
            numbers: vec![self.steps as f64],
            arrays: matrices.map(entries).collect(),
        }
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        let matrices = (self.blocks.iter_mut())
            .flat_map(|block| block.sums.iter_mut().chain(&mut block.roots));
        let mut matrices: Vec<&mut Mat<f32>> = matrices.collect();
        let mut found: Vec<Vec<f32>> = matrices.iter().map(|matrix| entries(matrix)).collect();
        let mut steps = self.steps as f64;
        let mut arrays: Vec<&mut [f32]> = found.iter_mut().map(|found| &mut found[..]).collect();
        let fits = memory.replace(&mut [&mut steps], &mut arrays);
        self.steps = steps as usize;
        for (matrix, found) in matrices.iter_mut().zip(&found) {
            let side = matrix.nrows();
            **matrix = Mat::from_fn(side, side, |i, j| found[i * side + j]);
        }
        fits
    }
}

/// A part of a tensor, with the matrices of its sides.
struct Block {
    /// Where each of its rows, the runs along the last side, begins in the parameters.
    rows: Vec<usize>,
    shape: Vec<usize>,
    sums: Vec<Mat<f32>>,
    roots: Vec<Mat<f32>>,
}

/// Where a part of a tensor begins on each side, and how far it reaches.
type Part = (Vec<usize>, Vec<usize>);

impl Block {
    /// A part of the tensor `whole`, which begins at `first`.
    fn new(first: usize, whole: &[usize], (from, shape): Part, epsilon: f32) -> Self {
        let mut rows = vec![0];
        let sides = whole.iter().zip(from.iter().zip(&shape));
        for (at, (&side, (&from, &reach))) in sides.enumerate() {
            let last = at + 1 == whole.len();
            let along = from..if last { from + 1 } else { from + reach };
            rows = (rows.iter())
                .flat_map(|row| along.clone().map(move |index| row * side + index))
                .collect();
        }
        rows.iter_mut().for_each(|row| *row += first);
        let start = |&side: &usize| {
            Mat::from_fn(side, side, |i, j| match i == j {
                true => epsilon,
                false => 0.0,
            })
        };
        Self {
            rows,
            sums: shape.iter().map(start).collect(),
            roots: shape.iter().map(|&side| Mat::zeros(side, side)).collect(),
            shape,
        }
    }

    fn last(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }

    fn read(&self, all: &[f32]) -> Vec<f32> {
        let rows = self
            .rows
            .iter()
            .flat_map(|&row| &all[row..row + self.last()]);
        rows.copied().collect()
    }

    fn move_by(&self, all: &mut [f32], moved: &[f32], rate: f32) {
        for (&row, moved) in self.rows.iter().zip(moved.chunks(self.last().max(1))) {
            let own = &mut all[row..row + moved.len()];
            own.iter_mut().zip(moved).for_each(|(p, m)| *p += rate * m);
        }
    }

    /// Adds the gradient to the sums and multiplies it by their roots.
    fn precondition(&mut self, gradient: Vec<f32>, renew: bool) -> Vec<f32> {
        let order = self.shape.len();
        let mut moved = gradient.clone();
        for side in 0..order {
            let long = self.shape[side];
            let after: usize = self.shape[side + 1..].iter().product();
            let slices = |all: &[f32]| all.len() / (long * after).max(1);
            for slice in 0..slices(&gradient) {
                let own = &gradient[slice * long * after..][..long * after];
                let own = MatRef::from_row_major_slice(own, long, after);
                let sum = self.sums[side].as_mut();
                matmul(sum, Accum::Add, own, own.transpose(), 1.0, Par::Seq);
            }
            if renew {
                self.roots[side] = inverse_root(&self.sums[side], 2 * order);
            }
            for slice in 0..slices(&gradient) {
                let own = &mut moved[slice * long * after..][..long * after];
                let before = own.to_vec();
                matmul(
                    MatMut::from_row_major_slice_mut(own, long, after),
                    Accum::Replace,
                    self.roots[side].as_ref(),
                    MatRef::from_row_major_slice(&before, long, after),
                    1.0,
                    Par::Seq,
                );
            }
        }
        moved
    }
}

/// The entries of a matrix, row by row.
fn entries(matrix: &Mat<f32>) -> Vec<f32> {
    let rows = 0..matrix.nrows();
    rows.flat_map(|i| (0..matrix.ncols()).map(move |j| matrix[(i, j)]))
        .collect()
}

/// `A^(−1/power)` of a symmetric matrix without negative eigenvalues.
fn inverse_root(a: &Mat<f32>, power: usize) -> Mat<f32> {
    let wide = Mat::from_fn(a.nrows(), a.ncols(), |i, j| f64::from(a[(i, j)]));
    let Ok(eigen) = wide.self_adjoint_eigen(faer::Side::Lower) else {
        return Mat::identity(a.nrows(), a.ncols());
    };
    let (u, values) = (eigen.U(), eigen.S());
    let scaled = Mat::from_fn(u.nrows(), u.ncols(), |i, j| {
        let value = values[j].max(1e-12);
        u[(i, j)] * value.powf(-1.0 / power as f64)
    });
    let root = scaled * u.transpose();
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| root[(i, j)] as f32)
}

/// All parts of a shape whose sides are at most `SIDE` long.
fn cut(whole: &[usize]) -> Vec<Part> {
    let mut parts: Vec<Part> = vec![(Vec::new(), Vec::new())];
    for &side in whole {
        let count = side.div_ceil(SIDE).max(1);
        let bound = |part: usize| part * side / count;
        parts = parts
            .into_iter()
            .flat_map(|(from, shape)| {
                (0..count).map(move |part| {
                    let (mut from, mut shape) = (from.clone(), shape.clone());
                    from.push(bound(part));
                    shape.push(bound(part + 1) - bound(part));
                    (from, shape)
                })
            })
            .collect();
    }
    parts
}
