//! Adam, AdamW and Yogi: steps in units of the running size of each gradient.

use super::{BLOCK, Memory, Optimizer};
use rayon::prelude::*;

/// The running means of the gradient and of its square.
struct Means {
    steps: i32,
    m: Vec<f32>,
    v: Vec<f32>,
}

impl Means {
    fn new(size: usize, start: f32) -> Self {
        Self {
            steps: 0,
            m: vec![start; size],
            v: vec![start; size],
        }
    }

    fn memory(&self) -> Memory {
        Memory {
            numbers: vec![f64::from(self.steps)],
            arrays: vec![self.m.clone(), self.v.clone()],
        }
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        let mut steps = f64::from(self.steps);
        let fits = memory.replace(&mut [&mut steps], &mut [&mut self.m, &mut self.v]);
        self.steps = steps as i32;
        fits
    }

    /// `each` gets a parameter, its gradient and its means.
    fn update(
        &mut self,
        parameters: &mut [f32],
        gradient: &[f32],
        each: impl Fn(&mut f32, f32, &mut f32, &mut f32) + Sync,
    ) {
        (parameters.par_chunks_mut(BLOCK))
            .zip(gradient.par_chunks(BLOCK))
            .zip(
                self.m
                    .par_chunks_mut(BLOCK)
                    .zip(self.v.par_chunks_mut(BLOCK)),
            )
            .for_each(|((p, g), (m, v))| {
                for ((p, &g), (m, v)) in p.iter_mut().zip(g).zip(m.iter_mut().zip(v)) {
                    each(p, g, m, v);
                }
            });
    }
}

/// `m ← β₁ m + (1 − β₁) g`, `v ← β₂ v + (1 − β₂) g²`, `p ← p − rate m̂ / (√v̂ + ε)` with the
/// means freed from their start at 0. Decay is part of the gradient, or, decoupled (AdamW),
/// shrinks the parameters themselves.
pub struct Adam {
    /// Learning rate.
    pub rate: f64,
    /// How much of the two means is kept.
    pub betas: (f64, f64),
    /// Keeps the divisor from 0.
    pub epsilon: f64,
    /// Weight decay.
    pub decay: f64,
    /// Whether decay shrinks the parameters themselves.
    pub decoupled: bool,
    scale: f64,
    means: Means,
}

impl Adam {
    /// For so many parameters, at the start.
    pub fn new(size: usize, rate: f64, decay: f64, decoupled: bool) -> Self {
        Self {
            rate,
            betas: (0.9, 0.999),
            epsilon: 1e-8,
            decay,
            decoupled,
            scale: 1.0,
            means: Means::new(size, 0.0),
        }
    }
}

impl Optimizer for Adam {
    fn step(&mut self, parameters: &mut [f32], gradient: &mut [f32]) {
        self.means.steps += 1;
        let (b1, b2) = self.betas;
        let steps = self.means.steps;
        let rate = self.rate * self.scale;
        let unbiased = (1.0 - b2.powi(steps)).sqrt();
        let long = (rate / (1.0 - b1.powi(steps))) as f32;
        let (kept, inside) = match self.decoupled {
            true => ((1.0 - rate * self.decay) as f32, 0.0),
            false => (1.0, self.decay as f32),
        };
        let (b1, b2, new1, new2) = (b1 as f32, b2 as f32, (1.0 - b1) as f32, (1.0 - b2) as f32);
        let (root, epsilon) = ((1.0 / unbiased) as f32, self.epsilon as f32);
        self.means.update(parameters, gradient, |p, g, m, v| {
            let g = g + inside * *p;
            *p *= kept;
            *m = b1 * *m + new1 * g;
            *v = b2 * *v + new2 * g * g;
            *p -= long * *m / (v.sqrt() * root + epsilon);
        });
    }

    fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    fn memory(&self) -> Memory {
        self.means.memory()
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        self.means.resume(memory)
    }
}

/// As Adam, but `v ← v − (1 − β₂) sign(v − g²) g²`: it moves by what is new, not by its
/// distance, so that it does not forget a rare gradient at once.
pub struct Yogi {
    /// Learning rate.
    pub rate: f64,
    /// How much of the two means is kept.
    pub betas: (f64, f64),
    /// Keeps the divisor from 0.
    pub epsilon: f64,
    /// Weight decay.
    pub decay: f64,
    scale: f64,
    means: Means,
}

impl Yogi {
    /// What both means begin with.
    const START: f32 = 1e-6;

    /// For so many parameters, at the start.
    pub fn new(size: usize, rate: f64, decay: f64) -> Self {
        Self {
            rate,
            betas: (0.9, 0.999),
            epsilon: 1e-3,
            decay,
            scale: 1.0,
            means: Means::new(size, Self::START),
        }
    }
}

impl Optimizer for Yogi {
    fn step(&mut self, parameters: &mut [f32], gradient: &mut [f32]) {
        self.means.steps += 1;
        let (b1, b2) = self.betas;
        let steps = self.means.steps;
        let rate = self.rate * self.scale;
        let long = (rate / (1.0 - b1.powi(steps))) as f32;
        let root = (1.0 / (1.0 - b2.powi(steps)).sqrt()) as f32;
        let kept = (1.0 - rate * self.decay) as f32;
        let (b1, new1, new2) = (b1 as f32, (1.0 - b1) as f32, (1.0 - b2) as f32);
        let epsilon = self.epsilon as f32;
        self.means.update(parameters, gradient, |p, g, m, v| {
            let square = g * g;
            let ahead = *v - square;
            let sign = if ahead == 0.0 { 0.0 } else { ahead.signum() };
            *p *= kept;
            *m = b1 * *m + new1 * g;
            *v -= new2 * sign * square;
            *p -= long * *m / (v.sqrt() * root + epsilon);
        });
    }

    fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    fn memory(&self) -> Memory {
        self.means.memory()
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        self.means.resume(memory)
    }
}
