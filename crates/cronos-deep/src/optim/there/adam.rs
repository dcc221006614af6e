//! Adam and AdamW.

use super::{Memory, OptimizerThere, remember, replace, zeros};
use burn::tensor::{Device, Tensor};
use cronos::Error;

/// How much of the two means is kept, and what keeps the divisor from 0.
const BETAS: (f64, f64) = (0.9, 0.999);
const EPSILON: f64 = 1e-8;

/// See [`Adam`](crate::optim::Adam).
pub(crate) struct Adam {
    rate: f64,
    decay: f64,
    decoupled: bool,
    scale: f64,
    steps: f64,
    m: Tensor<1>,
    v: Tensor<1>,
}

impl Adam {
    /// For so many parameters, at the start.
    pub fn new(size: usize, rate: f64, decay: f64, decoupled: bool, device: &Device) -> Self {
        Self {
            rate,
            decay,
            decoupled,
            scale: 1.0,
            steps: 0.0,
            m: zeros(size, device),
            v: zeros(size, device),
        }
    }
}

impl OptimizerThere for Adam {
    fn step(&mut self, p: Tensor<1>, g: Tensor<1>) -> Result<Tensor<1>, Error> {
        self.steps += 1.0;
        let (b1, b2) = BETAS;
        let rate = self.rate * self.scale;
        let long = rate / (1.0 - b1.powf(self.steps));
        let unbiased = (1.0 - b2.powf(self.steps)).sqrt();
        let (p, g) = match self.decoupled {
            true => (p.mul_scalar(1.0 - rate * self.decay), g),
            false => (p.clone(), g + p.mul_scalar(self.decay)),
        };
        self.m = self.m.clone().mul_scalar(b1) + g.clone().mul_scalar(1.0 - b1);
        self.v = self.v.clone().mul_scalar(b2) + g.square().mul_scalar(1.0 - b2);
        let size = self.v.clone().sqrt().div_scalar(unbiased);
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
