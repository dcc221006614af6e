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

    /// `z_i = (2 D_i − I) R_i |a_i| ± c D_i h` on one column
    #[inline(always)]
    pub fn fill(&self, column: usize, z: &mut [T; BLOCK], part: LossPart<'_, T>) {
        for (row, z) in z.iter_mut().enumerate() {
            *z = part.of_row(row);
        }
        if let Some(a) = self.a.as_chunks::<BLOCK>().0.get(column) {
            let (stiffness, soft) = (self.stiffness.as_chunks().0, [T::ONE; BLOCK]);
            let stiffness = stiffness.get(column).unwrap_or(&soft);
            for row in 0..BLOCK {
                let slack = a[row].positive_part() - a[row].negative_part();
                z[row] += part.sign(row) * stiffness[row] * slack;
            }
        }
    }

    /// `a = α Gu + (1 − α) s + ν` on one column, whose `X u` is in `z`; then as `fill`.
    #[inline(always)]
    pub fn update(
        &mut self,
        column: usize,
        z: &mut [T; BLOCK],
        part: LossPart<'_, T>,
        inverse_roots: &[T; BLOCK],
        relaxation: T,
        sums: &mut SweepSums,
    ) {
        const LANES: usize = 8;
        let (stiffness, soft) = (self.stiffness.as_chunks().0, [T::ONE; BLOCK]);
        let stiffness = stiffness.get(column).unwrap_or(&soft);
        let Some(a) = self.a.as_chunks_mut::<BLOCK>().0.get_mut(column) else {
            return self.fill(column, z, part);
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
                let g = part.sign(row) * z[row];
                let old = a[row].positive_part();
                let new = relaxation * g + (T::ONE - relaxation) * old + a[row].negative_part();
                let (s, nu) = (new.positive_part(), new.negative_part());
                a[row] = new;
                z[row] = part.of_row(row) + part.sign(row) * r * (s - nu);
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

/// `± c D_i h`: what the loss adds to one column.
#[derive(Clone, Copy)]
pub(super) struct LossPart<'m, T> {
    pub mask: &'m [T; BLOCK],
    /// `± c`
    pub weight: T,
    pub h: &'m [T; BLOCK],
}

impl<T: Real> LossPart<'_, T> {
    #[inline(always)]
    fn of_row(&self, row: usize) -> T {
        self.weight * self.mask[row] * self.h[row]
    }

    /// Of `2 D_i − I`.
    #[inline(always)]
    fn sign(&self, row: usize) -> T {
        self.mask[row] + self.mask[row] - T::ONE
    }
}

impl<T: Real> Engine<'_, T> {
    /// The loss's part of every column of an output.
    #[inline(always)]
    pub(super) fn loss_parts<'m>(
        &self,
        masks: &'m [T],
        weight: f64,
        h: &'m [T; BLOCK],
    ) -> impl Fn(usize) -> LossPart<'m, T> + use<'m, T> {
        let gates = self.gates.len();
        let (masks, _) = masks.as_chunks::<BLOCK>();
        move |column| LossPart {
            mask: &masks[column % gates],
            weight: T::of(if column < gates { weight } else { -weight }),
            h,
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
