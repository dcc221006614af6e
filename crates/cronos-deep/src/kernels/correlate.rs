//! The gradient of a convolution in its weights.

use super::frame::{Frame, MOST_LANES, SIDE};
use pulp::{Simd, WithSimd};
use std::array;

/// Outputs that are taken together.
const TOGETHER: usize = 4;

/// What one image adds, channel by channel side by side:
///
/// ```text
/// sum[o][i][j][c] += Σ_{k, l} pull[o][k][l] x[c][stride·k + i][stride·l + j]
/// ```
pub(super) struct Correlate<'a> {
    pub frame: Frame,
    pub channels: usize,
    pub x: &'a [f32],
    pub pull: &'a [f32],
    pub outputs: usize,
    pub sum: &'a mut [f32],
    /// Room for some channels of the image.
    pub room: &'a mut [f32],
}

/// Numbers that there must be room for.
pub(super) fn room(frame: Frame) -> usize {
    pixels(frame) * MOST_LANES
}

/// Pixels with a zero before each line, a line of zeros above and below, and one at the end.
fn pixels(frame: Frame) -> usize {
    (frame.height + 2) * (frame.width + 1) + 1
}

impl WithSimd for Correlate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let lanes = S::F32_LANES;
        for channel in (0..self.channels).step_by(lanes) {
            self.fill(channel, lanes);
            for first in (0..self.outputs).step_by(TOGETHER) {
                match self.outputs - first {
                    1 => self.block::<S, 1>(simd, first, channel),
                    2 => self.block::<S, 2>(simd, first, channel),
                    3 => self.block::<S, 3>(simd, first, channel),
                    _ => self.block::<S, TOGETHER>(simd, first, channel),
                }
            }
        }
    }
}

impl Correlate<'_> {
    /// Some channels side by side in every pixel, with zeros for those that are missing.
    #[inline(always)]
    fn fill(&mut self, first: usize, lanes: usize) {
        let Frame { height, width, .. } = self.frame;
        let line = (width + 1) * lanes;
        let room = &mut self.room[..pixels(self.frame) * lanes];
        room.fill(0.0);
        let last = self.channels.min(first + lanes);
        for (lane, channel) in (first..last).enumerate() {
            let plane = &self.x[channel * height * width..][..height * width];
            let lines = room[line..].chunks_exact_mut(line);
            for (own, x) in lines.zip(plane.chunks_exact(width)) {
                let pixels = own[lanes..].chunks_exact_mut(lanes);
                pixels.zip(x).for_each(|(pixel, &x)| pixel[lane] = x);
            }
        }
    }

    /// Some outputs and the channels in the room: for each, a line of three weights at a time.
    #[inline(always)]
    fn block<S: Simd, const COUNT: usize>(&mut self, simd: S, first: usize, channel: usize) {
        let lanes = S::F32_LANES;
        let Frame { width, stride, .. } = self.frame;
        let (high, wide) = self.frame.places();
        for down in 0..SIDE {
            let mut sums = [[simd.splat_f32s(0.0); SIDE]; COUNT];
            for k in 0..high {
                let pulls: [&[f32]; COUNT] =
                    array::from_fn(|o| &self.pull[((first + o) * high + k) * wide..][..wide]);
                let line = (stride * k + down) * (width + 1);
                let x = &self.room[line * lanes..];
                for l in 0..wide {
                    let x = &x[l * stride * lanes..][..SIDE * lanes];
                    let near = S::as_simd_f32s(x).0;
                    for (sums, pull) in sums.iter_mut().zip(pulls) {
                        let pull = simd.splat_f32s(pull[l]);
                        for (sum, &near) in sums.iter_mut().zip(near) {
                            *sum = simd.mul_add_f32s(pull, near, *sum);
                        }
                    }
                }
            }
            let count = lanes.min(self.channels - channel);
            for (o, sums) in sums.into_iter().enumerate() {
                for (right, sum) in sums.into_iter().enumerate() {
                    let tap = (SIDE * (first + o) + down) * SIDE + right;
                    let own = &mut self.sum[tap * self.channels + channel..][..count];
                    let old = simd.partial_load_f32s(own);
                    simd.partial_store_f32s(own, simd.add_f32s(old, sum));
                }
            }
        }
    }
}
