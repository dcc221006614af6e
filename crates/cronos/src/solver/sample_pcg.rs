//! `sample-pcg`: conjugate gradients on `S`, preconditioned by a Nyström
//! approximation of `K ∘ (D Dᵀ)`. With cones the condition number of `S` is at
//! most `1 + 2cP` whatever the data, so a few dozen products are enough; without
//! them it is at most `1 + cP‖X‖²`.

use super::metric::Metric;
use super::sample_space::SampleSpace;
use super::{Build, USolver, shared};
use crate::Error;
use crate::engine::{Engine, Workspace};
use crate::inner::add_scaled;
use crate::nystrom::{Nystrom, Operator};
use crate::pcg::{self, PcgSpace, Stop};
use crate::program::Activation;
use crate::real::Real;
use crate::team;

/// Holds the preconditioner of `S`.
pub(crate) struct SamplePcg<T> {
    space: SampleSpace<T>,
    nystrom: Nystrom<T>,
    pcg: PcgSpace<T>,
    /// d x (P C)
    spread: Vec<T>,
    /// d x (P C)
    solved: Vec<T>,
    /// A bound on `√κ ‖u − exact‖ / ‖r − S t‖`.
    error_per_residual: f64,
    settings: Build,
    /// Groups of a gate.
    #[cfg(feature = "device")]
    multiplicity: f64,
}

/// `K ∘ (D Dᵀ)`, by products.
struct Hadamard<'e, 'x, T> {
    engine: &'e Engine<'x, T>,
    metric: &'e Metric<T>,
    work: &'e mut Workspace<T>,
    spread: &'e mut [T],
    solved: &'e mut [T],
}

impl<T: Real> Operator<T> for Hadamard<'_, '_, T> {
    fn size(&self) -> usize {
        self.engine.rows()
    }

    /// `out = Σ_i D_i X M⁻¹ Xᵀ D_i t`
    fn apply(&mut self, t: &[T], out: &mut [T]) {
        let n = self.engine.rows();
        let batch = self.engine.batch(self.work) * n;
        for (t, out) in t.chunks(batch).zip(out.chunks_mut(batch)) {
            let wide = self.engine.features() * self.engine.gates.len() * (t.len() / n);
            let (spread, solved) = (&mut self.spread[..wide], &mut self.solved[..wide]);
            self.engine.masked_spread(t, spread, self.work);
            self.metric.solve(spread, solved);
            self.engine.masked_sum(solved, out, self.work);
        }
    }
}

impl<T: Real> SamplePcg<T> {
    pub fn new(
        engine: &Engine<'_, T>,
        settings: Build,
        work: &mut Workspace<T>,
    ) -> Result<Self, Error> {
        let metric = Metric::new(engine, settings.kappa)?;
        let wide = engine.features() * engine.gates.len() * settings.outputs;
        let mut spread = vec![T::ZERO; wide];
        let mut solved = vec![T::ZERO; wide];
        let mut operator = Hadamard {
            engine,
            metric: &metric,
            work,
            spread: &mut spread,
            solved: &mut solved,
        };
        let mu = shift(engine, settings.weight);
        let (rank, seed) = (settings.rank, settings.seed);
        let nystrom = team::sketch(engine.team(), &mut operator, rank, mu, seed)?;
        Ok(Self {
            spread,
            solved,
            ..Self::of(engine, settings, metric, nystrom)
        })
    }

    /// Of what was made elsewhere, for others to apply.
    pub fn of(
        engine: &Engine<'_, T>,
        settings: Build,
        metric: Metric<T>,
        nystrom: Nystrom<T>,
    ) -> Self {
        Self {
            space: SampleSpace::new(engine, metric, settings.outputs),
            nystrom,
            pcg: PcgSpace::new(engine.rows() * settings.outputs),
            spread: Vec::new(),
            solved: Vec::new(),
            error_per_residual: error_per_residual(engine, settings.weight),
            settings,
            #[cfg(feature = "device")]
            multiplicity: engine.activation.signs() as f64,
        }
    }
}

impl<T: Real> USolver<T> for SamplePcg<T> {
    fn set_weight(
        &mut self,
        engine: &Engine<'_, T>,
        weight: f64,
        _: &mut Workspace<T>,
    ) -> Result<(), Error> {
        self.settings.weight = weight;
        self.error_per_residual = error_per_residual(engine, weight);
        Ok(())
    }

    fn solve(
        &mut self,
        engine: &Engine<'_, T>,
        b: &[T],
        u: &mut [T],
        tolerance: f64,
        work: &mut Workspace<T>,
    ) -> usize {
        let Self {
            space,
            nystrom,
            pcg,
            spread,
            solved,
            settings,
            ..
        } = self;
        let mu = shift(engine, settings.weight);
        let scale = self.error_per_residual;
        space.solve(engine, b, u, work, |r, t, metric, work| {
            let mut operator = Hadamard {
                engine,
                metric,
                work,
                spread,
                solved,
            };
            pcg::solve(
                |x, out| {
                    operator.apply(x, out);
                    add_scaled(out, T::of(mu), x);
                },
                |r, z| shared::precondition(engine, nystrom, mu, r, z),
                |a, b| engine.dots(a, b),
                r,
                t,
                pcg,
                Stop {
                    tolerance: tolerance / scale,
                    most: settings.most_inner,
                },
            )
        })
    }

    fn memory(&self) -> &[T] {
        &self.space.t
    }

    fn set_memory(&mut self, memory: &[T]) {
        if memory.len() == self.space.t.len() {
            self.space.t.copy_from_slice(memory);
        }
    }

    fn kappa(&self) -> f64 {
        self.space.metric.kappa()
    }

    fn rank(&self) -> Option<usize> {
        Some(self.nystrom.rank())
    }

    #[cfg(feature = "device")]
    fn parts(&self) -> super::Parts<'_, T> {
        super::Parts::Sample(super::SampleParts {
            roots: self.space.metric.roots(),
            multiplicity: self.multiplicity,
            inner: super::InnerParts::Pcg {
                sketches: vec![&self.nystrom],
                mu: 1.0 / (self.multiplicity * self.settings.weight),
                error_per_residual: self.error_per_residual,
            },
        })
    }
}

/// `1/mc`
pub(crate) fn shift<T: Real>(engine: &Engine<'_, T>, weight: f64) -> f64 {
    1.0 / (engine.activation.signs() as f64 * weight)
}

/// `‖S⁻¹‖ ≤ mc`, and an error in `t` reaches `u` through `M⁻¹ Xᵀ D_i`: with cones
/// `√κ ‖M⁻¹ Xᵀ‖ ≤ ½`, without them it is `‖X‖`.
fn error_per_residual<T: Real>(engine: &Engine<'_, T>, weight: f64) -> f64 {
    let gates = (engine.gates.len() as f64).sqrt();
    match engine.activation {
        Activation::Relu => weight * gates,
        Activation::Gated => weight * gates * engine.squared_norm().sqrt(),
    }
}
