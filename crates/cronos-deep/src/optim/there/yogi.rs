//! Yogi.

use super::{Memory, OptimizerThere, remember, replace};
use burn::tensor::{Device, Tensor};
use cronos::Error;

/// How much of the two means is kept, what they begin with, and what keeps the divisor from 0.
const BETAS: (f64, f64) = (0.9, 0.999);
const START: f64 = 1e-6;
const EPSILON: f64 = 1e-3;

/// See [`Yogi`](crate::optim::Yogi).
pub(super) struct Yogi {
    rate: f64,
    decay: f64,
    scale: f64,
    steps: f64,
    m: Tensor<1>,
    v: Tensor<1>,
}

impl Yogi {
    pub fn new(size: usize, rate: f64, decay: f64, device: &Device) -> Self {
        let start = Tensor::full([size], START, device);
        Self {
            rate,
            decay,
            scale: 1.0,
            steps: 0.0,
            m: start.clone(),
            v: start,
        }
    }
}

impl OptimizerThere for Yogi {
    fn step(&mut self, p: Tensor<1>, g: Tensor<1>) -> Result<Tensor<1>, Error> {
        self.steps += 1.0;
        let (b1, b2) = BETAS;
        let rate = self.rate * self.scale;
        let long = rate / (1.0 - b1.powf(self.steps));
        let unbiased = (1.0 - b2.powf(self.steps)).sqrt();
        let square = g.clone().square();
        let sign = (self.v.clone() - square.clone()).sign();
        self.m = self.m.clone().mul_scalar(b1) + g.mul_scalar(1.0 - b1);
        self.v = self.v.clone() - (sign * square).mul_scalar(1.0 - b2);
        let size = self.v.clone().sqrt().div_scalar(unbiased);
        let p = p.mul_scalar(1.0 - rate * self.decay);
        Ok(p - self.m.clone().mul_scalar(long) / size.add_scalar(EPSILON))
    }

    fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    fn memory(&self) -> Result<Memory, Error> {
        remember(&[self.steps], &[&self.m, &self.v])
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        replace(
            memory,
            &mut [&mut self.steps],
            &mut [&mut self.m, &mut self.v],
        )
    }
}
