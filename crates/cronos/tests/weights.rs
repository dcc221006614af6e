//! A row of weight `w` acts exactly as `w` equal rows.

mod problems;

use cronos::{
    Activation, Classifier, GateSource, Loss, Matrix, Options, Precision, Regressor, Settings,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rows with weights 0, 1, 2, 3 and the same rows repeated as often.
struct Repeated {
    x: Matrix<f64>,
    weights: Vec<f64>,
    copies: Vec<usize>,
}

fn rows(n: usize, d: usize) -> Repeated {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let values = (0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect();
    let weights: Vec<f64> = (0..n).map(|i| [0.0, 1.0, 2.0, 3.0][i % 4]).collect();
    let copies = (0..n).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    Repeated {
        x: Matrix::from_rows(n, d, values).expect("shape"),
        weights,
        copies,
    }
}

fn options(loss: Loss, activation: Activation) -> Options {
    Options {
        loss: Some(loss),
        activation,
        beta: Some(0.2),
        gates: GateSource::Sampled(12),
        precision: Precision::F64,
        settings: Settings {
            gap_relative: 1e-8,
            violation: Some(1e-9),
            max_iterations: 50_000,
            ..Settings::default()
        },
        ..Options::default()
    }
}

fn same(a: &Matrix<f64>, b: &Matrix<f64>, what: &str) {
    assert!(a.values().iter().any(|value| value.abs() > 1e-3), "{what}");
    for (a, b) in a.values().iter().zip(b.values()) {
        assert!((a - b).abs() <= 1e-8, "{what}: {a} {b}");
    }
}

#[test]
fn weighted_rows_are_repeated_rows() {
    // more rows than features, and fewer
    for (n, d) in [(60, 4), (12, 20)] {
        let Repeated { x, weights, copies } = rows(n, d);
        let repeated = x.select(&copies);
        for activation in [Activation::Relu, Activation::Gated] {
            for loss in problems::LOSSES {
                let what = format!("{n} x {d} {loss:?} {activation:?}");
                let options = options(loss, activation);
                let score = |i: usize| (x.at(i, 0).abs() - x.at(i, 1) * x.at(i, 2)) * 3.0;
                let (weighted, plain) = match loss {
                    Loss::Logistic | Loss::SquaredHinge | Loss::Softmax => {
                        let label =
                            |i: usize| (score(i) > 0.5) as usize + (score(i) > 2.0) as usize;
                        let labels: Vec<usize> = (0..n).map(label).collect();
                        let classifier = Classifier { options };
                        let weighted = classifier
                            .fit_observed(&x, &labels, Some(&weights), &())
                            .expect("weighted");
                        let labels: Vec<usize> = copies.iter().map(|&i| label(i)).collect();
                        let plain = classifier.fit(&repeated, &labels).expect("plain");
                        (weighted.fitted, plain.fitted)
                    }
                    _ => {
                        let y = Matrix::from_fn(n, 1, |i, _| score(i));
                        let regressor = Regressor { options };
                        let weighted = regressor
                            .fit_observed(&x, &y, Some(&weights), &())
                            .expect("weighted");
                        let y = y.select(&copies);
                        (weighted, regressor.fit(&repeated, &y).expect("plain"))
                    }
                };
                let (a, b) = (weighted.network.predict(&x), plain.network.predict(&x));
                same(&a.expect("a"), &b.expect("b"), &what);
            }
        }
    }
}

#[test]
fn weights_that_make_no_sense_are_refused() {
    let Repeated { x, weights, .. } = rows(8, 2);
    let y = Matrix::from_fn(8, 1, |i, _| i as f64);
    let fit = |weights: &[f64]| {
        Regressor::default()
            .fit_observed(&x, &y, Some(weights), &())
            .expect_err("refused")
            .to_string()
    };
    let mut wrong = weights.clone();
    wrong[3] = -1.0;
    assert!(fit(&wrong).contains("row 4 has the weight -1"));
    wrong[3] = f64::NAN;
    assert!(fit(&wrong).contains("row 4"));
    assert!(fit(&weights[..7]).contains("7 weights"));
    assert!(fit(&[0.0; 8]).contains("at least 2"));
}
