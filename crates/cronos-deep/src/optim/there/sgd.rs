//! Stochastic gradient descent with momentum.

use super::{Memory, OptimizerThere, remember, replace, zeros};
use burn::tensor::{Device, Tensor};
use cronos::Error;

/// How much of the velocity is kept.
const MOMENTUM: f64 = 0.9;

/// `v ← μ v + g`, `p ← p − rate v`
pub(super) struct Sgd {
    rate: f64,
    decay: f64,
    scale: f64,
    velocity: Tensor<1>,
}

impl Sgd {
    pub fn new(size: usize, rate: f64, decay: f64, device: &Device) -> Self {
        Self {
            rate,
            decay,
            scale: 1.0,
            velocity: zeros(size, device),
        }
    }
}

impl OptimizerThere for Sgd {
    fn step(&mut self, p: Tensor<1>, g: Tensor<1>) -> Result<Tensor<1>, Error> {
        let pull = g + p.clone().mul_scalar(self.decay);
        self.velocity = self.velocity.clone().mul_scalar(MOMENTUM) + pull;
        Ok(p - self.velocity.clone().mul_scalar(self.rate * self.scale))
    }

    fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    fn memory(&self) -> Result<Memory, Error> {
        remember(&[], &[&self.velocity])
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        replace(memory, &mut [], &mut [&mut self.velocity])
    }
}
