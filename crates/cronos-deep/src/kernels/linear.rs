//! `y = x W + b`, rows by rows.

use super::{Rows, layout};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// A thread makes a tile of a matrix at a time. There are at most `STRIPS` side by side, at
/// least `STRIP` wide; where there are few, tiles are `STRIP` high, else `TALL`.
const STRIP: usize = 64;
const STRIPS: usize = 4;
const TALL: usize = 512;

/// A linear layer and where its parameters begin: `W` (inputs x outputs), then perhaps `b`.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub inputs: usize,
    pub outputs: usize,
    pub first: usize,
    pub bias: bool,
}

impl Linear {
    pub fn size(&self) -> usize {
        self.inputs * self.outputs + if self.bias { self.outputs } else { 0 }
    }

    fn weight<'p>(&self, parameters: &'p [f32]) -> MatRef<'p, f32> {
        let own = &parameters[self.first..][..self.inputs * self.outputs];
        MatRef::from_row_major_slice(own, self.inputs, self.outputs)
    }

    /// Writes `rows x outputs` numbers.
    pub fn forward(&self, parameters: &[f32], x: Rows<'_>, y: &mut Vec<f32>) {
        let weight = self.weight(parameters);
        let rows = x.count();
        by_tiles(rows, self.outputs, y, |row, column, out| {
            let x = x.matrix().subrows(row, out.nrows());
            let weight = weight.subcols(column, out.ncols());
            product(out, x, weight);
        });
        if self.bias {
            let bias = &parameters[self.first + self.inputs * self.outputs..][..self.outputs];
            let rows = y.par_chunks_mut(self.outputs).with_min_len(STRIP);
            rows.for_each(|y| y.iter_mut().zip(bias).for_each(|(y, b)| *y += b));
        }
    }

    /// Writes the gradient in the parameters, if they have a place in it, and that in `x`, if
    /// it is wanted.
    pub fn backward(
        &self,
        parameters: &[f32],
        x: Rows<'_>,
        pull: &[f32],
        gradient: &mut [f32],
        back: Option<&mut Vec<f32>>,
    ) {
        let (inputs, outputs, rows) = (self.inputs, self.outputs, x.count());
        if let Some(own) = gradient.get_mut(self.first..self.first + self.size()) {
            let (of_weight, of_bias) = own.split_at_mut(inputs * outputs);
            of_bias.fill(0.0);
            for pull in pull.chunks(outputs) {
                of_bias.iter_mut().zip(pull).for_each(|(b, p)| *b += p);
            }
            let pull = MatRef::from_row_major_slice(pull, rows, outputs);
            // dW = xᵀ pull
            let strip = 2 * STRIP;
            of_weight
                .par_chunks_mut(strip * outputs)
                .enumerate()
                .for_each(|(at, out)| {
                    let count = out.len() / outputs;
                    let x = x.matrix().subcols(at * strip, count).transpose();
                    product(
                        MatMut::from_row_major_slice_mut(out, count, outputs),
                        x,
                        pull,
                    );
                });
        }
        let Some(back) = back else {
            return;
        };
        // dx = pull Wᵀ
        let weight = self.weight(parameters);
        let pull = MatRef::from_row_major_slice(pull, rows, outputs);
        by_tiles(rows, inputs, back, |row, column, out| {
            let pull = pull.subrows(row, out.nrows());
            let weight = weight.subrows(column, out.ncols()).transpose();
            product(out, pull, weight);
        });
    }
}

fn product(out: MatMut<'_, f32>, a: MatRef<'_, f32>, b: MatRef<'_, f32>) {
    matmul(out, Accum::Replace, a, b, 1.0, Par::Seq);
}

/// A matrix, row by row, whose tiles are made in parallel: `tile` gets the first row and
/// column of one.
fn by_tiles(
    rows: usize,
    columns: usize,
    out: &mut Vec<f32>,
    tile: impl Fn(usize, usize, MatMut<'_, f32>) + Sync,
) {
    let width = columns.div_ceil(STRIPS).max(STRIP);
    let height = if columns > 2 * width { TALL } else { STRIP };
    let out = layout::sized(out, rows * columns);
    let all = MatMut::from_row_major_slice_mut(out, rows, columns);
    all.par_row_chunks_mut(height)
        .enumerate()
        .for_each(|(down, out)| {
            out.par_col_chunks_mut(width)
                .enumerate()
                .for_each(|(right, out)| tile(down * height, right * width, out));
        });
}
