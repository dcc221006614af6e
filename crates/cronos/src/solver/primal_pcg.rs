//! `primal-pcg`: the paper's own u-step. Conjugate gradients on
//! `I + H`, `H = c FᵀF + GᵀG`, in the space of the weights, preconditioned by a
//! Nyström approximation of `H` with `μ = 1`. For a general smooth loss the
//! curvature of its quadratic model stands between `Fᵀ` and `F`; it changes at
//! every step, the preconditioner follows now and then.

use super::{Build, USolver};
use crate::Error;
use crate::engine::{Curvature, Engine, Workspace};
use crate::inner::add_scaled;
use crate::loss::Loss;
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
    /// The loss and its curvature, n x C, unless that is 1 throughout
    curvature: Option<(Loss, Vec<T>)>,
}

/// `H = c FᵀF + GᵀG` for some outputs, by products.
struct Hessian<'e, 'x, T> {
    engine: &'e Engine<'x, T>,
    weight: f64,
    curvature: Curvature<'e, T>,
    work: &'e mut Workspace<T>,
}

impl<T: Real> Operator<T> for Hessian<'_, '_, T> {
    fn size(&self) -> usize {
        self.engine.weights_per_output()
    }

    fn apply(&mut self, u: &[T], out: &mut [T]) {
        let batch = self.engine.batch(self.work) * self.size();
        for (u, out) in u.chunks(batch).zip(out.chunks_mut(batch)) {
            self.engine
                .normal(u, self.weight, self.curvature, out, self.work);
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
            nystrom: sketch(engine, settings, None, work)?,
            pcg: PcgSpace::new(engine.weights_per_output() * settings.outputs),
            settings,
            curvature: None,
        })
    }
}

fn sketch<T: Real>(
    engine: &Engine<'_, T>,
    settings: Build,
    curvature: Option<&[T]>,
    work: &mut Workspace<T>,
) -> Result<Nystrom<T>, Error> {
    // one preconditioner serves all outputs: that of their mean curvature
    let mean = curvature.map(|curvature| {
        let mut mean = vec![T::ZERO; engine.rows()];
        for of_output in curvature.chunks(engine.rows()) {
            let share = T::of(1.0 / settings.outputs as f64);
            add_scaled(&mut mean, share, of_output);
        }
        mean
    });
    let mut operator = Hessian {
        engine,
        weight: settings.weight,
        curvature: mean.as_deref().map_or(Curvature::One, Curvature::Shared),
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
        let curvature = self.curvature.as_ref().map(|(_, values)| values.as_slice());
        self.nystrom = sketch(engine, self.settings, curvature, work)?;
        Ok(())
    }

    fn set_curvature(
        &mut self,
        engine: &Engine<'_, T>,
        loss: Loss,
        curvature: &[T],
        refresh: bool,
        work: &mut Workspace<T>,
    ) -> Result<(), Error> {
        self.curvature = Some((loss, curvature.to_vec()));
        if refresh {
            self.nystrom = sketch(engine, self.settings, Some(curvature), work)?;
        }
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
            curvature,
        } = self;
        let mut operator = Hessian {
            engine,
            weight: settings.weight,
            curvature: match &*curvature {
                Some((loss, values)) => Curvature::Of(*loss, values),
                None => Curvature::One,
            },
            work,
        };
        // a loss that couples the outputs makes one system of theirs
        let coupled = curvature
            .as_ref()
            .is_some_and(|(loss, _)| loss.couples_outputs());
        let size = if coupled {
            b.len()
        } else {
            engine.weights_per_output()
        };
        // the eigenvalues of I + H are at least 1, so the residual bounds the error
        pcg::solve(
            |x, out| {
                operator.apply(x, out);
                add_scaled(out, T::of(MU), x);
            },
            |r, z| nystrom.precondition(MU, r, z),
            pcg::dots(size),
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

    #[cfg(feature = "device")]
    fn parts(&self) -> super::Parts<'_, T> {
        super::Parts::Primal(&self.nystrom)
    }
}
