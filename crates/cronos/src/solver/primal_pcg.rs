//! `primal-pcg`: the paper's own u-step. Conjugate gradients on
//! `I + H`, `H = c FᵀF + GᵀG`, in the space of the weights, preconditioned by a
//! Nyström approximation of `H` with `μ = 1`.

use super::{Build, USolver};
use crate::Error;
use crate::engine::{Engine, Workspace};
use crate::inner::add_scaled;
use crate::nystrom::{Nystrom, Operator};
use crate::pcg::{self, PcgSpace, Stop};
use crate::real::Real;

/// The identity in `I + H`.
const MU: f64 = 1.0;

/// Holds the preconditioner of `I + H`.
pub(crate) struct PrimalPcg<T> {
    nystrom: Nystrom<T>,
    pcg: PcgSpace<T>,
    settings: Build,
}

/// `H = c FᵀF + GᵀG` for one output, by products.
struct Hessian<'e, 'x, T> {
    engine: &'e Engine<'x, T>,
    weight: f64,
    work: &'e mut Workspace<T>,
}

impl<T: Real> Operator<T> for Hessian<'_, '_, T> {
    fn size(&self) -> usize {
        self.engine.weights_per_output()
    }

    fn apply(&mut self, u: &[T], out: &mut [T]) {
        let batch = self.engine.batch(self.work) * self.size();
        for (u, out) in u.chunks(batch).zip(out.chunks_mut(batch)) {
            self.engine.normal(u, self.weight, out, self.work);
        }
    }
}

impl<T: Real> PrimalPcg<T> {
    pub fn new(
        engine: &Engine<'_, T>,
        settings: Build,
        work: &mut Workspace<T>,
    ) -> Result<Self, Error> {
        Ok(Self {
            nystrom: sketch(engine, settings, work)?,
            pcg: PcgSpace::new(engine.weights_per_output() * settings.outputs),
            settings,
        })
    }
}

fn sketch<T: Real>(
    engine: &Engine<'_, T>,
    settings: Build,
    work: &mut Workspace<T>,
) -> Result<Nystrom<T>, Error> {
    let mut operator = Hessian {
        engine,
        weight: settings.weight,
        work,
    };
    Nystrom::new(&mut operator, settings.rank, MU, settings.seed)
}

impl<T: Real> USolver<T> for PrimalPcg<T> {
    fn set_weight(
        &mut self,
        engine: &Engine<'_, T>,
        weight: f64,
        work: &mut Workspace<T>,
    ) -> Result<(), Error> {
        self.settings.weight = weight;
        self.nystrom = sketch(engine, self.settings, work)?;
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
            nystrom,
            pcg,
            settings,
        } = self;
        let mut operator = Hessian {
            engine,
            weight: settings.weight,
            work,
        };
        // the eigenvalues of I + H are at least 1, so the residual bounds the error
        pcg::solve(
            |x, out| {
                operator.apply(x, out);
                add_scaled(out, T::of(MU), x);
            },
            |r, z| nystrom.precondition(MU, r, z),
            engine.weights_per_output(),
            b,
            u,
            pcg,
            Stop {
                tolerance,
                most: settings.most_inner,
            },
        )
    }

    fn rank(&self) -> Option<usize> {
        Some(self.nystrom.rank())
    }
}
