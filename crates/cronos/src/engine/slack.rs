//! The cones' part of an ADMM step: one column of one block at a time.

use super::{BLOCK, Engine, RowState, SweepSums};
use crate::real::Real;
use rayon::prelude::*;

/// `a = s + ν` on some rows, and how stiffly each `s` is held to `G u`: the
/// diagonal of `R` in the penalty `ρ/2 (Gu − s)ᵀ R (Gu − s)`. Empty without cones.
pub(super) struct Slacks<'s, T> {
    pub a: &'s mut [T],
    /// empty: all 1
    pub stiffness: &'s [T],
}

impl<T: Real> Slacks<'_, T> {
    /// Block number `at` of a chunk.
    pub fn block(&mut self, at: usize, columns: usize) -> Slacks<'_, T> {
        self.part(at, BLOCK * columns)
    }

    /// Output `c` of a block.
    pub fn output(&mut self, c: usize, per_output: usize) -> Slacks<'_, T> {
        self.part(c, per_output)
    }

    fn part(&mut self, at: usize, length: usize) -> Slacks<'_, T> {
        let from = at * length;
        Slacks {
            a: self.a.get_mut(from..from + length).unwrap_or_default(),
            stiffness: self.stiffness.get(from..from + length).unwrap_or_default(),
        }
    }

    fn stiffness(&self, column: usize) -> [T; BLOCK] {
        let (columns, _) = self.stiffness.as_chunks::<BLOCK>();
        columns.get(column).copied().unwrap_or([T::ONE; BLOCK])
    }

    /// `a = α Gu + (1 − α) s + ν` on one column; `z` holds `X u`.
    #[inline(always)]
    pub fn update(
        &mut self,
        column: usize,
        z: &[T; BLOCK],
        mask: &[T; BLOCK],
        inverse_roots: &[T; BLOCK],
        relaxation: T,
        sums: &mut SweepSums,
    ) {
        const LANES: usize = 8;
        let stiffness = self.stiffness(column);
        let Some(a) = self.a.as_chunks_mut::<BLOCK>().0.get_mut(column) else {
            return;
        };
        let mut primal = [T::ZERO; LANES];
        let mut change = [T::ZERO; LANES];
        let mut image = [T::ZERO; LANES];
        let mut copy = [T::ZERO; LANES];
        let mut multiplier = [T::ZERO; LANES];
        let mut violation = [T::ZERO; LANES];
        for from in (0..BLOCK).step_by(LANES) {
            for lane in 0..LANES {
                let row = from + lane;
                let r = stiffness[row];
                let g = (mask[row] + mask[row] - T::ONE) * z[row];
                let old = a[row].positive_part();
                let new = relaxation * g + (T::ONE - relaxation) * old + a[row].negative_part();
                let (s, nu) = (new.positive_part(), new.negative_part());
                a[row] = new;
                primal[lane] += r * (g - s) * (g - s);
                change[lane] += r * (s - old) * (s - old);
                image[lane] += r * g * g;
                copy[lane] += r * s * s;
                multiplier[lane] += r * nu * nu;
                let outside = -g * inverse_roots[row];
                violation[lane] = if outside > violation[lane] {
                    outside
                } else {
                    violation[lane]
                };
            }
        }
        let total = |lanes: [T; LANES]| lanes.iter().copied().sum::<T>().wide();
        sums.primal += total(primal);
        sums.change += total(change);
        sums.image += total(image);
        sums.copy += total(copy);
        sums.multiplier += total(multiplier);
        for lane in violation {
            sums.violation = sums.violation.max(lane.wide());
        }
    }
}

impl<T: Real> Engine<'_, T> {
    /// `z_i = (2 D_i − I) R_i |a_i| ± c D_i h`
    pub(super) fn fill(
        &self,
        z: &mut [T],
        masks: &[T],
        slacks: Slacks<'_, T>,
        weight: f64,
        h: &[T; BLOCK],
    ) {
        let gates = self.gates.len();
        let (masks, _) = masks.as_chunks::<BLOCK>();
        let (a, _) = slacks.a.as_chunks::<BLOCK>();
        for (column, z) in z.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
            let mask = &masks[column % gates];
            let weight = T::of(if column < gates { weight } else { -weight });
            for row in 0..BLOCK {
                z[row] = weight * mask[row] * h[row];
            }
            if let Some(a) = a.get(column) {
                let stiffness = slacks.stiffness(column);
                for row in 0..BLOCK {
                    let sign = mask[row] + mask[row] - T::ONE;
                    let slack = a[row].positive_part() - a[row].negative_part();
                    z[row] += sign * stiffness[row] * slack;
                }
            }
        }
    }

    /// Makes the slacks that push against their cone stiff and the others soft.
    /// The multipliers `ρ R ν` stay.
    pub fn stiffen(&self, state: &mut RowState<T>, stiff: f64, soft: f64) {
        let (stiff, soft) = (T::of(stiff), T::of(soft));
        state.stiffness.resize(state.a.len(), T::ONE);
        (state.a.par_iter_mut())
            .zip(&mut state.stiffness)
            .for_each(|(a, r)| {
                let old = *r;
                *r = if *a < T::ZERO { stiff } else { soft };
                if *a < T::ZERO {
                    *a *= old / *r;
                }
            });
    }

    /// The least stiffness of any slack, those of other ranks included.
    pub fn softest(&self, state: &RowState<T>) -> f64 {
        let stiffness = state.stiffness.iter().map(|r| r.wide());
        -self.team.largest(-stiffness.fold(f64::INFINITY, f64::min))
    }

    /// The stiffness of one column of the slacks, row by row; empty if all are 1.
    pub fn stiffness_of(&self, state: &RowState<T>, column: usize) -> Vec<T> {
        if state.stiffness.is_empty() {
            return Vec::new();
        }
        let padded = self.rows().next_multiple_of(BLOCK);
        let columns = state.stiffness.len() / padded;
        (0..padded / BLOCK)
            .flat_map(|block| &state.stiffness[(block * columns + column) * BLOCK..][..BLOCK])
            .copied()
            .take(self.rows())
            .collect()
    }
}
