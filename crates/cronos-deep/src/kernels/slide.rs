//! Kernels of 3 x 3 that slide over images, without copies of their windows.

use super::frame::{SIDE, Tap};
use pulp::{Simd, WithSimd};

/// Channels that are made together at most: their sums fill the registers.
const TOGETHER: usize = 6;

/// Every channel that comes out is a sum over all that go in, each through a kernel of its own:
///
/// ```text
/// out[t][at] = Σ_{s, tap} W[t][s][tap] framed[s][at + offset of tap]
/// ```
pub(super) struct Slide<'a> {
    pub framed: &'a [f32],
    /// Channels that go in, and from one to the next.
    pub sources: usize,
    pub plane: usize,
    pub taps: &'a [Tap],
    /// `W` as [`pack`] leaves it.
    pub packed: &'a [f32],
    /// Channels that come out, and from one to the next.
    pub targets: usize,
    pub stride: usize,
    /// Numbers of a channel that are wanted; a few more are written.
    pub count: usize,
    pub out: &'a mut [f32],
}

/// Channels that are made together: the first, and how many of nearly the same number.
#[inline(always)]
fn blocks(targets: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut first = 0;
    std::iter::from_fn(move || {
        let left = targets - first;
        let count = left.div_ceil(left.div_ceil(TOGETHER).max(1));
        first += count;
        (count > 0).then_some((first - count, count))
    })
}

/// Appends some taps of all kernels, in the order in which they are needed. On the way back,
/// `t` and `s` change places in `W`.
pub(super) fn pack<const BACK: bool>(
    weight: &[f32],
    sources: usize,
    targets: usize,
    taps: &[Tap],
    packed: &mut Vec<f32>,
) {
    for (first, count) in blocks(targets) {
        for source in 0..sources {
            for &(tap, _) in taps {
                packed.extend((first..first + count).map(|target| {
                    let kernel = match BACK {
                        true => source * targets + target,
                        false => target * sources + source,
                    };
                    weight[SIDE * SIDE * kernel + tap]
                }));
            }
        }
    }
}

impl WithSimd for Slide<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        for (first, count) in blocks(self.targets) {
            match count {
                1 => self.block::<S, 1>(simd, first),
                2 => self.block::<S, 2>(simd, first),
                3 => self.block::<S, 3>(simd, first),
                4 => self.block::<S, 4>(simd, first),
                5 => self.block::<S, 5>(simd, first),
                _ => self.block::<S, TOGETHER>(simd, first),
            }
        }
    }
}

impl Slide<'_> {
    /// Some channels, two vectors of each at a time.
    #[inline(always)]
    fn block<S: Simd, const TARGETS: usize>(&mut self, simd: S, first: usize) {
        let lanes = S::F32_LANES;
        let weights = self.sources * self.taps.len();
        let packed = &self.packed[first * weights..][..TARGETS * weights];
        let (packed, _) = packed.as_chunks::<TARGETS>();
        for at in (0..self.count).step_by(2 * lanes) {
            let mut sums = [[simd.splat_f32s(0.0); 2]; TARGETS];
            for (source, kernels) in packed.chunks_exact(self.taps.len()).enumerate() {
                let x = &self.framed[source * self.plane + at..];
                for (weights, &(_, offset)) in kernels.iter().zip(self.taps) {
                    let x = S::as_simd_f32s(&x[offset..][..2 * lanes]).0;
                    for (sums, &weight) in sums.iter_mut().zip(weights) {
                        let weight = simd.splat_f32s(weight);
                        sums[0] = simd.mul_add_f32s(weight, x[0], sums[0]);
                        sums[1] = simd.mul_add_f32s(weight, x[1], sums[1]);
                    }
                }
            }
            for (target, sums) in sums.into_iter().enumerate() {
                let out = &mut self.out[(first + target) * self.stride + at..][..2 * lanes];
                S::as_mut_simd_f32s(out).0.copy_from_slice(&sums);
            }
        }
    }
}
