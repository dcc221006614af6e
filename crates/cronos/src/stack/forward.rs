//! Rows through the layers.

use super::{Layer, Shape, Stack};
use crate::Error;
use crate::matrix::Matrix;
use crate::network::BATCH;
use crate::table::Table;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::ops::Range;

/// Numbers that the rows of a block have between two layers, at most, if one row has no more.
const BLOCK: usize = 1 << 20;

/// Rows that are ready to go through layers that fit.
pub(crate) struct Forward<'a> {
    stack: &'a Stack,
    x: &'a dyn Table,
    outputs: usize,
    /// Rows that go through the layers together: a power of two that the layers decide alone.
    together: usize,
}

impl<'a> Forward<'a> {
    /// Refuses rows that do not fit the layers, and layers that do not fit together.
    pub(crate) fn new(stack: &'a Stack, x: &'a dyn Table) -> Result<Self, Error> {
        let (places, output) = stack.walk()?;
        if x.columns() != stack.inputs() {
            return Err(Error::Shape {
                what: "features",
                expected: format!("{} columns, as in training", stack.inputs()),
                found: format!("{} columns", x.columns()),
            });
        }
        x.check_finite()?;
        let widths = places.iter().map(|place| place.output.numbers());
        let widest = widths.fold(stack.inputs(), usize::max);
        let most = (BLOCK / widest).clamp(1, BATCH);
        Ok(Self {
            stack,
            x,
            outputs: output.numbers(),
            together: 1 << most.ilog2(),
        })
    }

    /// The features of some rows.
    pub(crate) fn rows(&self, rows: Range<usize>) -> Result<Matrix<f64>, Error> {
        let mut values = vec![0.0; rows.len() * self.outputs];
        values
            .par_chunks_mut(self.together * self.outputs)
            .enumerate()
            .for_each(|(block, out)| {
                let first = rows.start + block * self.together;
                let count = out.len() / self.outputs;
                let block = self.read(first..first + count).through(&self.stack.layers);
                for (out, value) in out.iter_mut().zip(block.values) {
                    *out = f64::from(value);
                }
            });
        match values.iter().position(|value| !value.is_finite()) {
            None => Matrix::from_rows(rows.len(), self.outputs, values),
            Some(at) => Err(Error::Data(format!(
                "row {} (counting from 0) leaves the range of single precision in the layers of \
                 the model; look for values far from those of the training rows",
                rows.start + at / self.outputs
            ))),
        }
    }

    /// Some rows as the first layer gets them: channel by channel.
    fn read(&self, rows: Range<usize>) -> Block {
        let shape = self.stack.input;
        let mut row = vec![0.0; shape.numbers()];
        let mut values = Vec::with_capacity(rows.len() * row.len());
        for i in rows.clone() {
            self.x.read(i, 0, &mut row);
            for channel in 0..shape.channels {
                let pixels = row.iter().skip(channel).step_by(shape.channels);
                values.extend(pixels.map(|&value| value as f32));
            }
        }
        Block {
            shape,
            rows: rows.len(),
            together: self.together,
            values,
        }
    }
}

/// Some rows between two layers.
#[derive(Clone)]
struct Block {
    shape: Shape,
    rows: usize,
    /// Rows of a full block.
    together: usize,
    /// Row by row.
    values: Vec<f32>,
}

impl Block {
    fn through(self, layers: &[Layer]) -> Self {
        layers.iter().fold(self, Self::after)
    }

    fn after(mut self, layer: &Layer) -> Self {
        let shape = self.shape;
        match layer {
            Layer::Scale { mean, scale } => {
                let each = shape.numbers() / mean.len();
                let constants = mean.iter().zip(scale).cycle();
                for (values, (mean, scale)) in self.values.chunks_mut(each).zip(constants) {
                    values.iter_mut().for_each(|x| *x = (*x - mean) / scale);
                }
                self
            }
            Layer::Linear { weight, bias } => self.times(weight, bias.as_ref()),
            Layer::Convolution(convolution) => self
                .each_row(convolution.output(shape), |image, out| {
                    convolution.apply(image, shape, out)
                }),
            Layer::Relu => {
                // not max, which makes 0 of NaN
                let negative = self.values.iter_mut().filter(|x| **x < 0.0);
                negative.for_each(|x| *x = 0.0);
                self
            }
            Layer::AveragePool { size } => {
                let average = |image: &[f32], out: &mut [f32]| average(image, shape, *size, out);
                self.each_row(shape.pooled(*size), average)
            }
            Layer::GlobalAverage => self.each_row(Shape::list(shape.channels), |image, out| {
                for (channel, out) in image.chunks(shape.pixels()).zip(out) {
                    *out = mean(channel.iter());
                }
            }),
            Layer::Residual { inner, shortcut } => {
                let other = self.clone().through(shortcut);
                let mut sum = self.through(inner);
                for (sum, other) in sum.values.iter_mut().zip(other.values) {
                    *sum += other;
                }
                sum
            }
        }
    }

    /// `weight · x + bias` for each row. A block that is not full is filled up, so that a row
    /// does not depend on how many come with it.
    fn times(mut self, weight: &Matrix<f32>, bias: Option<&Vec<f32>>) -> Self {
        let (full, outputs) = (self.together, weight.rows());
        self.values.resize(full * weight.columns(), 0.0);
        let mut values = match bias {
            Some(bias) => bias.repeat(full),
            None => vec![0.0; full * outputs],
        };
        matmul(
            MatMut::from_row_major_slice_mut(&mut values, full, outputs),
            Accum::Add,
            MatRef::from_row_major_slice(&self.values, full, weight.columns()),
            weight.view(0, outputs).transpose(),
            1.0,
            Par::Seq,
        );
        values.truncate(self.rows * outputs);
        Self {
            shape: Shape::list(outputs),
            values,
            ..self
        }
    }

    /// The rows that `apply` makes of each.
    fn each_row(self, shape: Shape, apply: impl Fn(&[f32], &mut [f32])) -> Self {
        let mut values = vec![0.0; self.rows * shape.numbers()];
        let rows = self.values.chunks(self.shape.numbers());
        for (row, out) in rows.zip(values.chunks_mut(shape.numbers())) {
            apply(row, out);
        }
        Self {
            shape,
            values,
            ..self
        }
    }
}

/// The means of windows of an image.
fn average(image: &[f32], shape: Shape, size: usize, out: &mut [f32]) {
    let Shape { height, width, .. } = shape.pooled(size);
    for (at, out) in out.iter_mut().enumerate() {
        let (channel, i, j) = (at / (height * width), at / width % height, at % width);
        let first = (channel * shape.height + i * size) * shape.width + j * size;
        let row = |r: usize| &image[first + r * shape.width..][..size];
        *out = mean((0..size).flat_map(row));
    }
}

/// The mean, summed in double precision.
fn mean<'a>(values: impl Iterator<Item = &'a f32>) -> f32 {
    let (count, sum) = values.fold((0u32, 0.0), |(count, sum), value| {
        (count + 1, sum + f64::from(*value))
    });
    (sum / f64::from(count)) as f32
}
