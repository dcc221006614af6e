//! `sample-pcg` for features that only the device has: what it is made of is computed there.

use super::link::Link;
use super::resident::Resident;
use super::rows::Rows;
use super::solver;
use crate::Error;
use crate::engine::Engine;
use crate::nystrom::{Nystrom, Operator};
use crate::real::Real;
use crate::solver::{Build, Metric, SamplePcg, shift};

pub(super) fn sample_pcg<T: Real>(
    there: &Resident,
    rows: &Rows,
    engine: &Engine<'_, T>,
    build: Build,
    link: &Link,
) -> Result<SamplePcg<T>, Error> {
    let metric = Metric::of_gram(&there.gram(), build.kappa)?;
    let mut operator = Hadamard {
        rows,
        metric: solver::Metric::new(metric.roots(), link),
        link,
    };
    let mu = shift(engine, build.weight);
    let sketch = Nystrom::new(&mut operator, build.rank, mu, build.seed)?;
    Ok(SamplePcg::of(engine, build, metric, sketch))
}

/// `K ∘ (D Dᵀ)`, by products on the device.
struct Hadamard<'r> {
    rows: &'r Rows,
    metric: solver::Metric,
    link: &'r Link,
}

impl<T: Real> Operator<T> for Hadamard<'_> {
    fn size(&self) -> usize {
        self.rows.sizes.rows
    }

    /// `out = Σ_i D_i X M⁻¹ Xᵀ D_i t`
    fn apply(&mut self, t: &[T], out: &mut [T]) {
        let (n, outputs) = (self.rows.sizes.rows, self.rows.sizes.outputs);
        for (t, out) in t.chunks(outputs * n).zip(out.chunks_mut(outputs * n)) {
            let mut all = t.to_vec();
            all.resize(outputs * n, T::ZERO);
            let filled = t.len() / n;
            let t = self.link.send_all(&all, [outputs, n]).transpose();
            let q = self.metric.solve(self.rows.predict_back(&t));
            let image = self.rows.predict(&q).transpose();
            let image = self.link.fetch(image.slice(0..filled));
            for (out, value) in out.iter_mut().zip(image) {
                *out = T::of(f64::from(value));
            }
        }
    }
}
