//! Reduced fits against fits on all columns.

use super::*;
use crate::fit::fit;
use crate::loss::Loss;
use crate::network::TargetScaling;
use crate::rows::Rows;
use crate::table::Bytes;

const N: usize = 40;
const D: usize = 300;

/// Smooth in places, some rows twice, one column constant.
fn table(first: usize) -> Bytes {
    let byte = |i: usize, j: usize| match j {
        7 => 9.0,
        _ => 128.0 + 60.0 * ((i % 37 * 5 + j) as f64 * 0.11).sin() + (i % 37 * j % 50) as f64,
    };
    let values = (first..first + N).flat_map(|i| (0..D).map(move |j| byte(i, j) as u8));
    Bytes::from_rows(N, D, values.collect()).expect("bytes")
}

fn targets() -> Matrix<f64> {
    Matrix::from_fn(N, 1, |i, _| if i % 37 % 3 == 0 { 1.0 } else { -1.0 })
}

fn fitted(table: &dyn Table, options: &Options, reduce: bool) -> Fitted {
    let (y, weights) = (targets(), Some(vec![1.5; N]));
    let weights = weights.as_deref();
    let run = |x: &Matrix<f64>, options: &Options| {
        let rows = Rows {
            x,
            y: &y,
            weights,
            labels: None,
        };
        fit(rows, TargetScaling::identity(1), options, &())
    };
    let made = match reduce {
        true => reduced(table, weights, options, &(), run),
        false => run(&table.to_matrix(), options),
    };
    made.expect("fitted")
}

#[test]
fn a_reduced_fit_is_the_fit() {
    let directions = Matrix::from_fn(D, 6, |i, j| ((i * 6 + j) as f64 * 1.3).sin());
    let table = table(0);
    for (bias, standardize) in [(true, true), (false, true), (true, false)] {
        let mut options = Options {
            beta: Some(if standardize { 2.0 } else { 50.0 }),
            gates: GateSource::Given(directions.clone()),
            loss: Some(Loss::Squared),
            precision: Precision::F64,
            bias,
            standardize,
            ..Options::default()
        };
        options.settings.gap_relative = 1e-8;
        options.settings.violation = Some(1e-9);
        options.settings.max_iterations = 50_000;
        let [whole, reduced] = [false, true].map(|reduce| fitted(&table, &options, reduce));
        assert_eq!(reduced.reduced_features, Some(N));
        assert!(whole.network.neurons() > 0);
        let (a, b) = (whole.certificate.objective, reduced.certificate.objective);
        assert!((a - b).abs() <= 1e-6 * a, "{a} {b}");
        // on rows of training and on others
        for rows in [self::table(0), self::table(N)] {
            let [a, b] = [&whole, &reduced].map(|fit| fit.network.predict(&rows).expect("numbers"));
            for (a, b) in a.values().iter().zip(b.values()) {
                assert!((a - b).abs() <= 2e-5, "bias {bias}: {a} {b}");
            }
        }
    }
}

/// In f32, and with gates that are learned, the network on raw features has the
/// objective that the certificate tells.
#[test]
fn the_network_on_raw_features_has_the_objective() {
    let (table, y) = (table(0), targets());
    for gates in [
        GateSource::Learned { most: Some(5) },
        GateSource::Sampled(8),
    ] {
        let beta = 3.0;
        let options = Options {
            beta: Some(beta),
            gates,
            loss: Some(Loss::Squared),
            ..Options::default()
        };
        let fitted = fitted(&table, &options, true);
        let network = &fitted.network;
        assert_eq!(network.features(), D);
        let f = network.predict(&table).expect("numbers");
        let squares = f
            .values()
            .iter()
            .zip(y.values())
            .map(|(f, y)| (f - y) * (f - y));
        // the norms, with the scaling and the bias of the features done again
        let Scaling { mean, scale } = &fitted.feature_scaling;
        let norms = (0..network.neurons()).map(|unit| {
            let row = network.hidden.row(unit);
            let bias = network.hidden_bias[unit] + inner(row, mean);
            let scaled: f64 = row.iter().zip(scale).map(|(w, s)| (w * s).powi(2)).sum();
            (scaled + bias * bias).sqrt() * network.output.at(unit, 0).abs()
        });
        let objective = 0.75 * squares.sum::<f64>() + beta * norms.sum::<f64>();
        let told = fitted.certificate.network_objective;
        assert!(
            (objective - told).abs() <= 2e-3 * told,
            "{objective} {told}"
        );
    }
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn who_breaks_off_gets_no_network() {
    struct Impatient;
    impl Observer for Impatient {
        fn stop(&self) -> bool {
            true
        }
    }
    let run = |_: &Matrix<f64>, _: &Options| -> Result<Fitted, Error> { unreachable!() };
    let made = reduced(&table(0), None, &Options::default(), &Impatient, run);
    assert_eq!(made.err(), Some(Error::Interrupted));
}
