//! The penalties that leave nothing of the network.
//!
//! Zero is optimal when no group gains by growing from it: with `z = ∇loss(0)`,
//!
//! ```text
//! β ≥ max ∓ zᵀ D_i X v   over the v of gate i's cone with ‖v‖ ≤ 1, for every gate and sign
//! ```
//!
//! Without cones the maximum is `‖F_gᵀ z‖`; with them it is the norm of the
//! projection of `∓F_gᵀ z` onto the cone.

use crate::Error;
use crate::blocks::Blocks;
use crate::cone::{Cone, scales};
use crate::engine::Engine;
use crate::inner::norm;
use crate::matrix::Matrix;
use crate::program::{Activation, Program};
use crate::real::Real;
use crate::reduction::Reduction;
use crate::team::Team;
use rayon::prelude::*;

/// Groups that are looked at together, before their largest is known to the next.
const TOGETHER: usize = 16;

/// `F_gᵀ z` of a gate and an output.
struct Slope {
    gate: usize,
    along: Vec<f64>,
    /// `‖F_gᵀ z‖`, at least the norm of any projection
    most: f64,
}

impl<T: Real> Program<T> {
    /// A penalty that is sure to give the zero network: `max_g ‖F_gᵀ ∇loss(0)‖`.
    /// For the gated activation it is the smallest such penalty; with cones
    /// [`smallest_zero_beta`](Self::smallest_zero_beta) is, and takes longer.
    pub fn zero_beta(&self) -> f64 {
        let x = self.weighted_features();
        self.zero_beta_of(&Engine::new(&*x, &self.gates, self.activation))
    }

    /// The smallest penalty with the zero network among its solutions.
    ///
    /// It is accurate to about nine digits and rounded upwards. Where the loss has
    /// a kink at 0 (quantile, at rows whose target is 0) it is an upper bound.
    pub fn smallest_zero_beta(&self) -> f64 {
        if self.activation == Activation::Gated {
            return self.zero_beta();
        }
        self.largest_slope(&self.gradient_at_zero())
    }

    /// `max ∓zᵀD_iXv` over the `v` of gate i's cone with `‖v‖ ≤ 1`, over all gates and over the
    /// columns of `z`, which are multiplied by `√w`. Never too small.
    pub(crate) fn largest_slope(&self, z: &[Vec<f64>]) -> f64 {
        let x = self.weighted_features();
        match Reduction::new(&x) {
            None => self.largest_projection(&x, z),
            // the maximum over v is attained in the row space of X
            Some(reduction) => self.largest_projection(&reduction.lower(), z),
        }
    }

    /// The largest projection over all groups. Groups come by what they could be
    /// at most, so that few projections are carried through.
    fn largest_projection<X: Real>(&self, x: &Matrix<X>, z: &[Vec<f64>]) -> f64 {
        let mut slopes = self.slopes(x, z);
        slopes.sort_by(|a, b| b.most.total_cmp(&a.most));
        let scales = scales(x);
        let mut largest = 0.0;
        for slopes in slopes.chunks(TOGETHER) {
            let project = |slope: &Slope| {
                let cone = Cone {
                    x,
                    scales: &scales,
                    gates: &self.gates,
                    gate: slope.gate,
                };
                let against: Vec<f64> = slope.along.iter().map(|along| -along).collect();
                let of = |p: &[f64]| match slope.most > largest {
                    true => cone.projection_norm(p, largest),
                    false => 0.0,
                };
                of(&against).max(of(&slope.along))
            };
            let found: Vec<f64> = slopes.par_iter().map(project).collect();
            largest = found.into_iter().fold(largest, f64::max);
        }
        largest
    }

    /// `max_g ‖F_gᵀ z‖`, for columns of `z` that are multiplied by `√w`.
    pub(crate) fn largest_group(&self, z: &[Vec<f64>]) -> f64 {
        let slopes = self.slopes(&self.weighted_features(), z);
        slopes
            .iter()
            .fold(0.0, |most: f64, slope| most.max(slope.most))
    }

    /// `Xᵀ D_i z_c` for every gate and output.
    fn slopes<X: Real>(&self, x: &Matrix<X>, gradients: &[Vec<f64>]) -> Vec<Slope> {
        let gates = self.gates.len();
        (0..gates * gradients.len())
            .into_par_iter()
            .map(|group| {
                let (gate, z) = (group % gates, &gradients[group / gates]);
                let mut along = vec![0.0; x.columns()];
                for (row, z) in z.iter().enumerate() {
                    if self.gates.active(gate, row) {
                        for (along, x) in along.iter_mut().zip(x.row(row)) {
                            *along += z * x.wide();
                        }
                    }
                }
                Slope {
                    gate,
                    most: norm(&along),
                    along,
                }
            })
            .collect()
    }
}

impl<T: Real, X: Blocks<T>> Program<T, X> {
    /// [`zero_beta`](Program::zero_beta) for rows of which others have some, too.
    pub fn zero_beta_shared(&self, team: &Team) -> Result<f64, Error> {
        let roots = self.roots();
        let x = self.rows_seen(roots.as_deref());
        let engine = Engine::new(x.blocks(), &self.gates, self.activation).shared(team)?;
        let beta = self.zero_beta_of(&engine);
        match x.blocks().failure() {
            Some(why) => Err(Error::Data(why)),
            None => Ok(beta),
        }
    }

    fn zero_beta_of(&self, engine: &Engine<'_, T>) -> f64 {
        let mut work = engine.workspace(1);
        let mut spread = vec![T::ZERO; self.x.columns() * self.gates.len()];
        let mut largest = 0.0;
        for z in self.gradient_at_zero() {
            let z: Vec<T> = z.into_iter().map(T::of).collect();
            engine.masked_spread(&z, &mut spread, &mut work);
            largest = spread
                .chunks(self.x.columns())
                .map(norm)
                .fold(largest, f64::max);
        }
        largest
    }

    /// The loss of predicting 0.
    pub(crate) fn loss_at_zero(&self, team: &Team) -> Result<f64, Error> {
        let zero = vec![0.0; self.y.columns()];
        let of_row = |i: usize| {
            let target: Vec<f64> = self.y.row(i).iter().map(|y| y.wide()).collect();
            let weight = self.weights.as_ref().map_or(1.0, |weights| weights[i]);
            weight * self.loss.value(&zero, &target)
        };
        let parts = team.parts(self.y.rows(), self.x.columns())?;
        let parts: Vec<[f64; 1]> = (parts.into_iter())
            .map(|rows| [rows.map(of_row).sum()])
            .collect();
        let [loss] = team.sums(&parts);
        Ok(loss)
    }

    /// `√w ∇loss(0)`, one column for each output.
    fn gradient_at_zero(&self) -> Vec<Vec<f64>> {
        let outputs = self.y.columns();
        let zero = vec![0.0; outputs];
        let mut gradient = zero.clone();
        let mut columns = vec![Vec::with_capacity(self.y.rows()); outputs];
        for i in 0..self.y.rows() {
            let target: Vec<f64> = self.y.row(i).iter().map(|y| y.wide()).collect();
            self.loss.gradient(&zero, &target, &mut gradient);
            let root = self
                .weights
                .as_ref()
                .map_or(1.0, |weights| weights[i].sqrt());
            for (column, z) in columns.iter_mut().zip(&gradient) {
                column.push(root * z);
            }
        }
        columns
    }
}
