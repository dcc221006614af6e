//! `direct`: Cholesky of `S`, once.

use super::metric::{Metric, outer_tile};
use super::sample_space::SampleSpace;
use super::{Build, USolver};
use crate::Error;
use crate::cholesky::Tiled;
use crate::engine::{Engine, Workspace};
use crate::gates::WORD;
use crate::real::Real;
use faer::MatMut;
use faer::prelude::ReborrowMut;

/// Holds the factor of `S = (1/mc) I + K ∘ (D Dᵀ)`.
pub(crate) struct Direct<T> {
    space: SampleSpace<T>,
    factor: Tiled<T>,
    /// Groups of a gate.
    #[cfg(feature = "device")]
    multiplicity: f64,
}

impl<T: Real> Direct<T> {
    pub fn new(engine: &Engine<'_, T>, settings: Build) -> Result<Self, Error> {
        let metric = Metric::new(engine, settings.kappa)?;
        let factor = sample_matrix(engine, &metric, settings.weight).factor()?;
        Ok(Self {
            space: SampleSpace::new(engine, metric, settings.outputs),
            factor,
            #[cfg(feature = "device")]
            multiplicity: engine.activation.signs() as f64,
        })
    }
}

impl<T: Real> USolver<T> for Direct<T> {
    fn set_weight(
        &mut self,
        engine: &Engine<'_, T>,
        weight: f64,
        _: &mut Workspace<T>,
    ) -> Result<(), Error> {
        self.factor = sample_matrix(engine, &self.space.metric, weight).factor()?;
        Ok(())
    }

    fn solve(
        &mut self,
        engine: &Engine<'_, T>,
        b: &[T],
        u: &mut [T],
        _: f64,
        work: &mut Workspace<T>,
    ) -> usize {
        let Self { space, factor, .. } = self;
        space.solve(engine, b, u, work, |r, t, _, _| {
            t.copy_from_slice(r);
            let count = t.len() / engine.rows();
            let mut t = MatMut::from_column_major_slice_mut(t, engine.rows(), count);
            factor.solve_lower(t.rb_mut());
            factor.solve_upper(t);
            0
        })
    }

    fn kappa(&self) -> f64 {
        self.space.metric.kappa()
    }

    #[cfg(feature = "device")]
    fn parts(&self) -> super::Parts<'_, T> {
        super::Parts::Sample(super::SampleParts {
            roots: self.space.metric.roots(),
            multiplicity: self.multiplicity,
            inner: super::InnerParts::Direct(vec![&self.factor]),
        })
    }
}

/// `S = (1/mc) I + K ∘ (D Dᵀ)`, lower tiles.
pub(crate) fn sample_matrix<T: Real>(
    engine: &Engine<'_, T>,
    metric: &Metric<T>,
    weight: f64,
) -> Tiled<T> {
    let d = engine.features();
    let white = metric.whiten(&engine.matrix());
    let bits = engine.gates.by_row();
    let words = engine.gates.len().div_ceil(WORD);
    let diagonal = T::of(1.0 / (engine.activation.signs() as f64 * weight));
    Tiled::from_tiles(engine.rows(), |row, column, mut tile| {
        outer_tile(&white, d, row, column, tile.rb_mut());
        for j in 0..tile.ncols() {
            let b = &bits[(column + j) * words..][..words];
            for i in 0..tile.nrows() {
                let a = &bits[(row + i) * words..][..words];
                // (D Dᵀ)_ij: gates active on both rows
                let shared: u32 = a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum();
                tile[(i, j)] = T::of(f64::from(shared)) * tile[(i, j)];
                if row + i == column + j {
                    tile[(i, j)] += diagonal;
                }
            }
        }
    })
}
