//! Convolutions of 3 x 3 with zeros around the image, as products with windows.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Pixels of a window.
const WINDOW: usize = 9;

/// A convolution and where its parameters begin: weights (outputs x channels x 3 x 3), then
/// biases.
#[derive(Clone, Debug)]
pub(crate) struct Convolution {
    pub channels: usize,
    pub height: usize,
    pub width: usize,
    pub outputs: usize,
    pub stride: usize,
    pub first: usize,
}

impl Convolution {
    /// Number of parameters.
    pub fn size(&self) -> usize {
        self.outputs * (self.window() + 1)
    }

    pub fn input(&self) -> usize {
        self.channels * self.height * self.width
    }

    pub fn output(&self) -> usize {
        self.outputs * self.pixels()
    }

    /// Numbers in all windows of an image.
    pub fn windows(&self) -> usize {
        self.window() * self.pixels()
    }

    /// Numbers that one output looks at.
    fn window(&self) -> usize {
        self.channels * WINDOW
    }

    fn places(&self) -> (usize, usize) {
        (
            self.height.div_ceil(self.stride),
            self.width.div_ceil(self.stride),
        )
    }

    fn pixels(&self) -> usize {
        let (height, width) = self.places();
        height * width
    }

    fn weight<'p>(&self, parameters: &'p [f32]) -> MatRef<'p, f32> {
        let own = &parameters[self.first..][..self.outputs * self.window()];
        MatRef::from_row_major_slice(own, self.outputs, self.window())
    }

    /// One image; `windows` is room for its windows.
    pub fn forward(&self, parameters: &[f32], x: &[f32], y: &mut [f32], windows: &mut [f32]) {
        let bias = &parameters[self.first + self.outputs * self.window()..][..self.outputs];
        let pixels = self.pixels();
        let windows = &mut windows[..self.windows()];
        self.read(x, windows);
        for (y, &bias) in y.chunks_mut(pixels).zip(bias) {
            y.fill(bias);
        }
        matmul(
            MatMut::from_row_major_slice_mut(y, self.outputs, pixels),
            Accum::Add,
            self.weight(parameters),
            MatRef::from_row_major_slice(windows, self.window(), pixels),
            1.0,
            Par::Seq,
        );
    }

    /// Adds what one image contributes to the gradient of these parameters, and writes that
    /// in `x` if it is wanted.
    pub fn backward(
        &self,
        parameters: &[f32],
        x: &[f32],
        pull: &[f32],
        sum: &mut [f32],
        back: Option<&mut [f32]>,
        windows: &mut [f32],
    ) {
        let (window, pixels) = (self.window(), self.pixels());
        let windows = &mut windows[..self.windows()];
        let (of_weight, of_bias) = sum.split_at_mut(self.outputs * window);
        self.read(x, windows);
        for (sum, pull) in of_bias.iter_mut().zip(pull.chunks(pixels)) {
            *sum += pull.iter().sum::<f32>();
        }
        let pull = MatRef::from_row_major_slice(pull, self.outputs, pixels);
        // dW = pull windowsᵀ
        matmul(
            MatMut::from_row_major_slice_mut(of_weight, self.outputs, window),
            Accum::Add,
            pull,
            MatRef::from_row_major_slice(windows, window, pixels).transpose(),
            1.0,
            Par::Seq,
        );
        if let Some(back) = back {
            // d windows = Wᵀ pull
            let weight = self.weight(parameters);
            let out = MatMut::from_row_major_slice_mut(windows, window, pixels);
            matmul(out, Accum::Replace, weight.transpose(), pull, 1.0, Par::Seq);
            back.fill(0.0);
            self.spread(windows, back);
        }
    }

    /// Goes over the lines of all windows: `each` gets a line of places, the line of the
    /// image they look at if it is inside, and how far to the left of its place.
    fn lines(&self, mut each: impl FnMut(usize, Option<usize>, usize)) {
        let (height, width) = self.places();
        for row in 0..self.window() {
            let (channel, down, right) = (row / WINDOW, row / 3 % 3, row % 3);
            for i in 0..height {
                let line = (i * self.stride + down).checked_sub(1);
                let line = line.filter(|&line| line < self.height);
                let from = line.map(|line| (channel * self.height + line) * self.width);
                each((row * height + i) * width, from, right);
            }
        }
    }

    /// Places of a line whose pixel `stride·j + right − 1` is inside.
    fn inside(&self, right: usize) -> (usize, usize) {
        let (_, width) = self.places();
        let from = usize::from(right == 0);
        let to = (self.width + 1 - right).div_ceil(self.stride);
        (from, width.min(to))
    }

    /// All windows of an image: channels · 9 x places.
    fn read(&self, x: &[f32], windows: &mut [f32]) {
        let (_, width) = self.places();
        self.lines(|at, line, right| {
            let out = &mut windows[at..][..width];
            let (from, to) = self.inside(right);
            let Some(line) = line.filter(|_| from < to) else {
                out.fill(0.0);
                return;
            };
            out[..from].fill(0.0);
            out[to..].fill(0.0);
            let x = &x[line + from * self.stride + right - 1..];
            match self.stride {
                1 => out[from..to].copy_from_slice(&x[..to - from]),
                stride => {
                    let x = x.iter().step_by(stride);
                    out[from..to]
                        .iter_mut()
                        .zip(x)
                        .for_each(|(out, &x)| *out = x);
                }
            }
        });
    }

    /// Adds windows back to where they were read.
    fn spread(&self, windows: &[f32], back: &mut [f32]) {
        let (_, width) = self.places();
        self.lines(|at, line, right| {
            let (from, to) = self.inside(right);
            let Some(line) = line.filter(|_| from < to) else {
                return;
            };
            let own = &windows[at..][..width][from..to];
            let back = &mut back[line + from * self.stride + right - 1..];
            match self.stride {
                1 => back
                    .iter_mut()
                    .zip(own)
                    .for_each(|(back, own)| *back += own),
                stride => {
                    let back = back.iter_mut().step_by(stride);
                    back.zip(own).for_each(|(back, own)| *back += own);
                }
            }
        });
    }
}
