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

use super::{BLOCK, Memory, Optimizer};
use pulp::{Arch, Simd, WithSimd};
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
        let rule = Rule {
            kept,
            inside,
            b1: b1 as f32,
            b2: b2 as f32,
            new1: (long * (1.0 - b1)) as f32,
            new2: (1.0 - b2) as f32,
            old: memory as f32,
            new: (long * (1.0 - memory)) as f32,
            epsilon: self.epsilon as f32,
        };
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
                Arch::new().dispatch(Block {
                    rule,
                    p,
                    g,
                    m,
                    v,
                    s,
                })
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

    fn memory(&self) -> Memory {
        Memory {
            numbers: vec![self.distance, self.progress],
            arrays: vec![self.m.clone(), self.v.clone(), self.s.clone()],
        }
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        memory.replace(
            &mut [&mut self.distance, &mut self.progress],
            &mut [&mut self.m, &mut self.v, &mut self.s],
        )
    }
}

/// Numbers that are handled side by side.
const LANES: usize = 8;
type Lanes = [f32; LANES];

/// The factors of a step.
#[derive(Clone, Copy)]
struct Rule {
    kept: f32,
    inside: f32,
    b1: f32,
    b2: f32,
    new1: f32,
    new2: f32,
    old: f32,
    new: f32,
    epsilon: f32,
}

impl Rule {
    /// Moves some parameters; returns their terms of `⟨g, s/√v⟩` and `‖s‖₁`.
    #[inline(always)]
    fn step(
        self,
        p: &mut Lanes,
        g: Lanes,
        m: &mut Lanes,
        v: &mut Lanes,
        s: &mut Lanes,
    ) -> [Lanes; 2] {
        // copies, so that no write can change what is read next
        let (mut own_p, mut own_m, mut own_v, mut own_s) = (*p, *m, *v, *s);
        let (mut right, mut length) = ([0.0; LANES], [0.0; LANES]);
        for at in 0..LANES {
            let g = g[at] + self.inside * own_p[at];
            right[at] = g * (own_s[at] / (own_v[at].sqrt() + self.epsilon));
            own_m[at] = self.b1 * own_m[at] + self.new1 * g;
            own_v[at] = self.b2 * own_v[at] + self.new2 * g * g;
            own_s[at] = self.old * own_s[at] + self.new * g;
            own_p[at] = self.kept * own_p[at] - own_m[at] / (own_v[at].sqrt() + self.epsilon);
            length[at] = own_s[at].abs();
        }
        (*p, *m, *v, *s) = (own_p, own_m, own_v, own_s);
        [right, length]
    }
}

/// Parameters that one thread moves, with all that belongs to them.
struct Block<'a> {
    rule: Rule,
    p: &'a mut [f32],
    g: &'a [f32],
    m: &'a mut [f32],
    v: &'a mut [f32],
    s: &'a mut [f32],
}

impl WithSimd for Block<'_> {
    type Output = (f64, f64);

    /// By the widest vectors that the machine has, which change no bit of the result.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> (f64, f64) {
        let mut sums = [[0.0; LANES]; 2];
        let mut add = |terms: [Lanes; 2]| {
            for (sums, terms) in sums.iter_mut().zip(terms) {
                for (sum, term) in sums.iter_mut().zip(terms) {
                    *sum += f64::from(term);
                }
            }
        };
        let (p, last_p) = self.p.as_chunks_mut();
        let (g, last_g) = self.g.as_chunks();
        let (m, last_m) = self.m.as_chunks_mut();
        let (v, last_v) = self.v.as_chunks_mut();
        let (s, last_s) = self.s.as_chunks_mut();
        for ((((p, g), m), v), s) in p.iter_mut().zip(g).zip(m).zip(v).zip(s) {
            add(self.rule.step(p, *g, m, v, s));
        }
        // the rest with zeros behind it, which add nothing
        let [mut p, mut m, mut v, mut s] = [&*last_p, last_m, last_v, last_s].map(filled);
        add(self
            .rule
            .step(&mut p, filled(last_g), &mut m, &mut v, &mut s));
        for (own, moved) in [(last_p, p), (last_m, m), (last_v, v), (last_s, s)] {
            own.copy_from_slice(&moved[..own.len()]);
        }
        let [right, length] = sums.map(|sums| sums.iter().sum());
        (right, length)
    }
}

fn filled(rest: &[f32]) -> Lanes {
    let mut lanes = [0.0; LANES];
    lanes[..rest.len()].copy_from_slice(rest);
    lanes
}
