//! The average of several networks, as one network.

use crate::encoding::{Encoding, Ramp};
use crate::matrix::Matrix;
use crate::network::{Network, TargetScaling};
use crate::scaling::Scaling;

/// A share below this is not worth the units.
const LEAST_SHARE: f64 = 0.03;

/// Shares that fall exponentially with the score, in units of its standard error
/// on `rows` rows. The scores rise; the last shares may be dropped.
pub(super) fn shares(scores: &[f64], rows: usize) -> Vec<f64> {
    let Some(&best) = scores.first() else {
        return Vec::new();
    };
    let error = standard_error(best, rows);
    let mut shares: Vec<f64> = scores
        .iter()
        .map(|score| (-(score - best) / error).exp())
        .collect();
    let total: f64 = shares.iter().sum();
    shares.retain(|share| *share >= LEAST_SHARE * total);
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= total);
    shares
}

/// How much a score on `rows` rows may be off, by chance.
pub(super) fn standard_error(score: f64, rows: usize) -> f64 {
    let n = rows as f64;
    (score.max(1.0 / n) / n).sqrt()
}

/// `Σ share · network`: the units of all, their outer weights times the share. Networks
/// whose features are summed ramps must have the same.
pub(super) fn network(
    members: &[(f64, &Network)],
    features: usize,
    targets: &TargetScaling,
) -> Network {
    let mut ramps: Vec<Ramp> = Vec::new();
    for ramp in members
        .iter()
        .flat_map(|(_, member)| &member.encoding.ramps)
    {
        if !ramps.contains(ramp) {
            ramps.push(*ramp);
        }
    }
    ramps.sort_by(|a, b| {
        let key = |ramp: &Ramp| (ramp.column, ramp.low, ramp.high);
        key(a)
            .partial_cmp(&key(b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let summed = members.iter().any(|(_, member)| member.encoding.summed);
    let added = if summed { 0 } else { ramps.len() };
    let (width, outputs) = (features + added, targets.mean.len());
    let mut hidden = Vec::new();
    let mut hidden_bias = Vec::new();
    let mut output = Vec::new();
    for (share, member) in members {
        let place: Vec<usize> = (member.encoding.ramps.iter())
            .filter_map(|ramp| ramps.iter().position(|other| other == ramp))
            .collect();
        for unit in 0..member.neurons() {
            let (raw, on_ramps) = member.hidden.row(unit).split_at(features);
            let mut row = raw.to_vec();
            row.resize(width, 0.0);
            for (&at, weight) in place.iter().zip(on_ramps) {
                row[features + at] = *weight;
            }
            hidden.extend(row);
            hidden_bias.push(member.hidden_bias[unit]);
            output.extend(member.output.row(unit).iter().map(|a| share * a));
        }
    }
    let units = hidden_bias.len();
    Network {
        encoding: Encoding { ramps, summed },
        hidden: Matrix::from_fn(units, width, |i, j| hidden[i * width + j]),
        hidden_bias,
        output: Matrix::from_fn(units, outputs, |i, c| output[i * outputs + c]),
        output_bias: targets.mean.clone(),
        gating: None,
    }
}

/// Means and scales of the raw columns; ramps are kept as they are.
pub(super) fn raw_scaling(network: &Network, of: &Scaling) -> Scaling {
    let (raw, width) = (network.features(), network.hidden.columns());
    let mut scaling = Scaling::identity(width);
    scaling.mean[..raw].copy_from_slice(&of.mean[..raw]);
    scaling.scale[..raw].copy_from_slice(&of.scale[..raw]);
    scaling
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_fall_with_the_score_and_sum_to_one() {
        let shares = shares(&[0.10, 0.11, 0.5], 100);
        assert_eq!(shares.len(), 2, "the last is far worse than chance allows");
        assert!(shares[0] > shares[1]);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_average_predicts_the_average() {
        let ramp = |column, low, high| Ramp { column, low, high };
        let member = |ramps: Vec<Ramp>, shift: f64| {
            let width = 2 + ramps.len();
            Network {
                encoding: Encoding {
                    ramps,
                    summed: false,
                },
                hidden: Matrix::from_fn(3, width, |i, j| ((i * 5 + j) as f64 + shift).sin()),
                hidden_bias: vec![0.1, -0.2, 0.3],
                output: Matrix::from_fn(3, 1, |i, _| i as f64 - 0.5),
                output_bias: vec![0.7],
                gating: None,
            }
        };
        let a = member(vec![ramp(0, 0.0, 1.0), ramp(1, -1.0, 0.5)], 0.0);
        let b = member(vec![ramp(1, -1.0, 0.5), ramp(0, 1.0, 2.0)], 2.0);
        let targets = TargetScaling {
            mean: vec![0.7],
            scale: vec![1.0],
        };
        let mean = network(&[(0.25, &a), (0.75, &b)], 2, &targets);
        mean.check().expect("sound");
        assert_eq!(mean.encoding.ramps.len(), 3);
        let x = Matrix::from_fn(9, 2, |i, j| ((i * 3 + j) as f64).cos() * 2.0);
        let (fa, fb) = (a.predict(&x).expect("a"), b.predict(&x).expect("b"));
        let f = mean.predict(&x).expect("mean");
        for i in 0..9 {
            let expected = 0.25 * fa.at(i, 0) + 0.75 * fb.at(i, 0);
            assert!((f.at(i, 0) - expected).abs() < 1e-12);
        }
    }
}
