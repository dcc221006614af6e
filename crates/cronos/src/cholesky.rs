//! Cholesky factorisation by tiles: only the lower half is stored, tiles run in
//! parallel, and the result is the same bits for any number of threads.

use crate::Error;
use crate::dense;
use crate::matrix::Matrix;
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows and columns of a tile.
const TILE: usize = 256;

/// A symmetric matrix by its lower tiles; after [`Tiled::factor`], its Cholesky factor.
#[derive(Clone)]
pub(crate) struct Tiled<T> {
    size: usize,
    /// The tiles `(i, j)`, `j <= i`, one row of them after the other, each column by column.
    values: Vec<T>,
}

impl<T: Real> Tiled<T> {
    /// A symmetric matrix; `fill(rows_from, columns_from, tile)` writes one tile.
    pub fn from_tiles(size: usize, fill: impl Fn(usize, usize, MatMut<'_, T>) + Sync) -> Self {
        let values = vec![T::ZERO; total(size)];
        let mut tiled = Self { size, values };
        tiled.update_tiles(|row, column, rows, tile| {
            let columns = tile.len() / rows;
            let tile = MatMut::from_column_major_slice_mut(tile, rows, columns);
            fill(row, column, tile);
        });
        tiled
    }

    /// `L⁻¹`, of a factor.
    #[cfg(feature = "device")]
    pub fn inverse(&self) -> faer::Mat<T> {
        const COLUMNS: usize = 32;
        let mut inverse = faer::Mat::<T>::identity(self.size, self.size);
        (inverse.as_mut().par_col_chunks_mut(COLUMNS)).for_each(|columns| {
            self.solve_lower(columns);
        });
        inverse
    }

    /// Changes every tile: `change(rows from, columns from, rows in the tile, tile)`.
    pub fn update_tiles(&mut self, change: impl Fn(usize, usize, usize, &mut [T]) + Sync) {
        let size = self.size;
        (self.tiles().into_par_iter())
            .enumerate()
            .for_each(|(at, tile)| {
                let (i, j) = indices(at);
                change(i * TILE, j * TILE, length(size, i), tile);
            });
    }

    /// The lower triangle, zeros above it.
    pub fn lower(&self) -> Matrix<T> {
        Matrix::from_fn(self.size, self.size, |i, j| match j <= i {
            true => self.tile(i / TILE, j / TILE)[(i % TILE, j % TILE)],
            false => T::ZERO,
        })
    }

    /// The sum of the diagonal.
    pub fn trace(&self) -> f64 {
        (0..self.size)
            .map(|i| self.tile(i / TILE, i / TILE)[(i % TILE, i % TILE)].wide())
            .sum()
    }

    /// The sum of the logarithms of the diagonal.
    pub fn diagonal_logarithms(&self) -> f64 {
        (0..self.size)
            .map(|i| self.tile(i / TILE, i / TILE)[(i % TILE, i % TILE)])
            .map(|entry| entry.wide().ln())
            .sum()
    }

    /// Adds a number to the diagonal.
    pub fn shift(&mut self, by: T) {
        for i in 0..self.count() {
            let rows = length(self.size, i);
            let tile = &mut self.values[start(self.size, i, i)..][..rows * rows];
            let diagonal = tile.iter_mut().step_by(rows + 1);
            diagonal.for_each(|entry| *entry += by);
        }
    }

    /// Bytes the tiles of a matrix of this size take, of which those on the diagonal are whole.
    pub fn bytes(size: usize) -> u64 {
        let numbers = size as f64 * (size as f64 + TILE as f64) / 2.0;
        (numbers * size_of::<T>() as f64) as u64
    }

    fn count(&self) -> usize {
        self.size.div_ceil(TILE)
    }

    fn tile(&self, i: usize, j: usize) -> MatRef<'_, T> {
        let (rows, columns) = (length(self.size, i), length(self.size, j));
        let tile = &self.values[start(self.size, i, j)..][..rows * columns];
        MatRef::from_column_major_slice(tile, rows, columns)
    }

    /// All tiles, in their order.
    fn tiles(&mut self) -> Vec<&mut [T]> {
        let (size, count) = (self.size, self.count());
        let mut rest = &mut self.values[..];
        let places = (0..count).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let lengths = places.map(|(i, j)| length(size, i) * length(size, j));
        let mut tiles = Vec::with_capacity(place(count, 0));
        for length in lengths {
            let (tile, others) = rest.split_at_mut(length);
            tiles.push(tile);
            rest = others;
        }
        tiles
    }

    /// `A = L Lᵀ`, right-looking.
    pub fn factor(mut self) -> Result<Self, Error> {
        let (size, count) = (self.size, self.count());
        let mut tiles = self.tiles();
        for k in 0..count {
            // L_kk = chol(A_kk)
            let pivot = std::mem::take(&mut tiles[place(k, k)]);
            let rows = length(size, k);
            dense::cholesky(MatMut::from_column_major_slice_mut(pivot, rows, rows))?;
            // L_ik = A_ik L_kk⁻ᵀ
            let below: Vec<usize> = (k + 1..count).collect();
            let mut panel: Vec<&mut [T]> = below
                .iter()
                .map(|&i| std::mem::take(&mut tiles[place(i, k)]))
                .collect();
            let lower = MatRef::from_column_major_slice(pivot, rows, rows);
            panel.par_iter_mut().zip(&below).for_each(|(tile, &i)| {
                let tile = MatMut::from_column_major_slice_mut(tile, length(size, i), rows);
                solve_lower_triangular_in_place(lower, tile.transpose_mut(), Par::Seq);
            });
            // A_ij −= L_ik L_jkᵀ
            let first = place(k + 1, 0);
            tiles[first..]
                .par_iter_mut()
                .enumerate()
                .for_each(|(at, tile)| {
                    let (i, j) = indices(first + at);
                    if j <= k {
                        return;
                    }
                    matmul(
                        MatMut::from_column_major_slice_mut(tile, length(size, i), length(size, j)),
                        Accum::Add,
                        view(panel[i - k - 1], size, i, k),
                        view(panel[j - k - 1], size, j, k).transpose(),
                        -T::ONE,
                        Par::Seq,
                    );
                });
        }
        Ok(self)
    }

    /// `b ← L⁻¹ b` (b: size x C)
    pub fn solve_lower(&self, mut b: MatMut<'_, T>) {
        for k in 0..self.count() {
            let (_, rest) = b.rb_mut().split_at_row_mut(k * TILE);
            let (mut head, tail) = rest.split_at_row_mut(length(self.size, k));
            solve_lower_triangular_in_place(self.tile(k, k), head.rb_mut(), Par::Seq);
            let head = head.rb();
            tail.par_row_chunks_mut(TILE)
                .enumerate()
                .for_each(|(at, tail)| {
                    let tile = self.tile(k + 1 + at, k);
                    matmul(tail, Accum::Add, tile, head, -T::ONE, Par::Seq);
                });
        }
    }

    /// `b ← L⁻ᵀ b` (b: size x C)
    pub fn solve_upper(&self, mut b: MatMut<'_, T>) {
        for k in (0..self.count()).rev() {
            let (head, rest) = b.rb_mut().split_at_row_mut(k * TILE);
            let (mut tail, _) = rest.split_at_row_mut(length(self.size, k));
            solve_upper_triangular_in_place(self.tile(k, k).transpose(), tail.rb_mut(), Par::Seq);
            let tail = tail.rb();
            head.par_row_chunks_mut(TILE)
                .enumerate()
                .for_each(|(j, head)| {
                    let tile = self.tile(k, j).transpose();
                    matmul(head, Accum::Add, tile, tail, -T::ONE, Par::Seq);
                });
        }
    }
}

/// The number of tile `(i, j)`.
fn place(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

/// Where its numbers begin: only the last row of tiles is lower than the others.
fn start(size: usize, i: usize, j: usize) -> usize {
    place(i, 0) * TILE * TILE + j * TILE * length(size, i)
}

/// How many numbers there are.
fn total(size: usize) -> usize {
    let (full, last) = (size / TILE, size % TILE);
    place(full, 0) * TILE * TILE + last * size
}

fn indices(place: usize) -> (usize, usize) {
    let mut i = 0;
    while (i + 1) * (i + 2) / 2 <= place {
        i += 1;
    }
    (i, place - i * (i + 1) / 2)
}

fn length(size: usize, tile: usize) -> usize {
    TILE.min(size - tile * TILE)
}

fn view<T: Real>(tile: &[T], size: usize, i: usize, j: usize) -> MatRef<'_, T> {
    MatRef::from_column_major_slice(tile, length(size, i), length(size, j))
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    impl Tiled<f64> {
        /// The whole symmetric matrix.
        pub fn dense(&self) -> Mat<f64> {
            Mat::from_fn(self.size, self.size, |i, j| {
                let (i, j) = (i.max(j), i.min(j));
                self.tile(i / TILE, j / TILE)[(i % TILE, j % TILE)]
            })
        }
    }

    #[test]
    fn solves_across_tiles() {
        for size in [1, 255, 256, 257, 700] {
            let entry = |i: usize, j: usize| {
                let diagonal = if i == j { size as f64 } else { 0.0 };
                diagonal + ((i * j) as f64).cos()
            };
            let matrix = Tiled::from_tiles(size, |row, column, mut tile| {
                for j in 0..tile.ncols() {
                    for i in 0..tile.nrows() {
                        tile[(i, j)] = entry(row + i, column + j);
                    }
                }
            });
            let dense = matrix.dense();
            let truth = Mat::from_fn(size, 3, |i, c| ((i + 5 * c) as f64).sin());
            let mut b = &dense * &truth;
            let factor = matrix.factor().expect("positive definite");
            factor.solve_lower(b.as_mut());
            factor.solve_upper(b.as_mut());
            let error = (&b - &truth).norm_max();
            assert!(error <= 1e-10, "{size}: {error:e}");
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let matrix = Tiled::from_tiles(300, |_, _, mut tile| tile.fill(1.0));
        assert!(matrix.factor().is_err());
    }
}
