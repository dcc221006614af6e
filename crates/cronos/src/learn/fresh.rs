//! A network from nothing, where rows are many: units along random directions, then
//! descent by batches.

use super::batches::descend_by_batches;
use super::hidden::Hidden;
use super::objective::Objective;
use super::prune;
use crate::real::Real;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// How much work a network from nothing may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fresh {
    /// Units at most.
    pub units: usize,
    /// Times that all rows are gone over.
    pub epochs: usize,
}

/// A network of new units; `tick` is called after every epoch.
pub(crate) fn learn_afresh<T: Real>(
    objective: &Objective<'_, T>,
    fresh: Fresh,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
    tick: &(dyn Fn() + Sync),
) -> Hidden<T> {
    let (features, outputs) = (objective.x.columns(), objective.y.columns());
    let mut units = random(features, outputs, fresh.units, seed);
    descend_by_batches(objective, &mut units, fresh.epochs, seed, stop, tick);
    units.balance();
    prune(&mut units, fresh.units);
    units
}

/// Weights so long that what goes into a unit, and what all units give together, is of
/// the size of a single standardised feature.
fn random<T: Real>(features: usize, outputs: usize, units: usize, seed: u64) -> Hidden<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |count: usize, scale: f64| -> Vec<T> {
        let normal = |_| -> f64 { StandardNormal.sample(&mut rng) };
        let draws = (0..count).map(normal);
        draws.map(|value| T::of(scale * value)).collect()
    };
    let mut values = draw(units * features, (1.0 / features as f64).sqrt());
    values.extend(draw(units * outputs, (1.0 / units as f64).sqrt()));
    Hidden {
        features,
        outputs,
        values,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Loss;
    use crate::matrix::Matrix;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// `x₀ x₁` is nothing that one unit could give.
    #[test]
    fn a_product_is_learned_from_nothing() {
        let wave = |at: usize| ((at * 7919 + at * at % 97) as f64).sin();
        let x = Matrix::from_fn(
            4000,
            3,
            |i, j| if j == 2 { 1.0 } else { 2.0 * wave(2 * i + j) },
        );
        let y = Matrix::from_fn(4000, 1, |i, _| x.at(i, 0) * x.at(i, 1));
        let objective = Objective {
            x: &x,
            y: &y,
            weights: None,
            loss: Loss::Squared,
            beta: 0.1,
        };
        let fresh = Fresh {
            units: 40,
            epochs: 40,
        };
        let ticks = AtomicUsize::new(0);
        let tick = || {
            ticks.fetch_add(1, Ordering::Relaxed);
        };
        let units = learn_afresh(&objective, fresh, 1, &|| false, &tick);
        assert_eq!(ticks.into_inner(), 40);
        let (loss, _) = objective.pull(&units);
        let nothing = objective.pull(&Hidden::none(3, 1)).0;
        assert!(loss < 0.02 * nothing, "{loss} {nothing}");
        for (w, a) in units.units() {
            let [of_w, of_a] = [w, a].map(crate::inner::norm);
            assert!((of_w - of_a).abs() < 1e-9 * of_a, "balanced");
        }
    }
}
