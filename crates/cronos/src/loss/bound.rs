//! The best lower bound that a scaled dual point gives.

use super::Loss;
use super::logistic;
use crate::team::Team;
use std::ops::Range;

/// A row of a dual point: its weight, `z` and the targets, for the outputs that
/// share one scale.
pub(crate) struct Row<'a> {
    pub weight: f64,
    pub z: &'a [f64],
    pub y: &'a [f64],
}

/// All rows of a dual point: sums over them are made chunk by chunk, those of others included.
pub(crate) struct DualRows<F> {
    pub chunks: Vec<Range<usize>>,
    pub row: F,
    pub team: Team,
}

/// Halvings of the bracket around the best `t`; any `t` gives a valid bound.
const HALVINGS: usize = 20;

impl<'a, F: Fn(usize) -> Row<'a>> DualRows<F> {
    /// Rows that are all here, in one chunk.
    pub fn here(rows: usize, row: F) -> Self {
        Self {
            chunks: std::iter::once(0..rows).collect(),
            row,
            team: Team::default(),
        }
    }

    /// The `t` in `0 ≤ t ≤ limit` that maximises `−Σ weight · loss*(t z)`, nearly,
    /// and the bound there.
    pub fn bound(&self, loss: Loss, limit: f64) -> (f64, f64) {
        match loss {
            Loss::Logistic | Loss::Softmax => self.entropy_bound(loss, limit),
            _ => self.parabola_bound(loss, limit),
        }
    }

    fn sums<const N: usize>(&self, of_row: impl Fn(Row<'a>, &mut [f64; N])) -> [f64; N] {
        let of_chunk = |rows: &Range<usize>| {
            let mut sums = [0.0; N];
            rows.clone()
                .for_each(|row| of_row((self.row)(row), &mut sums));
            sums
        };
        let parts: Vec<[f64; N]> = self.chunks.iter().map(of_chunk).collect();
        self.team.sums(&parts)
    }

    /// How far every entry of `z` can be scaled.
    fn reach(&self, limit: f64, of_entry: impl Fn(f64, f64) -> f64) -> f64 {
        let mut most = limit;
        for row in self.chunks.iter().cloned().flatten() {
            let row = (self.row)(row);
            for (&z, &y) in row.z.iter().zip(row.y) {
                most = most.min(of_entry(z, y));
            }
        }
        -self.team.largest(-most)
    }

    /// `loss*(t z) = ½ t² z² + t z y`, or `t z y` for the quantile loss, as far as
    /// it is finite.
    fn parabola_bound(&self, loss: Loss, limit: f64) -> (f64, f64) {
        let curved = !matches!(loss, Loss::Quantile { .. });
        let [squared, inner] = self.sums(|row, [squared, inner]| {
            for (&z, &y) in row.z.iter().zip(row.y) {
                *inner += row.weight * z * y;
                if curved {
                    *squared += row.weight * z * z;
                }
            }
        });
        let limit = self.reach(limit, |z, y| loss.reach(z, y));
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
    fn entropy_bound(&self, loss: Loss, limit: f64) -> (f64, f64) {
        let most = self.reach(limit, |z, y| match loss {
            Loss::Softmax if z < 0.0 => -y / z,
            Loss::Softmax => f64::INFINITY,
            _ => loss.reach(z, y),
        });
        if !most.is_finite() || most <= 0.0 {
            return (0.0, self.bound_at(loss, 0.0));
        }
        // at the end of its domain the derivative is −∞, so the best t is inside
        let (mut low, mut high) = (0.0, most);
        let mut t = most.min(1.0);
        for _ in 0..HALVINGS {
            if self.derivative(loss, t) >= 0.0 {
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
        (t, self.bound_at(loss, t))
    }

    /// `−Σ weight · loss*(t z)`
    fn bound_at(&self, loss: Loss, t: f64) -> f64 {
        let [sum] = self.sums(|row, [sum]| {
            let scaled: Vec<f64> = row.z.iter().map(|z| t * z).collect();
            *sum -= row.weight * loss.conjugate(&scaled, row.y);
        });
        sum
    }

    /// Its derivative in `t`, for the losses whose conjugate is an entropy.
    fn derivative(&self, loss: Loss, t: f64) -> f64 {
        let [sum] = self.sums(|row, [sum]| {
            for (&z, &y) in row.z.iter().zip(row.y) {
                // d/dt q log q = z (log q + 1); Σ_c z_c = 0 takes the one away
                *sum -= row.weight
                    * match loss {
                        Loss::Softmax if z == 0.0 => 0.0,
                        Loss::Softmax => z * (y + t * z).max(f64::MIN_POSITIVE).ln(),
                        _ => {
                            let s = -y * z;
                            s * logistic::log_odds(t * s)
                        }
                    };
            }
        });
        sum
    }
}
