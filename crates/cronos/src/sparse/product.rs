//! Products of a sparse matrix with several columns at a time.

use super::Sparse;
use crate::real::Real;
use rayon::prelude::*;

/// Rows of the product that are made together, and columns that are turned together.
const BLOCK: usize = 64;
const TURNED: usize = 512;

impl Sparse {
    /// `X V` for `v` of `columns x k` numbers, row by row; the product is `rows x k`, row by row.
    ///
    /// # Panics
    /// If `v` has another length.
    pub fn times<T: Real>(&self, v: &[T], k: usize) -> Vec<T> {
        let mut out = vec![T::ZERO; self.rows * k];
        self.add_times(v, k, 0, &mut out);
        out
    }

    /// `out += X V` for the rows from `first` on, as many as `out` has.
    pub(crate) fn add_times<T: Real>(&self, v: &[T], k: usize, first: usize, out: &mut [T]) {
        assert_eq!(v.len(), self.columns * k, "one row for each column");
        if k == 0 {
            return;
        }
        // every row is a sum of its own, in the order of its entries
        out.par_chunks_mut(BLOCK * k)
            .enumerate()
            .for_each(|(block, out)| {
                for (at, out) in out.chunks_mut(k).enumerate() {
                    self.add_row(first + block * BLOCK + at, v, out);
                }
            });
    }

    /// `out += Σ_j x_j v_j`, so many columns at a time that the sums stay in registers.
    fn add_row<T: Real>(&self, row: usize, v: &[T], out: &mut [T]) {
        let k = out.len();
        let mut from = 0;
        while from < k {
            from += match k - from {
                16.. => self.add_panel::<T, 16>(row, v, from, out),
                8.. => self.add_panel::<T, 8>(row, v, from, out),
                4.. => self.add_panel::<T, 4>(row, v, from, out),
                2.. => self.add_panel::<T, 2>(row, v, from, out),
                _ => self.add_panel::<T, 1>(row, v, from, out),
            };
        }
    }

    /// The same for the `N` columns from `from` on; returns `N`.
    #[inline(always)]
    fn add_panel<T: Real, const N: usize>(
        &self,
        row: usize,
        v: &[T],
        from: usize,
        out: &mut [T],
    ) -> usize {
        let (indices, values) = self.row(row);
        let k = out.len();
        let mut sums = [T::ZERO; N];
        for (&j, &x) in indices.iter().zip(values) {
            let x = T::of(f64::from(x));
            let v = &v[j as usize * k + from..][..N];
            for lane in 0..N {
                sums[lane] += x * v[lane];
            }
        }
        for (out, sum) in out[from..].iter_mut().zip(sums) {
            *out += sum;
        }
        N
    }

    /// `Xᵀ`, so that `Xᵀ Z` is a product as well, with every column in one place.
    pub fn transposed(&self) -> Self {
        let mut starts = vec![0; self.columns + 1];
        for &j in &self.indices {
            starts[j as usize + 1] += 1;
        }
        for j in 0..self.columns {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let mut indices = vec![0; self.entries()];
        let mut values = vec![0.0; self.entries()];
        for i in 0..self.rows {
            let (columns, entries) = self.row(i);
            for (&j, &value) in columns.iter().zip(entries) {
                let at = &mut next[j as usize];
                indices[*at] = i as u32;
                values[*at] = value;
                *at += 1;
            }
        }
        Self {
            rows: self.columns,
            columns: self.rows,
            starts,
            indices,
            values,
        }
    }
}

/// A dense `rows x columns` matrix, row by row, the other way round.
pub(crate) fn flip<T: Real>(values: &[T], rows: usize, columns: usize) -> Vec<T> {
    let mut out = vec![T::ZERO; values.len()];
    if rows == 0 {
        return out;
    }
    out.par_chunks_mut(TURNED * rows)
        .enumerate()
        .for_each(|(block, out)| {
            let from = block * TURNED;
            let to = columns.min(from + TURNED);
            for i in 0..rows {
                for (j, &value) in values[i * columns + from..i * columns + to]
                    .iter()
                    .enumerate()
                {
                    out[j * rows + i] = value;
                }
            }
        });
    out
}
