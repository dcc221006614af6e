//! The certificate of a network on sparse features.

use crate::auto::certify::{Proof, largest_singular};
use crate::auto::path::Seen;
use crate::certificate::Certificate;
use crate::learn::{Hidden, Objective, SparseRows, penalty};
use crate::loss::Loss;
use crate::real::Real;
use faer::MatRef;

/// Columns of the products that are made together.
const COLUMNS: usize = 16;

/// Objective and lower bound, in `f64`; no projections onto cones are made.
///
/// For one output nothing is lost by that where the descent has come to its end: there `Xᵀ D_j z` is `∓β` times the
/// direction of unit `j`, which lies in its cone.
pub(super) fn certificate<T: Real>(
    rows: &Seen<T, SparseRows<'_>>,
    loss: Loss,
    beta: f64,
    units: &Hidden<T>,
) -> Certificate {
    let (y, units) = (rows.y.cast::<f64>(), units.wide());
    let objective = Objective {
        x: &*rows.x,
        y: &y,
        weights: rows.weights.as_deref(),
        loss,
        beta,
    };
    let (value, pull) = objective.pull(&units);
    let proof = Proof {
        objective: value + penalty(&units, beta),
        loss,
        y: &y,
        weights: rows.weights.as_deref(),
        pull: &pull,
        beta,
    };
    proof.certificate(largest(&rows.x, &units, &pull))
}

/// The largest singular value of `Xᵀ D_j Z` over the gates of all units.
fn largest(x: &SparseRows<'_>, units: &Hidden<f64>, pull: &[f64]) -> f64 {
    let (m, outputs, width) = (units.len(), units.outputs, units.features);
    let into = x.forward(units.inner(), m);
    let all: Vec<usize> = (0..m).collect();
    let mut largest: f64 = 0.0;
    for some in all.chunks(COLUMNS.div_ceil(outputs)) {
        let columns = some.len() * outputs;
        let mut masked = vec![0.0; pull.len() / outputs * columns];
        let rows = pull.chunks(outputs).zip(into.chunks(m));
        for (masked, (z, into)) in masked.chunks_mut(columns).zip(rows) {
            for (masked, &unit) in masked.chunks_mut(outputs).zip(some) {
                // 1(X g ≥ 0)
                if into[unit] >= 0.0 {
                    masked.copy_from_slice(z);
                }
            }
        }
        let products = x.backward(&masked, columns);
        let products = MatRef::from_row_major_slice(&products, width, columns);
        for at in 0..some.len() {
            let value = largest_singular(products.subcols(at * outputs, outputs));
            // a number that is not one proves nothing
            largest = largest.max(if value.is_nan() { f64::INFINITY } else { value });
        }
    }
    largest
}
