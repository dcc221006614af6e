//! What a point is worth, in `f64`.

use super::wide::{Wide, widen};
use super::{BLOCK, Engine, RowState};
use crate::inner::norm;
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
        let (gates, signs) = (self.gates.len(), self.activation.signs());
        let mut convex = vec![0.0; block.len() * y.columns()];
        let mut network = convex.clone();
        for (z, &column) in z.chunks(BLOCK).zip(live) {
            let (c, gate) = (column / (signs * gates), column % gates);
            let sign = if column / gates % signs == 0 {
                1.0
            } else {
                -1.0
            };
            let alpha: Vec<f64> = multipliers.map_or(Vec::new(), |multipliers| {
                let of_output = column % (signs * gates);
                let Multipliers { state, rho } = multipliers;
                self.cone_multipliers(state, rho, c, of_output, block)
                    .collect()
            });
            for (k, row) in block.clone().enumerate() {
                let active = self.gates.active(gate, row);
                let at = k * y.columns() + c;
                let z = z[k] / self.root(row);
                let gated = if active { z } else { 0.0 };
                convex[at] += sign * gated;
                if signs == 2 {
                    network[at] += sign * z.max(0.0);
                    let slack = if active { z } else { -z };
                    part.violation = part.violation.max(-slack);
                    part.held += alpha
                        .get(k)
                        .map_or(0.0, |alpha| alpha * self.root(row) * slack);
                } else {
                    network[at] += sign * gated;
                }
            }
        }
        let mut target = vec![0.0; y.columns()];
        let rows = convex.chunks(y.columns()).zip(network.chunks(y.columns()));
        for (row, (convex, network)) in block.clone().zip(rows) {
            widen(y.row(row), &mut target);
            let weight = self.root(row) * self.root(row);
            part.objective += weight * loss.value(convex, &target);
            part.network_objective += weight * loss.value(network, &target);
        }
    }
}
