//! Sums over windows of an image, as products of matrices.

use super::Shape;
use crate::matrix::Matrix;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Numbers of the windows that are copied at a time, at most, if one window has no more.
const PANEL: usize = 1 << 18;

/// For each output `o` and place `(i, j)` of a window, with 0 beyond the edges of `x`:
///
/// ```text
/// bias_o + Σ_{c, r, s} weight_{o, c, r, s} · x[c, stride·i + r − padding, stride·j + s − padding]
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Convolution {
    /// One row for each output; columns by channel, then row, then column of the kernel.
    #[serde(skip)]
    pub weight: Matrix<f32>,
    /// One number for each output.
    #[serde(skip)]
    pub bias: Option<Vec<f32>>,
    /// Rows and columns of a window.
    pub kernel: usize,
    /// Pixels from one window to the next.
    pub stride: usize,
    /// Zeros around the image; fewer than the kernel has rows.
    pub padding: usize,
}

impl Convolution {
    /// Channels that it reads.
    pub(crate) fn channels(&self) -> usize {
        let window = self.kernel.saturating_mul(self.kernel);
        self.weight.columns() / window.max(1)
    }

    /// The image with zeros around it.
    pub(super) fn padded(&self, image: Shape) -> Shape {
        let around = self.padding.saturating_mul(2);
        Shape {
            channels: image.channels,
            height: image.height.saturating_add(around),
            width: image.width.saturating_add(around),
        }
    }

    /// What comes out for an image that is, padded, no smaller than the kernel.
    pub(crate) fn output(&self, image: Shape) -> Shape {
        let padded = self.padded(image);
        let places = |length: usize| (length - self.kernel) / self.stride + 1;
        Shape {
            channels: self.weight.rows(),
            height: places(padded.height),
            width: places(padded.width),
        }
    }

    /// Writes what comes out for an image of this shape.
    pub(super) fn apply(&self, image: &[f32], shape: Shape, out: &mut [f32]) {
        let (kernel, around) = (self.kernel, self.padded(shape));
        let windows = self.output(shape);
        let image = self.pad(image, shape);
        // entry (c, r, s) of window (i, j) is image[entry + start]
        let entries: Vec<usize> = (0..shape.channels * kernel * kernel)
            .map(|at| (at / (kernel * kernel), at / kernel % kernel, at % kernel))
            .map(|(c, r, s)| (c * around.height + r) * around.width + s)
            .collect();
        let starts: Vec<usize> = (0..windows.pixels())
            .map(|at| (at / windows.width, at % windows.width))
            .map(|(i, j)| self.stride * (i * around.width + j))
            .collect();
        match &self.bias {
            None => out.fill(0.0),
            Some(bias) => {
                for (out, bias) in out.chunks_mut(starts.len()).zip(bias) {
                    out.fill(*bias);
                }
            }
        }
        let mut out = MatMut::from_row_major_slice_mut(out, windows.channels, starts.len());
        let mut copies = Vec::new();
        let most = (PANEL / entries.len()).max(1);
        for (panel, starts) in starts.chunks(most).enumerate() {
            copies.clear();
            for entry in &entries {
                copies.extend(starts.iter().map(|start| image[entry + start]));
            }
            // out += weight · copies
            matmul(
                out.as_mut().subcols_mut(panel * most, starts.len()),
                Accum::Add,
                self.weight.view(0, windows.channels),
                MatRef::from_row_major_slice(&copies, entries.len(), starts.len()),
                1.0,
                Par::Seq,
            );
        }
    }

    /// The image with zeros around it, channel by channel.
    fn pad(&self, image: &[f32], shape: Shape) -> Vec<f32> {
        let (around, padding) = (self.padded(shape), self.padding);
        let mut padded = vec![0.0; around.numbers()];
        for (at, row) in image.chunks(shape.width).enumerate() {
            let (channel, i) = (at / shape.height, at % shape.height + padding);
            let from = (channel * around.height + i) * around.width + padding;
            padded[from..][..shape.width].copy_from_slice(row);
        }
        padded
    }
}

impl fmt::Display for Convolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            stride,
            padding,
            ..
        } = self;
        let (channels, outputs) = (self.channels(), self.weight.rows());
        write!(
            f,
            "convolution {kernel} x {kernel}, {channels} -> {outputs} channels, stride {stride}, \
             padding {padding}"
        )
    }
}
