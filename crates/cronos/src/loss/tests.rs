//! Values, gradients, proxes and conjugates against one another and against
//! plain minimisation.

use super::bound::{DualRows, Row};
use super::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const LOSSES: [Loss; 6] = [
    Loss::Squared,
    Loss::Logistic,
    Loss::Softmax,
    Loss::Huber { delta: 0.7 },
    Loss::SquaredHinge,
    Loss::Quantile { level: 0.3 },
];

/// A row of predictions and targets that suits the loss.
fn draw(loss: Loss, rng: &mut ChaCha8Rng) -> (Vec<f64>, Vec<f64>) {
    let classes = 4;
    let f: Vec<f64> = (0..classes).map(|_| rng.random_range(-3.0..3.0)).collect();
    let y = match loss {
        Loss::Softmax => {
            let own = rng.random_range(0..classes);
            (0..classes).map(|c| f64::from(c == own)).collect()
        }
        Loss::Logistic | Loss::SquaredHinge => (0..classes)
            .map(|_| {
                if rng.random_range(0..2) == 1 {
                    1.0
                } else {
                    -1.0
                }
            })
            .collect(),
        _ => (0..classes).map(|_| rng.random_range(-2.0..2.0)).collect(),
    };
    (f, y)
}

#[test]
fn gradients_are_the_differences_of_values() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for loss in LOSSES {
        for _ in 0..50 {
            let (f, y) = draw(loss, &mut rng);
            let mut gradient = vec![0.0; f.len()];
            loss.gradient(&f, &y, &mut gradient);
            let mut again = vec![0.0; f.len()];
            let value = loss.value_and_gradient(&f, &y, &mut again);
            assert!((value - loss.value(&f, &y)).abs() < 1e-12, "{loss:?}");
            for c in 0..f.len() {
                assert!((again[c] - gradient[c]).abs() < 1e-12, "{loss:?}");
                let at = |shift: f64| {
                    let mut f = f.clone();
                    f[c] += shift;
                    loss.value(&f, &y)
                };
                let h = 1e-6;
                let difference = (at(h) - at(-h)) / (2.0 * h);
                assert!((gradient[c] - difference).abs() < 1e-6, "{loss:?}");
            }
        }
    }
}

#[test]
fn no_point_nearby_beats_the_prox() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for loss in LOSSES {
        for weight in [0.01, 0.3, 5.0] {
            for _ in 0..50 {
                let (e, y) = draw(loss, &mut rng);
                let mut f = vec![0.0; e.len()];
                loss.prox(&e, &y, weight, &mut f, &mut vec![0.0; 3 * e.len()]);
                let worth = |f: &[f64]| {
                    let distance: f64 = f.iter().zip(&e).map(|(f, e)| (f - e).powi(2)).sum();
                    loss.value(f, &y) + 0.5 * weight * distance
                };
                let best = worth(&f);
                for size in [1e-5, 1e-2, 1.0] {
                    for c in 0..f.len() {
                        for side in [-size, size] {
                            let mut moved = f.clone();
                            moved[c] += side;
                            // the worth rises by at least (weight/2) side²
                            let rise = 0.5 * weight * side * side;
                            assert!(
                                worth(&moved) >= best + 0.99 * rise - 1e-13 * best.abs().max(1.0),
                                "{loss:?} weight {weight} {e:?} {y:?}"
                            );
                        }
                    }
                }
                // the subgradient it chose satisfies the optimality condition
                let mut z = vec![0.0; f.len()];
                loss.dual_point(&e, &f, &y, weight, &mut z);
                for c in 0..f.len() {
                    assert!((z[c] - weight * (e[c] - f[c])).abs() < 1e-8, "{loss:?}");
                }
            }
        }
    }
}

/// `loss*(z) + loss(f) ≥ z·f`, with equality where `z` is the gradient at `f`; so
/// the gradient of the conjugate at `z` is `f`.
#[test]
fn conjugates_meet_the_fenchel_inequality_and_their_gradients_invert() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for loss in LOSSES {
        for _ in 0..50 {
            let (f, y) = draw(loss, &mut rng);
            let (g, _) = draw(loss, &mut rng);
            let mut z = vec![0.0; f.len()];
            loss.gradient(&f, &y, &mut z);
            let inner = |f: &[f64]| -> f64 { z.iter().zip(f).map(|(z, f)| z * f).sum() };
            let conjugate = loss.conjugate(&z, &y);
            assert!(
                (conjugate + loss.value(&f, &y) - inner(&f)).abs() < 1e-9,
                "{loss:?}"
            );
            assert!(
                conjugate + loss.value(&g, &y) >= inner(&g) - 1e-9,
                "{loss:?}"
            );
        }
    }
    // finite differences of the conjugate give back f where it is differentiable
    for loss in [Loss::Squared, Loss::Logistic, Loss::SquaredHinge] {
        let (f, y) = (0.4, -1.0);
        let mut z = [0.0];
        loss.gradient(&[f], &[y], &mut z);
        let h = 1e-6;
        let rise = loss.conjugate(&[z[0] + h], &[y]) - loss.conjugate(&[z[0] - h], &[y]);
        assert!((rise / (2.0 * h) - f).abs() < 1e-6, "{loss:?}");
    }
    let (f, y) = ([0.3, -0.2, 0.9], [0.0, 1.0, 0.0]);
    let mut z = [0.0; 3];
    Loss::Softmax.gradient(&f, &y, &mut z);
    let h = 1e-6;
    // along a direction that keeps the sum of the probabilities
    let at = |s: f64| Loss::Softmax.conjugate(&[z[0] + s, z[1] - s, z[2]], &y);
    assert!(((at(h) - at(-h)) / (2.0 * h) - (f[0] - f[1])).abs() < 1e-6);
}

#[test]
fn conjugates_are_infinite_outside_their_domain() {
    assert!(Loss::Logistic.conjugate(&[0.5], &[1.0]).is_infinite());
    assert!(Loss::Logistic.conjugate(&[-1.1], &[1.0]).is_infinite());
    assert!(Loss::SquaredHinge.conjugate(&[0.1], &[1.0]).is_infinite());
    assert!(
        Loss::Huber { delta: 0.5 }
            .conjugate(&[0.6], &[0.0])
            .is_infinite()
    );
    let quantile = Loss::Quantile { level: 0.2 };
    assert!(quantile.conjugate(&[0.81], &[0.0]).is_infinite());
    assert!(quantile.conjugate(&[-0.21], &[0.0]).is_infinite());
    assert!(
        Loss::Softmax
            .conjugate(&[0.1, 0.1], &[1.0, 0.0])
            .is_infinite()
    );
    assert!(
        Loss::Softmax
            .conjugate(&[0.1, -0.1], &[1.0, 0.0])
            .is_infinite()
    );
}

/// The scale of the bound is the best of a fine grid.
#[test]
fn the_scaled_bound_is_the_best_on_a_grid() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for loss in LOSSES {
        for limit in [0.3, 0.9, 5.0] {
            let rows: Vec<(f64, Vec<f64>, Vec<f64>)> = (0..20)
                .map(|_| {
                    let (f, y) = draw(loss, &mut rng);
                    let mut z = vec![0.0; f.len()];
                    loss.gradient(&f, &y, &mut z);
                    (rng.random_range(0.5..2.0), z, y)
                })
                .collect();
            let dual = DualRows::here(rows.len(), |row| Row {
                weight: rows[row].0,
                z: &rows[row].1,
                y: &rows[row].2,
            });
            let (t, value) = dual.bound(loss, limit);
            let at = |t: f64| -> f64 {
                rows.iter()
                    .map(|(weight, z, y)| {
                        let z: Vec<f64> = z.iter().map(|z| t * z).collect();
                        -weight * loss.conjugate(&z, y)
                    })
                    .sum()
            };
            assert!(t <= limit && (at(t) - value).abs() <= 1e-9 * value.abs().max(1.0));
            let grid = (0..=1000).map(|i| at(limit * i as f64 / 1000.0));
            let best = grid.fold(f64::NEG_INFINITY, f64::max);
            assert!(
                value >= best - 1e-5 * best.abs(),
                "{loss:?} {value} < {best}"
            );
        }
    }
}

/// Where Newton's method alone would go to and fro: weights far below the curvature of the loss.
#[test]
fn the_prox_of_the_logistic_loss_is_a_root() {
    for weight in [1e-4, 1e-3, 5e-3, 0.02, 0.3, 4.0] {
        for at in -4000..4000 {
            let e = f64::from(at) * 0.37 / (1.0 + 100.0 * weight) + 0.001;
            let mut f = [0.0];
            Loss::Logistic.prox(&[e], &[1.0], weight, &mut f, &mut [0.0; 3]);
            let miss = 1.0 / (1.0 + f[0].exp());
            let slope = weight * (f[0] - e) - miss;
            let rounding = 1e-13 * (1.0 + weight * e.abs());
            assert!(slope.abs() <= rounding, "{weight} {e}: {slope:e}");
        }
    }
}
