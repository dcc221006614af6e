//! The best lower bound that a scaled dual point gives.

use super::Loss;
use super::logistic;

/// A row of a dual point: its weight, `z` and the targets, for the outputs that
/// share one scale.
pub(crate) struct Row<'a> {
    pub weight: f64,
    pub z: &'a [f64],
    pub y: &'a [f64],
}

/// Halvings of the bracket around the best `t`; any `t` gives a valid bound.
const HALVINGS: usize = 20;

/// The `t` in `0 ≤ t ≤ limit` that maximises `−Σ weight · loss*(t z)`, nearly,
/// and the bound there.
pub(crate) fn dual_bound<'a, R>(loss: Loss, rows: R, limit: f64) -> (f64, f64)
where
    R: Iterator<Item = Row<'a>> + Clone,
{
    match loss {
        Loss::Logistic | Loss::Softmax => entropy_bound(loss, rows, limit),
        _ => parabola_bound(loss, rows, limit),
    }
}

/// `loss*(t z) = ½ t² z² + t z y`, or `t z y` for the quantile loss, as far as
/// it is finite.
fn parabola_bound<'a>(loss: Loss, rows: impl Iterator<Item = Row<'a>>, limit: f64) -> (f64, f64) {
    let (mut squared, mut inner, mut limit) = (0.0, 0.0, limit);
    for row in rows {
        for (&z, &y) in row.z.iter().zip(row.y) {
            inner += row.weight * z * y;
            if !matches!(loss, Loss::Quantile { .. }) {
                squared += row.weight * z * z;
            }
            limit = limit.min(loss.reach(z, y));
        }
    }
    let t = if squared > 0.0 {
        (-inner / squared).clamp(0.0, limit)
    } else if inner < 0.0 && limit.is_finite() {
        limit
    } else {
        0.0
    };
    (t, -0.5 * t * t * squared - t * inner)
}

/// Bisection on the derivative of `−Σ loss*(t z)`, which falls in `t`.
fn entropy_bound<'a, R>(loss: Loss, rows: R, limit: f64) -> (f64, f64)
where
    R: Iterator<Item = Row<'a>> + Clone,
{
    let mut most = limit;
    for row in rows.clone() {
        for (&z, &y) in row.z.iter().zip(row.y) {
            most = most.min(match loss {
                Loss::Softmax if z < 0.0 => -y / z,
                Loss::Softmax => f64::INFINITY,
                _ => loss.reach(z, y),
            });
        }
    }
    if !most.is_finite() || most <= 0.0 {
        return (0.0, bound_at(loss, rows, 0.0));
    }
    // at the end of its domain the derivative is −∞, so the best t is inside
    let (mut low, mut high) = (0.0, most);
    let mut t = most.min(1.0);
    for _ in 0..HALVINGS {
        if derivative(loss, rows.clone(), t) >= 0.0 {
            low = t;
        } else {
            high = t;
        }
        if high - low <= 1e-9 * high {
            break;
        }
        t = 0.5 * (low + high);
    }
    let t = if low > 0.0 { low } else { t };
    (t, bound_at(loss, rows, t))
}

/// `−Σ weight · loss*(t z)`
fn bound_at<'a>(loss: Loss, rows: impl Iterator<Item = Row<'a>>, t: f64) -> f64 {
    let mut scaled = Vec::new();
    let mut sum = 0.0;
    for row in rows {
        scaled.clear();
        scaled.extend(row.z.iter().map(|z| t * z));
        sum -= row.weight * loss.conjugate(&scaled, row.y);
    }
    sum
}

/// Its derivative in `t`, for the losses whose conjugate is an entropy.
fn derivative<'a>(loss: Loss, rows: impl Iterator<Item = Row<'a>>, t: f64) -> f64 {
    let mut sum = 0.0;
    for row in rows {
        for (&z, &y) in row.z.iter().zip(row.y) {
            // d/dt q log q = z (log q + 1); Σ_c z_c = 0 takes the one away
            sum -= row.weight
                * match loss {
                    Loss::Softmax if z == 0.0 => 0.0,
                    Loss::Softmax => z * (y + t * z).max(f64::MIN_POSITIVE).ln(),
                    _ => {
                        let s = -y * z;
                        s * logistic::log_odds(t * s)
                    }
                };
        }
    }
    sum
}
