//! New gates: directions along which the objective falls most steeply.
//!
//! With `Z` the negative gradient of the loss in the predictions, a unit along
//! `v` of norm 1 lowers the objective if `‖Zᵀ (X v)_+‖ > β`. The ascent goes along
//! the gradient `g = Xᵀ (1(X v ≥ 0) ∘ Z a)`, with `a = Zᵀ (X v)_+ / ‖·‖`, and back to
//! the sphere: `v ← (v + η g/‖g‖) / ‖·‖`. A step that would lead down is not made, and
//! `η` shrinks: where rows pull both ways, a jump to `g` itself often does.

use super::features::Features;
use super::objective::product;
use crate::inner::{add_scaled, dot, norm};
use crate::real::Real;
use faer::{Accum, MatMut, MatRef};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// `η` at first, close to a jump; its factors after a step and after a refusal.
const STRIDE: f64 = 8.0;
const LONGER: f64 = 1.5;
const SHORTER: f64 = 0.3;
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

/// How directions are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Climb {
    /// Random directions to start from.
    pub starts: usize,
    /// Steps from each.
    pub steps: usize,
}

/// The best distinct directions that an ascent from random ones finds, steepest first.
///
/// pull: the gradient of the loss, n x C, row by row
pub(crate) fn steepest<T: Real, X: Features<T>>(
    x: &X,
    pull: &[T],
    climb: Climb,
    seed: u64,
    most: usize,
) -> Vec<Atom<T>> {
    let starts = climb.starts;
    let used = x.used();
    let mut atoms: Vec<Atom<T>> = (0..starts.div_ceil(BATCH))
        .into_par_iter()
        .flat_map_iter(|batch| {
            let count = BATCH.min(starts - batch * BATCH);
            raise(x, &used, pull, climb.steps, count, seed, batch as u64)
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
fn raise<T: Real, X: Features<T>>(
    x: &X,
    used: &[bool],
    pull: &[T],
    steps: usize,
    count: usize,
    seed: u64,
    batch: u64,
) -> Vec<Atom<T>> {
    let (n, d) = (x.rows(), x.columns());
    let outputs = pull.len() / n;
    let z = MatRef::from_row_major_slice(pull, n, outputs);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(batch);
    // where the ascents look, d x count, and the gradients there
    let mut look: Vec<T> = (0..d * count)
        .map(|_| T::of(StandardNormal.sample(&mut rng)))
        .collect();
    // a column of zeros gains nothing
    for look in look.chunks_mut(d) {
        for (look, used) in look.iter_mut().zip(used) {
            if !used {
                *look = T::ZERO;
            }
        }
    }
    let mut gradient = vec![T::ZERO; d * count];
    let mut a = vec![T::ZERO; outputs * count];
    let mut active = vec![T::ZERO; n * count];
    let mut along = vec![T::ZERO; n * count];
    let mut climbers: Vec<Climber<T>> = Vec::with_capacity(count);
    for step in 0..=steps {
        look.chunks_mut(d).for_each(normalise);
        x.times(&look, &mut active);
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
        let gains: Vec<f64> = a.chunks(outputs).map(norm).collect();
        a.chunks_mut(outputs).for_each(normalise);
        if step < steps {
            product(
                MatMut::from_column_major_slice_mut(&mut along, n, count),
                z,
                MatRef::from_column_major_slice(&a, outputs, count),
                Accum::Replace,
            );
            for (along, &active) in along.iter_mut().zip(&active) {
                *along = if active > T::ZERO { -*along } else { T::ZERO };
            }
            // g = Xᵀ (1(X v ≥ 0) ∘ Z a)
            x.times_back(&along, &mut gradient);
            gradient.chunks_mut(d).for_each(normalise);
        }
        for (i, &gain) in gains.iter().enumerate() {
            let higher = climbers.get(i).is_none_or(|old| gain > old.atom.gain);
            if !higher {
                climbers[i].stride *= SHORTER;
                continue;
            }
            let here = Climber {
                atom: Atom {
                    inner: look[i * d..(i + 1) * d].to_vec(),
                    outer: a[i * outputs..(i + 1) * outputs].to_vec(),
                    gain,
                    reach: norm(&active[i * n..(i + 1) * n]),
                },
                uphill: gradient[i * d..(i + 1) * d].to_vec(),
                stride: climbers.get(i).map_or(STRIDE, |old| LONGER * old.stride),
            };
            match climbers.get_mut(i) {
                Some(old) => *old = here,
                None => climbers.push(here),
            }
        }
        // v + η g/‖g‖
        for (look, climber) in look.chunks_mut(d).zip(&climbers) {
            look.copy_from_slice(&climber.atom.inner);
            add_scaled(look, T::of(climber.stride), &climber.uphill);
        }
    }
    climbers.into_iter().map(|climber| climber.atom).collect()
}

/// An ascent at the highest place it found.
struct Climber<T> {
    atom: Atom<T>,
    /// `g/‖g‖`
    uphill: Vec<T>,
    /// `η`
    stride: f64,
}

fn normalise<T: Real>(v: &mut [T]) {
    let length = norm(v);
    if length > 0.0 {
        let inverse = T::of(1.0 / length);
        v.iter_mut().for_each(|v| *v *= inverse);
    }
}

#[cfg(test)]
mod tests {
    use super::{Atom, Climb, steepest};
    use crate::inner::norm;
    use crate::matrix::Matrix;

    /// Pulls of both signs, which throw a jump to the gradient about.
    fn problem() -> (Matrix<f64>, Vec<f64>) {
        let x = Matrix::from_fn(90, 6, |i, j| {
            (((i * 31 + j * 17 + i * j * 7) % 23) as f64 - 11.0) / 7.0
        });
        let pull = (0..180)
            .map(|i| ((i * 29 + i * i) % 19) as f64 - 9.0)
            .collect();
        (x, pull)
    }

    fn found(steps: usize) -> Vec<Atom<f64>> {
        let (x, pull) = problem();
        let climb = Climb { starts: 20, steps };
        steepest(&x, &pull, climb, 3, 20)
    }

    #[test]
    fn the_gain_is_that_of_the_direction() {
        let (x, pull) = problem();
        for atom in found(12) {
            let mut sums = [0.0; 2];
            let mut reach = 0.0;
            for row in 0..90 {
                let along: f64 = (0..6).map(|j| x.at(row, j) * atom.inner[j]).sum();
                let active = along.max(0.0);
                reach += active * active;
                sums[0] -= active * pull[2 * row];
                sums[1] -= active * pull[2 * row + 1];
            }
            let gain = sums[0].hypot(sums[1]);
            assert!((gain - atom.gain).abs() < 1e-9 * gain);
            assert!((reach.sqrt() - atom.reach).abs() < 1e-9 * atom.reach);
            assert!((norm(&atom.inner) - 1.0).abs() < 1e-12);
            for (sum, outer) in sums.iter().zip(&atom.outer) {
                assert!((sum / gain - outer).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn more_steps_never_lead_down() {
        let best: Vec<f64> = [0, 1, 4, 16, 64]
            .iter()
            .map(|&steps| found(steps)[0].gain)
            .collect();
        assert!(best.windows(2).all(|pair| pair[0] <= pair[1]), "{best:?}");
        assert!(best[0] < best[4], "{best:?}");
    }
}
