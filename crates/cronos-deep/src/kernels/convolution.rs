//! Convolutions of 3 x 3 with zeros around the image.

use super::correlate::{self, Correlate};
use super::frame::{Frame, SIDE, SLACK};
use super::slide::{Slide, pack};
use pulp::Arch;

/// Pixels of a window.
const WINDOW: usize = SIDE * SIDE;
/// Numbers that are added side by side.
const LANES: usize = 8;

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

    /// Numbers that one output looks at.
    fn window(&self) -> usize {
        self.channels * WINDOW
    }

    /// Numbers of a channel that comes out.
    fn pixels(&self) -> usize {
        let (height, width) = self.frame().places();
        height * width
    }

    fn frame(&self) -> Frame {
        Frame {
            height: self.height,
            width: self.width,
            stride: self.stride,
        }
    }

    /// Numbers that there must be room for.
    pub fn room(&self) -> usize {
        let frame = self.frame();
        let found = frame.windows() + SLACK;
        let forward = self.channels * frame.plane() + self.outputs * found;
        let back = self.outputs * frame.pull_plane() + self.channels * found;
        forward.max(back).max(correlate::room(frame))
    }

    /// Numbers that [`Self::pack`] appends.
    pub fn packed(&self) -> usize {
        2 * self.outputs * self.window()
    }

    /// Appends the weights as they are needed, forward and on the way back.
    pub fn pack(&self, parameters: &[f32], packed: &mut Vec<f32>) {
        let frame = self.frame();
        let weight = &parameters[self.first..][..self.outputs * self.window()];
        let (inputs, outputs) = (self.channels, self.outputs);
        pack::<false>(weight, inputs, outputs, &frame.taps(), packed);
        for phase in frame.phases() {
            pack::<true>(weight, outputs, inputs, &frame.pull_taps(phase), packed);
        }
    }

    /// One image, with the weights packed.
    pub fn forward(
        &self,
        parameters: &[f32],
        packed: &[f32],
        x: &[f32],
        y: &mut [f32],
        room: &mut [f32],
    ) {
        let frame = self.frame();
        let plane = frame.plane();
        let (framed, out) = room.split_at_mut(self.channels * plane);
        let images = x.chunks(self.height * self.width);
        for (x, framed) in images.zip(framed.chunks_mut(plane)) {
            frame.fill(x, framed);
        }
        let stride = frame.windows() + SLACK;
        Arch::new().dispatch(Slide {
            framed,
            sources: self.channels,
            plane,
            taps: &frame.taps(),
            packed,
            targets: self.outputs,
            stride,
            count: frame.windows(),
            out,
        });
        let (_, wide) = frame.places();
        let bias = &parameters[self.first + self.outputs * self.window()..];
        let found = out.chunks(stride).zip(bias);
        for (y, (out, bias)) in y.chunks_mut(self.pixels()).zip(found) {
            for (y, out) in y.chunks_mut(wide).zip(out.chunks(frame.line())) {
                y.iter_mut()
                    .zip(out)
                    .for_each(|(y, found)| *y = found + bias);
            }
        }
    }

    /// Adds what one image contributes to the gradient of these parameters, its weights in the
    /// order outputs x 3 x 3 x channels, and writes that in `x` if it is wanted.
    pub fn backward(
        &self,
        packed: &[f32],
        x: &[f32],
        pull: &[f32],
        sum: &mut [f32],
        back: Option<&mut [f32]>,
        room: &mut [f32],
    ) {
        let (of_weight, of_bias) = sum.split_at_mut(self.outputs * self.window());
        for (bias, pull) in of_bias.iter_mut().zip(pull.chunks(self.pixels())) {
            *bias += total(pull);
        }
        Arch::new().dispatch(Correlate {
            frame: self.frame(),
            channels: self.channels,
            x,
            pull,
            outputs: self.outputs,
            sum: of_weight,
            room,
        });
        if let Some(back) = back {
            let behind = &packed[self.outputs * self.window()..];
            self.pull_back(behind, pull, back, room);
        }
    }

    /// The gradient in `x`.
    fn pull_back(&self, mut packed: &[f32], pull: &[f32], back: &mut [f32], room: &mut [f32]) {
        let frame = self.frame();
        let plane = frame.pull_plane();
        let (framed, out) = room.split_at_mut(self.outputs * plane);
        let pulls = pull.chunks(self.pixels());
        for (pull, framed) in pulls.zip(framed.chunks_mut(plane)) {
            frame.fill_pull(pull, framed);
        }
        if self.stride > SIDE {
            // no window looks at some pixels
            back.fill(0.0);
        }
        let stride = frame.windows() + SLACK;
        for phase in frame.phases() {
            let taps = frame.pull_taps(phase);
            let (own, rest) = packed.split_at(self.outputs * self.channels * taps.len());
            packed = rest;
            Arch::new().dispatch(Slide {
                framed,
                sources: self.outputs,
                plane,
                taps: &taps,
                packed: own,
                targets: self.channels,
                stride,
                count: frame.found(phase),
                out,
            });
            let images = back.chunks_mut(self.height * self.width);
            for (back, found) in images.zip(out.chunks(stride)) {
                frame.put(phase, found, back);
            }
        }
    }

    /// Brings a gradient into the order of the parameters.
    pub fn order(&self, gradient: &mut [f32]) {
        let mut kernels = vec![0.0; self.window()];
        let weights = &mut gradient[..self.outputs * self.window()];
        for own in weights.chunks_mut(self.window()) {
            kernels.copy_from_slice(own);
            for (at, own) in own.iter_mut().enumerate() {
                *own = kernels[at % WINDOW * self.channels + at / WINDOW];
            }
        }
    }
}

fn total(numbers: &[f32]) -> f32 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x);
    }
    sums.iter().chain(rest).sum()
}
