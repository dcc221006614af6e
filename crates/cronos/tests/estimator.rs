//! Classifier and regressor on tables whose answer is known.

use cronos::{Classifier, GateSource, Matrix, Options, Precision, Regressor};

/// Points of the plane, on a grid.
fn plane() -> Matrix<f64> {
    Matrix::from_fn(400, 2, |i, j| {
        if j == 0 {
            (i % 20) as f64
        } else {
            (i / 20) as f64
        }
    })
}

#[test]
fn three_classes_with_names() {
    let x = plane();
    let labels: Vec<&str> = (0..x.rows())
        .map(|i| match x.at(i, 0) + x.at(i, 1) {
            sum if sum < 13.0 => "low",
            sum if sum < 26.0 => "middle",
            _ => "high",
        })
        .collect();
    let trained = Classifier::default().fit(&x, &labels).expect("trained");
    assert_eq!(trained.classes, ["high", "low", "middle"]);
    let predicted = trained.predict(&x).expect("predictions");
    let right = predicted
        .iter()
        .zip(&labels)
        .filter(|(a, b)| a == b)
        .count();
    assert!(right >= 390, "{right} of 400");
}

#[test]
fn a_kink_in_the_plane_is_learned() {
    let x = plane();
    let y = Matrix::from_fn(400, 1, |i, _| {
        1000.0 + 5.0 * (x.at(i, 0) - x.at(i, 1)).abs()
    });
    let fitted = Regressor::default().fit(&x, &y).expect("trained");
    let predicted = fitted.network.predict(&x).expect("predictions");
    let mean = (0..400).map(|i| y.at(i, 0)).sum::<f64>() / 400.0;
    let squared = |of: &dyn Fn(usize) -> f64| (0..400).map(|i| of(i).powi(2)).sum::<f64>();
    let left = squared(&|i| predicted.at(i, 0) - y.at(i, 0));
    let r2 = 1.0 - left / squared(&|i| y.at(i, 0) - mean);
    assert!(r2 >= 0.99, "{r2}");
}

#[test]
fn the_scale_of_features_does_not_matter() {
    let x = plane();
    let scaled = Matrix::from_fn(400, 2, |i, j| x.at(i, j) * [1e-6, 1e6][j] + [7.0, -3e6][j]);
    let labels: Vec<bool> = (0..400).map(|i| x.at(i, 0) > x.at(i, 1)).collect();
    let options = Options {
        precision: Precision::F64,
        gates: GateSource::Sampled(100),
        ..Options::default()
    };
    let train = |x: &Matrix<f64>| {
        let options = options.clone();
        let trained = Classifier { options }.fit(x, &labels).expect("trained");
        let predicted = trained.predict(x).expect("predictions");
        (trained.fitted.certificate.objective, predicted)
    };
    let (plain, rescaled) = (train(&x), train(&scaled));
    assert!((plain.0 - rescaled.0).abs() <= 1e-6 * plain.0);
    assert_eq!(plain.1, rescaled.1);
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let x = plane();
    let one_class = Classifier::default()
        .fit(&x, &[1; 400])
        .expect_err("one class");
    assert!(one_class.to_string().contains("at least 2"), "{one_class}");
    let one_row = Matrix::from_fn(1, 2, |_, _| 1.0);
    let y = Matrix::from_fn(1, 1, |_, _| 1.0);
    let error = Regressor::default().fit(&one_row, &y).expect_err("one row");
    assert!(error.to_string().contains("1 row(s)"), "{error}");
    let short = Matrix::from_fn(3, 1, |_, _| 1.0);
    assert!(Regressor::default().fit(&x, &short).is_err());
    let broken = Matrix::from_fn(400, 2, |i, _| if i == 7 { f64::INFINITY } else { i as f64 });
    let y = Matrix::from_fn(400, 1, |i, _| i as f64);
    let error = Regressor::default().fit(&broken, &y).expect_err("infinite");
    assert!(error.to_string().contains("row 7, column 0"), "{error}");
    let options = Options {
        gates: GateSource::Given(Matrix::from_fn(4, 2, |_, _| 1.0)),
        ..Options::default()
    };
    let error = Regressor { options }.fit(&x, &y).expect_err("gates");
    assert!(error.to_string().contains("gate directions"), "{error}");
}
