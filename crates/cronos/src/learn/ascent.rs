//! New gates: directions along which the objective falls most steeply.
//!
//! With `Z` the negative gradient of the loss in the predictions, a unit along
//! `v` of norm 1 lowers the objective if `‖Zᵀ (X v)_+‖ > β`. Each step of the
//! ascent is the best `v` for the gate and the outer weights it has:
//! `a ← Zᵀ (X v)_+ / ‖·‖`, `v ← Xᵀ (1(X v ≥ 0) ∘ Z a) / ‖·‖`.

use super::objective::product;
use crate::inner::{dot, norm};
use crate::matrix::Matrix;
use crate::real::Real;
use faer::{Accum, MatMut, MatRef};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// Steps of the ascent.
const STEPS: usize = 8;
/// Starts that are raised together.
const BATCH: usize = 16;

/// A direction and what a unit along it gains.
#[derive(Clone, Debug)]
pub(crate) struct Atom<T> {
    /// Norm 1.
    pub inner: Vec<T>,
    /// Norm 1.
    pub outer: Vec<T>,
    /// `‖Zᵀ (X v)_+‖`
    pub gain: f64,
    /// `‖(X v)_+‖`
    pub reach: f64,
}

/// The best distinct directions that an ascent from `starts` random ones finds,
/// steepest first.
///
/// pull: the gradient of the loss, n x C, row by row
pub(crate) fn steepest<T: Real>(
    x: &Matrix<T>,
    pull: &[T],
    starts: usize,
    seed: u64,
    most: usize,
) -> Vec<Atom<T>> {
    let mut atoms: Vec<Atom<T>> = (0..starts.div_ceil(BATCH))
        .into_par_iter()
        .flat_map_iter(|batch| {
            let count = BATCH.min(starts - batch * BATCH);
            raise(x, pull, count, seed, batch as u64)
        })
        .filter(|atom| atom.gain.is_finite())
        .collect();
    atoms.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    let mut kept: Vec<Atom<T>> = Vec::new();
    for atom in atoms {
        if kept.len() == most {
            break;
        }
        // two starts often end at the same direction
        let same = |other: &Atom<T>| {
            dot(&other.inner, &atom.inner) > 0.98 && dot(&other.outer, &atom.outer) > 0.0
        };
        if !kept.iter().any(same) {
            kept.push(atom);
        }
    }
    kept
}

/// Raises one batch of random starts.
fn raise<T: Real>(x: &Matrix<T>, pull: &[T], count: usize, seed: u64, batch: u64) -> Vec<Atom<T>> {
    let (n, d) = (x.rows(), x.columns());
    let outputs = pull.len() / n;
    let z = MatRef::from_row_major_slice(pull, n, outputs);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(batch);
    let mut v: Vec<T> = (0..d * count)
        .map(|_| T::of(StandardNormal.sample(&mut rng)))
        .collect();
    let mut a = vec![T::ZERO; outputs * count];
    let mut active = vec![T::ZERO; n * count];
    let mut along = vec![T::ZERO; n * count];
    let all = x.view(0, n);
    for step in 0..=STEPS {
        v.chunks_mut(d).for_each(normalise);
        product(
            MatMut::from_column_major_slice_mut(&mut active, n, count),
            all,
            MatRef::from_column_major_slice(&v, d, count),
            Accum::Replace,
        );
        for z in &mut active {
            *z = z.positive_part();
        }
        // a = −Zᵀ (X v)_+
        product(
            MatMut::from_column_major_slice_mut(&mut a, outputs, count),
            z.transpose(),
            MatRef::from_column_major_slice(&active, n, count),
            Accum::Replace,
        );
        a.iter_mut().for_each(|a| *a = -*a);
        if step == STEPS {
            break;
        }
        a.chunks_mut(outputs).for_each(normalise);
        product(
            MatMut::from_column_major_slice_mut(&mut along, n, count),
            z,
            MatRef::from_column_major_slice(&a, outputs, count),
            Accum::Replace,
        );
        for (along, &active) in along.iter_mut().zip(&active) {
            *along = if active > T::ZERO { -*along } else { T::ZERO };
        }
        product(
            MatMut::from_column_major_slice_mut(&mut v, d, count),
            all.transpose(),
            MatRef::from_column_major_slice(&along, n, count),
            Accum::Replace,
        );
    }
    v.chunks(d)
        .zip(a.chunks_mut(outputs))
        .zip(active.chunks(n))
        .map(|((v, a), active)| {
            let gain = norm(a);
            normalise(a);
            Atom {
                inner: v.to_vec(),
                outer: a.to_vec(),
                gain,
                reach: norm(active),
            }
        })
        .collect()
}

fn normalise<T: Real>(v: &mut [T]) {
    let length = norm(v);
    if length > 0.0 {
        let inverse = T::of(1.0 / length);
        v.iter_mut().for_each(|v| *v *= inverse);
    }
}
