//! Stochastic gradient descent with momentum.

use super::{BLOCK, Memory, Optimizer};
use rayon::prelude::*;

/// `v ← μ v + g`, `p ← p − rate v`
pub struct Sgd {
    /// Learning rate.
    pub rate: f64,
    /// How much of the velocity is kept.
    pub momentum: f64,
    /// Weight decay.
    pub decay: f64,
    scale: f64,
    velocity: Vec<f32>,
}

impl Sgd {
    /// For so many parameters, at the start.
    pub fn new(size: usize, rate: f64, decay: f64) -> Self {
        Self {
            rate,
            momentum: 0.9,
            decay,
            scale: 1.0,
            velocity: vec![0.0; size],
        }
    }
}

impl Optimizer for Sgd {
    fn step(&mut self, parameters: &mut [f32], gradient: &mut [f32]) {
        let rate = (self.rate * self.scale) as f32;
        let (momentum, decay) = (self.momentum as f32, self.decay as f32);
        (parameters.par_chunks_mut(BLOCK))
            .zip(gradient.par_chunks(BLOCK))
            .zip(self.velocity.par_chunks_mut(BLOCK))
            .for_each(|((p, g), v)| {
                for ((p, g), v) in p.iter_mut().zip(g).zip(v) {
                    *v = momentum * *v + g + decay * *p;
                    *p -= rate * *v;
                }
            });
    }

    fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    fn memory(&self) -> Memory {
        Memory {
            numbers: Vec::new(),
            arrays: vec![self.velocity.clone()],
        }
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        memory.replace(&mut [], &mut [&mut self.velocity])
    }
}
