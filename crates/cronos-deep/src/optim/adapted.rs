//! D-Adaptation: Adam whose rate is an estimate of the distance to the solution.
//!
//! With `s` the sum of the steps so far, `⟨g, s⟩` tells whether they went the right way. A
//! lower bound of the distance from the start to the solution follows from the sums
//!
//! ```text
//! d ≥ Σ_k λ_k ⟨g_k, s_k⟩ / ‖s‖₁
//! ```
//!
//! weighted as Adam weights its gradients; `d` is the rate, and it only grows.

use super::{BLOCK, Optimizer};
use rayon::prelude::*;

/// Adam, or AdamW, that finds its own rate.
pub struct DAdapted {
    /// A factor on the rate that is found; 1 as a rule.
    pub rate: f64,
    /// How much of the two means is kept.
    pub betas: (f64, f64),
    /// Keeps the divisor from 0.
    pub epsilon: f64,
    /// Weight decay.
    pub decay: f64,
    /// Whether decay shrinks the parameters themselves.
    pub decoupled: bool,
    /// The estimate of the distance.
    pub distance: f64,
    /// How many times the last estimate the next may be.
    pub growth: f64,
    scale: f64,
    /// The weighted sum of `⟨g, s⟩`.
    progress: f64,
    m: Vec<f32>,
    v: Vec<f32>,
    s: Vec<f32>,
}

impl DAdapted {
    /// For so many parameters, at the start.
    pub fn new(size: usize, rate: f64, decay: f64, decoupled: bool) -> Self {
        Self {
            rate,
            betas: (0.9, 0.999),
            epsilon: 1e-8,
            decay,
            decoupled,
            distance: 1e-6,
            growth: f64::INFINITY,
            scale: 1.0,
            progress: 0.0,
            m: vec![0.0; size],
            v: vec![0.0; size],
            s: vec![0.0; size],
        }
    }
}

impl Optimizer for DAdapted {
    fn step(&mut self, parameters: &mut [f32], gradient: &mut [f32]) {
        let long = self.distance * self.rate * self.scale;
        let (b1, b2) = self.betas;
        let memory = b2.sqrt();
        let (kept, inside) = match self.decoupled {
            true => ((1.0 - long * self.decay) as f32, 0.0),
            false => (1.0, self.decay as f32),
        };
        let (b1, b2, new1, new2) = (
            b1 as f32,
            b2 as f32,
            (long * (1.0 - b1)) as f32,
            (1.0 - b2) as f32,
        );
        let (old, new) = (memory as f32, (long * (1.0 - memory)) as f32);
        let epsilon = self.epsilon as f32;
        // ⟨g, s/√v⟩ before the step and ‖s‖₁ after it, by blocks
        let sums: Vec<(f64, f64)> = (parameters.par_chunks_mut(BLOCK))
            .zip(gradient.par_chunks(BLOCK))
            .zip(
                self.m
                    .par_chunks_mut(BLOCK)
                    .zip(self.v.par_chunks_mut(BLOCK)),
            )
            .zip(self.s.par_chunks_mut(BLOCK))
            .map(|(((p, g), (m, v)), s)| {
                let (mut right, mut length) = (0.0, 0.0);
                for (((p, g), (m, v)), s) in p.iter_mut().zip(g).zip(m.iter_mut().zip(v)).zip(s) {
                    let g = g + inside * *p;
                    right += f64::from(g * (*s / (v.sqrt() + epsilon)));
                    *m = b1 * *m + new1 * g;
                    *v = b2 * *v + new2 * g * g;
                    *s = old * *s + new * g;
                    length += f64::from(s.abs());
                    *p = kept * *p - *m / (v.sqrt() + epsilon);
                }
                (right, length)
            })
            .collect();
        let right: f64 = sums.iter().map(|(right, _)| right).sum();
        let length: f64 = sums.iter().map(|(_, length)| length).sum();
        self.progress = memory * self.progress + (1.0 - memory) * long * right;
        if length > 0.0 {
            let found = self.progress / ((1.0 - memory) * length);
            self.distance = self.distance.max(found.min(self.distance * self.growth));
        }
    }

    fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }
}
