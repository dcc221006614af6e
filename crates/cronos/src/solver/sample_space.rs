//! The u-step reduced to an `n x n` system in sample space.
//!
//! With `p = (v + w)/√2` and `q = (v − w)/√2` only `q` sees `F`, and by Woodbury
//!
//! ```text
//! q ← M⁻¹ b_q ;  r = Σ_i D_i X q_i ;  S t = r ;  q_i ← q_i − M⁻¹ Xᵀ D_i t
//! S = (1/mc) I + K ∘ (D Dᵀ) ,   m = 2 with cones, 1 without
//! ```

use super::metric::Metric;
use crate::engine::{Engine, Workspace};
use crate::inner::{add_scaled, update};
use crate::real::Real;
use std::f64::consts::FRAC_1_SQRT_2;

/// Scratch arrays of the reduction.
pub(crate) struct SampleSpace<T> {
    pub metric: Metric<T>,
    /// d x (P C)
    pub q: Vec<T>,
    /// d x (P C)
    pub correction: Vec<T>,
    /// n x C
    pub r: Vec<T>,
    /// n x C
    pub t: Vec<T>,
}

impl<T: Real> SampleSpace<T> {
    pub fn new(engine: &Engine<'_, T>, metric: Metric<T>, outputs: usize) -> Self {
        let wide = engine.features() * engine.gates.len() * outputs;
        let thin = engine.rows() * outputs;
        Self {
            metric,
            q: vec![T::ZERO; wide],
            correction: vec![T::ZERO; wide],
            r: vec![T::ZERO; thin],
            t: vec![T::ZERO; thin],
        }
    }

    /// Solves for `u`; `inner(r, t)` solves `S t = r` from the `t` it is given.
    pub fn solve(
        &mut self,
        engine: &Engine<'_, T>,
        b: &[T],
        u: &mut [T],
        work: &mut Workspace<T>,
        inner: impl FnOnce(&[T], &mut [T], &Metric<T>, &mut Workspace<T>) -> usize,
    ) -> usize {
        let gates = engine.features() * engine.gates.len();
        let cones = engine.activation.signs() == 2;
        let half = T::of(FRAC_1_SQRT_2);
        // u = M⁻¹ b
        self.metric.solve(b, u);
        // q = (v − w)/√2
        let per_output = engine.weights_per_output();
        for (q, u) in self.q.chunks_mut(gates).zip(u.chunks(per_output)) {
            let (v, w) = u.split_at(gates);
            q.copy_from_slice(v);
            if cones {
                update(q, w, |q, w| *q = half * (*q - w));
            }
        }
        // r = Σ_i D_i X q_i ;  S t = r
        engine.masked_sum(&self.q, &mut self.r, work);
        let iterations = inner(&self.r, &mut self.t, &self.metric, work);
        // q_i ← q_i − M⁻¹ Xᵀ D_i t
        engine.masked_spread(&self.t, &mut self.q, work);
        self.metric.solve(&self.q, &mut self.correction);
        for (correction, u) in self.correction.chunks(gates).zip(u.chunks_mut(per_output)) {
            let (v, w) = u.split_at_mut(gates);
            let scale = if cones { half } else { T::ONE };
            add_scaled(v, -scale, correction);
            add_scaled(w, scale, correction);
        }
        iterations
    }
}
