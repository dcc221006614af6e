//! `y = (x − mean) / √(variance + ε) · w + b` for each row, or `x / √(mean of squares + ε) · w`.

use rayon::prelude::*;

/// Rows that a thread takes at a time; what they add to the gradient is summed in their order.
const BLOCK: usize = 64;

/// A normalisation and where its parameters begin: `w`, then `b` if means are taken off.
#[derive(Clone, Debug)]
pub(super) struct Norm {
    pub width: usize,
    pub first: usize,
    /// Whether means are taken off.
    pub centred: bool,
    pub epsilon: f32,
}

impl Norm {
    pub fn size(&self) -> usize {
        self.width * if self.centred { 2 } else { 1 }
    }

    /// The mean that is taken off a row, and one over what it is divided by.
    fn scale(&self, x: &[f32]) -> (f32, f32) {
        let count = self.width as f64;
        let mean = match self.centred {
            true => (sum(x, |x| x) / count) as f32,
            false => 0.0,
        };
        let squares = sum(x, |x| (x - mean) * (x - mean));
        let deviation = (squares / count + f64::from(self.epsilon)).sqrt();
        (mean, (1.0 / deviation) as f32)
    }

    pub fn forward(&self, parameters: &[f32], x: &[f32], y: &mut Vec<f32>) {
        let (weight, bias) = parameters[self.first..][..self.size()].split_at(self.width);
        y.resize(x.len(), 0.0);
        (y.par_chunks_mut(self.width).zip(x.par_chunks(self.width)))
            .with_min_len(16)
            .for_each(|(y, x)| {
                let (mean, factor) = self.scale(x);
                for ((y, x), w) in y.iter_mut().zip(x).zip(weight) {
                    *y = (x - mean) * factor * w;
                }
                y.iter_mut().zip(bias).for_each(|(y, b)| *y += b);
            });
    }

    /// Writes the gradient in the parameters, if they have a place in it, and adds that in `x`
    /// to `back`.
    pub fn backward(
        &self,
        parameters: &[f32],
        x: &[f32],
        pull: &[f32],
        gradient: &mut [f32],
        back: &mut [f32],
    ) {
        let width = self.width;
        let weight = &parameters[self.first..][..width];
        let blocks = back.par_chunks_mut(BLOCK * width);
        let sums: Vec<Vec<f32>> = blocks
            .zip(x.par_chunks(BLOCK * width))
            .zip(pull.par_chunks(BLOCK * width))
            .map(|((back, x), pull)| {
                let mut sum = vec![0.0; self.size()];
                let rows = back.chunks_mut(width).zip(x.chunks(width));
                for ((back, x), pull) in rows.zip(pull.chunks(width)) {
                    self.row(weight, x, pull, &mut sum, back);
                }
                sum
            })
            .collect();
        if let Some(own) = gradient.get_mut(self.first..self.first + self.size()) {
            own.fill(0.0);
            for sum in sums {
                own.iter_mut().zip(sum).for_each(|(own, sum)| *own += sum);
            }
        }
    }

    /// The same, with the gradient in `x` in the place of `pull`.
    pub fn replace(
        &self,
        parameters: &[f32],
        x: &[f32],
        pull: &mut Vec<f32>,
        gradient: &mut [f32],
        room: &mut Vec<f32>,
    ) {
        room.clear();
        room.resize(pull.len(), 0.0);
        self.backward(parameters, x, pull, gradient, room);
        std::mem::swap(pull, room);
    }

    fn row(&self, weight: &[f32], x: &[f32], pull: &[f32], sum: &mut [f32], back: &mut [f32]) {
        let (mean, factor) = self.scale(x);
        let (of_weight, of_bias) = sum.split_at_mut(self.width);
        // with z the row before w and b, and g = w · pull:
        // dx = (g − mean(g) − z mean(g z)) / deviation
        let (mut total, mut along) = (0.0f64, 0.0f64);
        for ((x, p), (w, sum)) in x.iter().zip(pull).zip(weight.iter().zip(of_weight)) {
            let z = (x - mean) * factor;
            *sum += p * z;
            total += f64::from(w * p);
            along += f64::from(w * p * z);
        }
        of_bias.iter_mut().zip(pull).for_each(|(b, p)| *b += p);
        let count = self.width as f64;
        let total = if self.centred {
            (total / count) as f32
        } else {
            0.0
        };
        let along = (along / count) as f32;
        for ((back, x), (w, p)) in back.iter_mut().zip(x).zip(weight.iter().zip(pull)) {
            let z = (x - mean) * factor;
            *back += (w * p - total - z * along) * factor;
        }
    }
}

/// The sum of a function of numbers, in eight lanes, which are added in double precision.
fn sum(x: &[f32], of: impl Fn(f32) -> f32) -> f64 {
    let mut lanes = [0.0f64; 8];
    let (eights, rest) = x.as_chunks::<8>();
    for eight in eights {
        for (lane, &x) in lanes.iter_mut().zip(eight) {
            *lane += f64::from(of(x));
        }
    }
    let rest: f64 = rest.iter().map(|&x| f64::from(of(x))).sum();
    lanes.iter().sum::<f64>() + rest
}
