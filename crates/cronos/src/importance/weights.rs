//! The weights that read each feature.

use crate::encoding::Ramp;
use crate::inner::norm;
use crate::model::Model;
use crate::network::Network;

/// Learned weights on a column that never changed are not exactly 0; a share up
/// to this is rounding.
const ROUNDING: f64 = 1e-9;

/// The share of each raw feature in the weights of the network; the shares sum
/// to 1, or are all 0 if no feature is read. A share of at most 1e-9 is rounding
/// and given as 0. `None` if there are layers in front of the network, whose weights
/// then do not read the raw features.
///
/// Unit `i` has the outer weights `a_i`, the weight `w_ij` on feature `j` and
/// `w_ir` on the ramps `r` that are made from it. Feature `j` counts
///
/// ```text
/// I_j = Σ_i ‖a_i / t‖ √( (s_j w_ij)² + V_j(h_ij) ) ,   h_ij(x) = Σ_r w_ir ramp_r(x)
/// share_j = I_j / Σ_k I_k
/// ```
///
/// where `s` and `t` are the scales of features and targets in training (the
/// standard deviations where they were standardised, else 1), so units of measure
/// do not matter, and `V_j` is the variance over the knots of the feature, each
/// counted once. Without ramps the term of a unit is `‖a_i / t‖ s_j |w_ij|`; with their
/// sum in place of the feature it is `‖a_i / t‖ |w_ij| √V_j(Σ_r ramp_r)`. The gates of a
/// gated network are not counted.
pub fn group_norms(model: &Model) -> Option<Vec<f64>> {
    let (network, training) = (&model.network, &model.training);
    if model.stack.is_some() {
        return None;
    }
    let outer: Vec<f64> = (0..network.neurons())
        .map(|i| {
            let scaled = network.output.row(i).iter().zip(&training.target_scale);
            norm(&scaled.map(|(a, t)| a / t).collect::<Vec<f64>>())
        })
        .collect();
    // shares do not change with the unit of the outer weights, and sums stay finite
    let largest = outer.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let sums: Vec<f64> = (0..network.features())
        .map(|feature| {
            let ramps = Ramps::of(network, feature);
            let scale = match network.encoding.replaces(feature) {
                true => 0.0,
                false => training.feature_scale.get(feature).copied().unwrap_or(1.0),
            };
            let unit = |(i, outer): (usize, &f64)| {
                let row = network.hidden.row(i);
                // ‖a_i / t‖ √( (s_j w_ij)² + V_j(h_ij) )
                outer / largest * (scale * row[feature]).hypot(ramps.deviation(row))
            };
            outer.iter().enumerate().map(unit).sum()
        })
        .collect();
    let total: f64 = sums.iter().sum();
    let share = |sum: f64| match sum / total {
        share if share > ROUNDING => share,
        _ => 0.0,
    };
    Some(sums.into_iter().map(share).collect())
}

/// For each raw feature, whether anything in the network depends on it: a gate,
/// or a share of the weights that is more than rounding. With layers in front of the
/// network, every feature counts as read.
pub fn is_read(model: &Model) -> Vec<bool> {
    let network = &model.network;
    let by_gates = |feature: usize| {
        let gates = network.gating.as_ref();
        gates.is_some_and(|gating| {
            (gating.gate_of.iter()).any(|&gate| {
                let row = gating.directions.row(gate);
                let mut ramps = network.encoding.ramps_of(feature, network.features());
                row[feature] != 0.0 || ramps.any(|(at, _)| row[at] != 0.0)
            })
        })
    };
    let Some(shares) = group_norms(model) else {
        return vec![true; model.features()];
    };
    (shares.into_iter().enumerate())
        .map(|(feature, share)| share > 0.0 || by_gates(feature))
        .collect()
}

/// The ramps of a feature at its knots.
struct Ramps {
    /// Columns of the hidden weights, and the values of the ramp at each knot.
    values: Vec<(usize, Vec<f64>)>,
    knots: usize,
}

impl Ramps {
    fn of(network: &Network, feature: usize) -> Self {
        let ramps = || network.encoding.ramps_of(feature, network.features());
        let mut knots: Vec<f64> = ramps()
            .flat_map(|(_, ramp)| [ramp.low, ramp.high])
            .collect();
        knots.sort_by(f64::total_cmp);
        knots.dedup();
        let at_knots = |ramp: Ramp| knots.iter().map(|&x| ramp.at(x)).collect();
        Self {
            values: ramps().map(|(at, ramp)| (at, at_knots(ramp))).collect(),
            knots: knots.len(),
        }
    }

    /// `√V_j(h_ij)` for the weights of a unit.
    fn deviation(&self, weights: &[f64]) -> f64 {
        let mut sums = vec![0.0; self.knots];
        for (at, values) in &self.values {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += weights[*at] * value;
            }
        }
        let count = self.knots.max(1) as f64;
        let mean = sums.iter().sum::<f64>() / count;
        sums.iter_mut().for_each(|sum| *sum -= mean);
        norm(&sums) / count.sqrt()
    }
}
