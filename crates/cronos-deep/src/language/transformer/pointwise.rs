//! Functions of single numbers, on slices, as wide as the processor allows.

use super::config::Activation;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Numbers that a thread takes at a time.
const PART: usize = 1 << 14;

/// `exp(x)` to about 1e-7 of it, without a branch: `x = k ln 2 + r` with a whole `k`, and a
/// polynomial for `exp(r)`.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // adding it rounds to a whole number, which then stands in the last bits
    const ROUND: f32 = 12_582_912.0;
    const LN2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN2.0) - k * LN2.1;
    let mut p = 1.987_569_1e-4;
    for c in [
        1.398_2e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ] {
        p = p * r + c;
    }
    let p = p * r * r + r + 1.0;
    p * f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000))
}

/// `1 / (1 + exp(−x))`
#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The normal distribution function, to 1e-7, and its density.
#[inline(always)]
fn normal(x: f32) -> (f32, f32) {
    // Abramowitz and Stegun 7.1.26 for erf(|x| / √2)
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let mut p = 1.061_405_4;
    for c in [-1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6] {
        p = p * t + c;
    }
    let bell = exp(-z * z);
    let tail = 0.5 * p * t * bell;
    let below = if x < 0.0 { tail } else { 1.0 - tail };
    (below, bell * 0.398_942_3)
}

/// `x σ(2 √(2/π) (x + 0.044715 x³))`, which is GELU by the hyperbolic tangent, and its slope.
#[inline(always)]
fn gelu_tanh(x: f32) -> (f32, f32) {
    const A: f32 = 1.595_769;
    const B: f32 = 0.044_715;
    let s = sigmoid(A * (x + B * x * x * x));
    let slope = s + x * s * (1.0 - s) * A * (1.0 + 3.0 * B * x * x);
    (x * s, slope)
}

/// `x Φ(x)` and its slope.
#[inline(always)]
fn gelu(x: f32) -> (f32, f32) {
    let (below, density) = normal(x);
    (x * below, below + x * density)
}

/// `x σ(x)` and its slope.
#[inline(always)]
fn silu(x: f32) -> (f32, f32) {
    let s = sigmoid(x);
    (x * s, s + x * s * (1.0 - s))
}

/// What comes out of the activation for each row of `x`: as many numbers, or half of them
/// where the first half gates the second.
pub(super) fn activate(activation: Activation, width: usize, x: &[f32], y: &mut Vec<f32>) {
    let outputs = activation.outputs(width);
    let rows = x.len() / width.max(1);
    y.resize(rows * outputs, 0.0);
    let some = (PART / width.max(1)).max(1);
    y.par_chunks_mut(some * outputs)
        .zip(x.par_chunks(some * width))
        .for_each(|(y, x)| {
            Arch::new().dispatch(Activate {
                activation,
                width,
                x,
                y,
            });
        });
}

/// The gradient in `x`, from that in what came out.
pub(super) fn deactivate(
    activation: Activation,
    width: usize,
    x: &[f32],
    pull: &[f32],
    back: &mut Vec<f32>,
) {
    let outputs = activation.outputs(width);
    back.resize(x.len(), 0.0);
    let some = (PART / width.max(1)).max(1);
    (back.par_chunks_mut(some * width))
        .zip(x.par_chunks(some * width))
        .zip(pull.par_chunks(some * outputs))
        .for_each(|((back, x), pull)| {
            Arch::new().dispatch(Deactivate {
                activation,
                width,
                x,
                pull,
                back,
            });
        });
}

/// Some rows on the way there.
struct Activate<'a> {
    activation: Activation,
    width: usize,
    x: &'a [f32],
    y: &'a mut [f32],
}

impl WithSimd for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { width, x, y, .. } = self;
        match self.activation {
            Activation::GeluTanh => each(y, x, |x| gelu_tanh(x).0),
            Activation::Gelu => each(y, x, |x| gelu(x).0),
            Activation::SiluGated => {
                for (y, x) in y.chunks_mut(width / 2).zip(x.chunks(width)) {
                    let (gate, value) = x.split_at(width / 2);
                    for ((y, &gate), value) in y.iter_mut().zip(gate).zip(value) {
                        *y = silu(gate).0 * value;
                    }
                }
            }
        }
    }
}

/// Some rows on the way back.
struct Deactivate<'a> {
    activation: Activation,
    width: usize,
    x: &'a [f32],
    pull: &'a [f32],
    back: &'a mut [f32],
}

impl WithSimd for Deactivate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self {
            width,
            x,
            pull,
            back,
            ..
        } = self;
        match self.activation {
            Activation::GeluTanh => slope(back, x, pull, |x| gelu_tanh(x).1),
            Activation::Gelu => slope(back, x, pull, |x| gelu(x).1),
            Activation::SiluGated => {
                let half = width / 2;
                let rows = back.chunks_mut(width).zip(x.chunks(width));
                for ((back, x), pull) in rows.zip(pull.chunks(half)) {
                    let (of_gate, of_value) = back.split_at_mut(half);
                    let (gate, value) = x.split_at(half);
                    let places = of_gate.iter_mut().zip(of_value);
                    let seen = gate.iter().zip(value).zip(pull);
                    for ((of_gate, of_value), ((&gate, value), pull)) in places.zip(seen) {
                        let (y, slope) = silu(gate);
                        *of_gate = pull * value * slope;
                        *of_value = pull * y;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn each(y: &mut [f32], x: &[f32], f: impl Fn(f32) -> f32) {
    y.iter_mut().zip(x).for_each(|(y, &x)| *y = f(x));
}

#[inline(always)]
fn slope(back: &mut [f32], x: &[f32], pull: &[f32], f: impl Fn(f32) -> f32) {
    let places = back.iter_mut().zip(x).zip(pull);
    places.for_each(|((back, &x), pull)| *back = pull * f(x));
}

/// Makes weights of scores: `exp(x − max) / Σ`. Returns `ln Σ exp(x)`.
pub(super) fn softmax(x: &mut [f32]) -> f32 {
    Arch::new().dispatch(Softmax(x))
}

struct Softmax<'a>(&'a mut [f32]);

/// Numbers that are added side by side.
const LANES: usize = 16;

impl WithSimd for Softmax<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f32 {
        let x = self.0;
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        let mut most = [f32::NEG_INFINITY; LANES];
        let (parts, rest) = x.as_chunks::<LANES>();
        for part in parts {
            for (most, &x) in most.iter_mut().zip(part) {
                *most = larger(*most, x);
            }
        }
        let most = rest
            .iter()
            .chain(&most)
            .fold(f32::NEG_INFINITY, |a, &b| larger(a, b));
        let mut sums = [0.0f32; LANES];
        let (parts, rest) = x.as_chunks_mut::<LANES>();
        for part in parts {
            for (sum, x) in sums.iter_mut().zip(part) {
                *x = exp(*x - most);
                *sum += *x;
            }
        }
        for (sum, x) in sums.iter_mut().zip(rest) {
            *x = exp(*x - most);
            *sum += *x;
        }
        let sum: f32 = sums.iter().sum();
        let factor = 1.0 / sum;
        x.iter_mut().for_each(|x| *x *= factor);
        most + sum.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> impl Iterator<Item = f32> {
        (-2000..=2000).map(|x| x as f32 * 0.01)
    }

    #[test]
    fn exponentials_are_right() {
        for x in line() {
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(error < 3e-7, "{x}: {error}");
        }
        assert_eq!(exp(-1000.0), exp(-87.0));
        assert!(exp(1000.0).is_finite());
    }

    /// Against the functions as they are defined, and their slopes against differences.
    #[test]
    fn activations_are_right() {
        let tanh = |x: f64| {
            0.5 * x
                * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x)).tanh())
        };
        // Φ by summing the density
        let normal = |x: f64| {
            let steps = 4000;
            let h = x / f64::from(steps);
            let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
            let sum: f64 = (0..steps)
                .map(|k| {
                    let t = h * f64::from(k);
                    h / 6.0 * (density(t) + 4.0 * density(t + h / 2.0) + density(t + h))
                })
                .sum();
            0.5 + sum
        };
        let silu_again = |x: f64| x / (1.0 + (-x).exp());
        for x in line().filter(|x| x.abs() < 9.0).step_by(7) {
            let wide = f64::from(x);
            let check = |name: &str, (value, slope): (f32, f32), f: &dyn Fn(f64) -> f64| {
                let h = 1e-4;
                let difference = (f(wide + h) - f(wide - h)) / (2.0 * h);
                assert!((f64::from(value) - f(wide)).abs() < 2e-6, "{name} {x}");
                assert!((f64::from(slope) - difference).abs() < 5e-6, "{name}' {x}");
            };
            check("tanh", gelu_tanh(x), &tanh);
            check("erf", gelu(x), &|x| x * normal(x));
            check("silu", silu(x), &silu_again);
        }
    }

    #[test]
    fn weights_add_up_to_one() {
        for count in [1, 5, 16, 37] {
            let x: Vec<f32> = (0..count).map(|k| (k as f32 * 0.7).sin() * 5.0).collect();
            let mut weights = x.clone();
            let log = softmax(&mut weights);
            let sum: f64 = x.iter().map(|&x| f64::from(x).exp()).sum();
            assert!((f64::from(log) - sum.ln()).abs() < 1e-5);
            for (x, weight) in x.iter().zip(&weights) {
                assert!((f64::from(*weight) - f64::from(*x).exp() / sum).abs() < 1e-6);
            }
        }
    }
}
