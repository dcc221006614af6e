//! Adam that finds its own rate; two sums come back from the device in each step.

use super::{Memory, OptimizerThere, remember, replace, zeros};
use crate::tensors::numbers;
use burn::tensor::{Device, Tensor};
use cronos::Error;

/// How much of the two means is kept, and what keeps the divisor from 0.
const BETAS: (f64, f64) = (0.9, 0.999);
const EPSILON: f64 = 1e-8;

/// See [`DAdapted`](crate::optim::DAdapted).
pub(crate) struct DAdapted {
    rate: f64,
    decay: f64,
    decoupled: bool,
    /// The estimate of the distance.
    pub distance: f64,
    scale: f64,
    progress: f64,
    m: Tensor<1>,
    v: Tensor<1>,
    s: Tensor<1>,
}

impl DAdapted {
    /// For so many parameters, at the start.
    pub fn new(size: usize, rate: f64, decay: f64, decoupled: bool, device: &Device) -> Self {
        Self {
            rate,
            decay,
            decoupled,
            distance: 1e-6,
            scale: 1.0,
            progress: 0.0,
            m: zeros(size, device),
            v: zeros(size, device),
            s: zeros(size, device),
        }
    }
}

impl OptimizerThere for DAdapted {
    fn step(&mut self, p: Tensor<1>, g: Tensor<1>) -> Result<Tensor<1>, Error> {
        let long = self.distance * self.rate * self.scale;
        let (b1, b2) = BETAS;
        let memory = b2.sqrt();
        let (p, g) = match self.decoupled {
            true => (p.mul_scalar(1.0 - long * self.decay), g),
            false => (p.clone(), g + p.mul_scalar(self.decay)),
        };
        let size = |v: &Tensor<1>| v.clone().sqrt().add_scalar(EPSILON);
        let right = (g.clone() * (self.s.clone() / size(&self.v))).sum();
        self.m = self.m.clone().mul_scalar(b1) + g.clone().mul_scalar(long * (1.0 - b1));
        self.v = self.v.clone().mul_scalar(b2) + g.clone().square().mul_scalar(1.0 - b2);
        self.s = self.s.clone().mul_scalar(memory) + g.mul_scalar(long * (1.0 - memory));
        let moved = p - self.m.clone() / size(&self.v);
        let sums = numbers(Tensor::cat(vec![right, self.s.clone().abs().sum()], 0))?;
        let [right, length] = [sums[0], sums[1]].map(f64::from);
        self.progress = memory * self.progress + (1.0 - memory) * long * right;
        if length > 0.0 {
            let found = self.progress / ((1.0 - memory) * length);
            self.distance = self.distance.max(found);
        }
        Ok(moved)
    }

    fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    fn memory(&self) -> Result<Memory, Error> {
        remember(
            &[self.distance, self.progress],
            &[&self.m, &self.v, &self.s],
        )
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        replace(
            memory,
            &mut [&mut self.distance, &mut self.progress],
            &mut [&mut self.m, &mut self.v, &mut self.s],
        )
    }
}
