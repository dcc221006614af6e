//! The logistic loss in the margin `m = y f`: `log(1 + exp(−m))`.

/// `1 / (1 + exp(−m))`
pub(super) fn sigmoid(m: f64) -> f64 {
    1.0 / (1.0 + (-m).exp())
}

/// `log(1 + exp(−m))`, without overflow.
pub(super) fn value(m: f64) -> f64 {
    (-m).max(0.0) + (-m.abs()).exp().ln_1p()
}

/// The value, and `1 / (1 + exp(m))`, the chance of the other class.
pub(super) fn value_and_miss(m: f64) -> (f64, f64) {
    let e = (-m.abs()).exp();
    let miss = if m > 0.0 { e } else { 1.0 } / (1.0 + e);
    ((-m).max(0.0) + e.ln_1p(), miss)
}

/// The conjugate in `s = −z y`: `s log s + (1 − s) log(1 − s)` on `0 ≤ s ≤ 1`.
pub(super) fn conjugate(s: f64) -> f64 {
    entropy(s) + entropy(1.0 - s)
}

/// `s log s`, 0 at 0.
pub(super) fn entropy(s: f64) -> f64 {
    if s > 0.0 { s * s.ln() } else { 0.0 }
}

/// `argmin_m  log(1 + exp(−m)) + (weight/2) (m − e)²`
///
/// The root of `weight (m − e) − σ(−m)`, which rises in `m` and changes sign
/// between `e` and `e + 1/weight`: Newton's method, kept inside the bracket. A step that
/// is not half as long as the one before goes to its middle, or it might go to and fro.
pub(super) fn prox(e: f64, weight: f64) -> f64 {
    let (mut low, mut high) = (e, e + 1.0 / weight);
    let mut m = e + sigmoid(-e) / (weight + 0.25);
    let mut last = high - low;
    for _ in 0..200 {
        let p = sigmoid(-m);
        let slope = weight * (m - e) - p;
        if slope > 0.0 {
            high = m;
        } else {
            low = m;
        }
        let near = 4.0 * f64::EPSILON * (1.0 + m.abs());
        let newton = m - slope / (weight + p * (1.0 - p));
        let short = (newton - m).abs() <= (0.5 * last).max(near);
        let next = if newton > low && newton < high && short {
            newton
        } else {
            0.5 * (low + high)
        };
        last = (next - m).abs();
        if last <= near {
            return next;
        }
        m = next;
    }
    m
}

/// `log(s / (1 − s))`, the derivative of the conjugate.
pub(super) fn log_odds(s: f64) -> f64 {
    s.max(f64::MIN_POSITIVE).ln() - (1.0 - s).max(f64::MIN_POSITIVE).ln()
}
