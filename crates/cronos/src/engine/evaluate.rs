//! What a point is worth, in `f64`.

use super::wide::{Wide, widen};
use super::{BLOCK, Engine, RowState};
use crate::inner::{norm, vectorized};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::real::Real;
use rayon::prelude::*;
use std::ops::Range;

/// A point of the convex program, in `f64`: d x (signs P C).
pub(crate) type Candidate = Vec<f64>;

/// The worth of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Evaluation {
    /// `loss(F u) + β Σ ‖u_g‖`
    pub objective: f64,
    /// `loss(network(X)) + β Σ ‖u_g‖`, the network with the same weights
    pub network_objective: f64,
    /// `max (−G u)_+`
    pub violation: f64,
    /// `αᵀG u`, where there are multipliers `α` of the cones; else 0
    pub held: f64,
}

impl Evaluation {
    /// No point, on no rows, with the penalty `β Σ ‖u_g‖`.
    pub fn of_penalty(penalty: f64) -> Self {
        Self {
            objective: penalty,
            network_objective: penalty,
            violation: 0.0,
            held: 0.0,
        }
    }

    /// `loss(F u) + β Σ ‖u_g‖ − αᵀG u`
    pub fn lagrangian(&self) -> f64 {
        self.objective - self.held
    }
}

/// The multipliers of a state, for `ρ`.
#[derive(Clone, Copy)]
pub(crate) struct Multipliers<'s, T> {
    pub state: &'s RowState<T>,
    pub rho: f64,
}

impl<T: Real> Engine<'_, T> {
    /// Objective, violation and the objective of the recovered network, and what `multipliers` say of
    /// the cones.
    pub fn evaluate(
        &self,
        u: &[f64],
        y: &Matrix<T>,
        loss: Loss,
        beta: f64,
        multipliers: Option<Multipliers<'_, T>>,
    ) -> Evaluation {
        let d = self.features();
        let live: Vec<usize> = (0..u.len() / d)
            .filter(|&column| u[column * d..][..d].iter().any(|&weight| weight != 0.0))
            .collect();
        let weights: Vec<f64> = live
            .iter()
            .flat_map(|&g| &u[g * d..][..d])
            .copied()
            .collect();
        let penalty: f64 = beta * weights.chunks(d).map(norm).sum::<f64>();
        let parts: Vec<[f64; 4]> = (0..self.chunk_count())
            .into_par_iter()
            .map(|index| {
                let mut part = Evaluation::of_penalty(0.0);
                let mut wide = Wide::new(self, live.len());
                for block in self.blocks(index) {
                    wide.multiply(self, &block, &weights);
                    let z = (&live[..], &wide.z[..]);
                    self.evaluate_block(&block, z, y, loss, multipliers, &mut part);
                }
                [
                    part.objective,
                    part.network_objective,
                    part.violation,
                    part.held,
                ]
            })
            .collect();
        let mut total = Evaluation::of_penalty(penalty);
        let parts = self.team.gather(parts.as_flattened());
        for &[objective, network, violation, held] in parts.as_chunks().0 {
            total.objective += objective;
            total.network_objective += network;
            total.violation = total.violation.max(violation);
            total.held += held;
        }
        total
    }

    fn evaluate_block(
        &self,
        block: &Range<usize>,
        (live, z): (&[usize], &[f64]),
        y: &Matrix<T>,
        loss: Loss,
        multipliers: Option<Multipliers<'_, T>>,
        part: &mut Evaluation,
    ) {
        const LANES: usize = 8;
        let (gates, signs) = (self.gates.len(), self.activation.signs());
        // one run of rows for each output
        let mut convex = vec![[0.0; BLOCK]; y.columns()];
        let mut network = convex.clone();
        // 0 beyond the last row, where `z` holds what an earlier block left
        let (mut roots, mut inverse) = ([0.0; BLOCK], [0.0; BLOCK]);
        for (k, row) in block.clone().enumerate() {
            (roots[k], inverse[k]) = (self.root(row), 1.0 / self.root(row));
        }
        let mut mask = [0.0; BLOCK];
        let (mut outside, mut held) = ([0.0; LANES], [0.0; LANES]);
        vectorized(
            #[inline(always)]
            || {
                for (z, &column) in z.as_chunks::<BLOCK>().0.iter().zip(live) {
                    let (c, of_output) = (column / (signs * gates), column % (signs * gates));
                    let sign = if of_output < gates { 1.0 } else { -1.0 };
                    let alpha = match multipliers {
                        Some(Multipliers { state, rho }) => {
                            self.cone_multipliers(state, rho, c, of_output, block)
                        }
                        None => [0.0; BLOCK],
                    };
                    self.gates.expand(column % gates, block.start, &mut mask);
                    let (convex, network) = (&mut convex[c], &mut network[c]);
                    for from in (0..BLOCK).step_by(LANES) {
                        for lane in 0..LANES {
                            let k = from + lane;
                            let z = z[k] * inverse[k];
                            let active = mask[k] != 0.0;
                            let gated = if active { z } else { 0.0 };
                            convex[k] += sign * gated;
                            let unit = if signs == 2 { z.positive_part() } else { gated };
                            network[k] += sign * unit;
                            let slack = if active { z } else { -z };
                            outside[lane] = if -slack > outside[lane] {
                                -slack
                            } else {
                                outside[lane]
                            };
                            held[lane] += alpha[k] * roots[k] * slack;
                        }
                    }
                }
            },
        );
        if signs == 2 {
            part.violation = outside.into_iter().fold(part.violation, f64::max);
            part.held += held.iter().sum::<f64>();
        }
        let mut of_row = [(); 3].map(|()| vec![0.0; y.columns()]);
        let [target, of_convex, of_network] = &mut of_row;
        for (k, row) in block.clone().enumerate() {
            widen(y.row(row), target);
            for c in 0..y.columns() {
                (of_convex[c], of_network[c]) = (convex[c][k], network[c][k]);
            }
            let weight = roots[k] * roots[k];
            part.objective += weight * loss.value(of_convex, target);
            part.network_objective += weight * loss.value(of_network, target);
        }
    }
}
