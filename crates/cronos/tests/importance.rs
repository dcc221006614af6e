//! Importance of features, against sums by hand and against predictions on
//! tables that were shuffled for real.

#[allow(dead_code)] // other tests use more of them
mod models;

use cronos::importance::{Cost, Shuffles, group_norms, is_read, shuffled};
use cronos::{Encoding, Matrix, Model, Ramp, chosen_classes};
use models::matrix;

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() < 1e-12,
            "{found}, not {expected} of {found:?}"
        );
    }
}

/// Two outputs, three features, two units.
fn by_hand() -> Model {
    let mut model = models::gated();
    let network = &mut model.network;
    network.gating = None;
    network.hidden = matrix(2, 3, &[3.0, 4.0, 0.0, 0.0, -2.0, 0.0]);
    network.hidden_bias = vec![9.0, 9.0];
    network.output = matrix(2, 2, &[3.0, 40.0, -2.0, 0.0]);
    model.feature_names = ["a", "b", "c"].map(String::from).to_vec();
    model.training.feature_mean = vec![5.0; 3];
    model.training.feature_scale = vec![2.0, 0.5, 7.0];
    model.training.target_scale = vec![1.0, 10.0];
    model.check().unwrap();
    model
}

#[test]
fn shares_are_as_by_hand() {
    // ‖a_1 / t‖ = ‖(3, 4)‖ = 5, ‖a_2 / t‖ = 2; a: 5 · 6, b: 5 · 2 + 2 · 1, c: 0
    assert_close(
        &group_norms(&by_hand()).unwrap(),
        &[30.0 / 42.0, 12.0 / 42.0, 0.0],
    );
    assert_eq!(is_read(&by_hand()), [true, true, false]);
    assert_eq!(group_norms(&models::empty()).unwrap(), [0.0; 3]);
}

/// Metres or millimetres: the weight shrinks as the scale grows.
#[test]
fn units_of_measure_do_not_matter() {
    let model = by_hand();
    let mut other = model.clone();
    other.network.hidden = Matrix::from_fn(2, 3, |i, j| {
        model.network.hidden.at(i, j) * if j == 1 { 1e-3 } else { 1.0 }
    });
    other.training.feature_scale[1] *= 1e3;
    other.training.target_scale[1] *= 1e3;
    other.network.output = Matrix::from_fn(2, 2, |i, c| {
        model.network.output.at(i, c) * if c == 1 { 1e3 } else { 1.0 }
    });
    assert_close(&group_norms(&other).unwrap(), &group_norms(&model).unwrap());
}

/// One unit on a feature with knots 0, 1, 3 and on one without.
fn with_ramps() -> Model {
    let mut model = models::encoded();
    let ramp = |low, high| Ramp {
        column: 0,
        low,
        high,
    };
    model.network.encoding = Encoding {
        ramps: vec![ramp(0.0, 1.0), ramp(1.0, 3.0)],
        summed: false,
    };
    model.network.hidden = matrix(1, 4, &[2.0, 1.0, 6.0, -3.0]);
    model.network.hidden_bias = vec![1.0];
    model.network.output = matrix(1, 1, &[-4.0]);
    model.check().unwrap();
    model
}

/// The same unit on the rank of the first feature.
fn with_ranks() -> Model {
    let mut model = with_ramps();
    model.network.encoding.summed = true;
    model.network.hidden = matrix(1, 2, &[2.0, 1.0]);
    model.training.feature_mean.truncate(2);
    model.training.feature_scale.truncate(2);
    model.check().unwrap();
    model
}

#[test]
fn ranks_count_by_their_spread_over_the_knots() {
    // 0, 1 and 2 at the knots: variance 2/3
    let (first, second) = (2.0 * (2.0f64 / 3.0).sqrt(), 3.0);
    let total = first + second;
    assert_close(
        &group_norms(&with_ranks()).unwrap(),
        &[first / total, second / total],
    );
    assert_eq!(is_read(&with_ranks()), [true, true]);
}

#[test]
fn ramps_count_for_their_feature() {
    // at the knots the ramps give 0, 6 and 3: mean 3, variance (9 + 9 + 0)/3 = 6
    let (first, second) = ((36.0f64 + 6.0).sqrt(), 3.0);
    let total = first + second;
    let model = with_ramps();
    assert_close(
        &group_norms(&model).unwrap(),
        &[first / total, second / total],
    );
    let mut other = model.clone();
    other.network.hidden = matrix(1, 4, &[0.0, 0.0, 0.0, -3.0]);
    assert_eq!(is_read(&other), [true, false]);
    // what is left of a weight that was shrunk to nothing
    other.network.hidden = matrix(1, 4, &[0.0, 1e-12, 0.0, -3.0]);
    assert_eq!(is_read(&other), [true, false]);
    other.network.output = matrix(1, 1, &[0.0]);
    assert_eq!(is_read(&other), [false, false]);
}

#[test]
fn gates_read_features_too() {
    let mut model = models::gated();
    model.network.hidden = matrix(3, 2, &[1.0, 0.0, 3.0, 0.0, 5.0, 0.0]);
    // gate 1 reads feature 1 alone, and units 0 and 2 have that gate
    assert_eq!(is_read(&model), [true, true]);
    assert_eq!(group_norms(&model).unwrap(), [1.0, 0.0]);
}

/// Numbers between −1 and 1 that repeat nowhere.
fn table(rows: usize, columns: usize) -> Matrix<f64> {
    Matrix::from_fn(rows, columns, |i, j| {
        ((i * columns + j) as f64 * 0.618_033_988_749_894_9 * (j + 1) as f64).fract() * 2.0 - 1.0
    })
}

/// A network whose output is feature 2 of 4.
fn third() -> Model {
    let mut model = models::binary();
    model.network.hidden = matrix(2, 4, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
    model.feature_names = ["a", "b", "c", "d"].map(String::from).to_vec();
    model.training.feature_mean = vec![0.0; 4];
    model.training.feature_scale = vec![1.0; 4];
    model.check().unwrap();
    model
}

/// Class = sign of feature 2. Shuffled, a row keeps its class if it meets a value
/// of the same sign: the accuracy falls from 1 to p² + (1 − p)², p the share of one class.
#[test]
fn the_only_feature_that_matters_costs_what_chance_says() {
    let x = table(3000, 4);
    let truth: Vec<usize> = (0..3000).map(|i| usize::from(x.at(i, 2) >= 0.0)).collect();
    let accuracy = |rows: &[usize], outputs: &Matrix<f64>| {
        let right = (rows.iter().zip(chosen_classes(outputs)))
            .filter(|(row, class)| truth[**row] == *class)
            .count();
        right as f64 / rows.len() as f64
    };
    let shuffles = Shuffles {
        repeats: 10,
        ..Shuffles::default()
    };
    let found = shuffled(&third(), &x, &shuffles, accuracy).unwrap();
    assert_eq!((found.rows.len(), found.score), (2000, 1.0));
    assert!(found.rows.is_sorted() && found.rows.iter().any(|&row| row > 2900));
    let p = found.rows.iter().map(|&row| truth[row]).sum::<usize>() as f64 / 2000.0;
    let expected = 2.0 * p * (1.0 - p);
    let Cost { mean, spread } = found.costs[2].unwrap();
    // one order has the standard deviation 2p(1 − p)/√n (hypergeometric), ten a third of it
    assert!((mean - expected).abs() < 0.015, "{mean}, not {expected}");
    assert!((0.003..0.03).contains(&spread), "{spread}");
    let free = Some(Cost {
        mean: 0.0,
        spread: 0.0,
    });
    for feature in [0, 1, 3] {
        assert_eq!(found.costs[feature], free);
    }
}

/// Each order is found out from a network that gives the feature back; then the
/// table is shuffled for real and predicted anew.
#[test]
fn costs_are_those_of_tables_that_were_shuffled() {
    let mut missing = models::classifier();
    missing.network.hidden = matrix(2, 2, &[0.1, 2.0, -1.0, 0.3]);
    for model in [models::gated(), with_ramps(), with_ranks(), missing] {
        let mut x = table(150, 2);
        if model.imputation.is_some() {
            x = Matrix::from_fn(150, 2, |i, j| match (i + j) % 7 {
                0 => f64::NAN,
                _ => x.at(i, j),
            });
        }
        let truth = Matrix::from_fn(150, model.network.outputs(), |i, c| {
            ((i * (c + 2)) as f64).sin() * 3.0
        });
        let score = |outputs: &Matrix<f64>| {
            let pairs = outputs.values().iter().zip(truth.values());
            -pairs.map(|(f, y)| (f - y).abs()).sum::<f64>()
        };
        let shuffles = Shuffles {
            seed: 5,
            repeats: 1,
            ..Shuffles::default()
        };
        let found = shuffled(&model, &x, &shuffles, |_, outputs| score(outputs)).unwrap();
        let whole = score(&model.decide(&x).unwrap());
        assert!((found.score - whole).abs() < 1e-9 * whole.abs());
        for feature in 0..2 {
            let order = order_of(feature, 150, &shuffles);
            let mixed = Matrix::from_fn(150, 2, |i, j| match j == feature {
                true => x.at(order[i], j),
                false => x.at(i, j),
            });
            let expected = whole - score(&model.decide(&mixed).unwrap());
            let cost = found.costs[feature].unwrap();
            assert!(expected.abs() > 1e-3, "the test tells something");
            assert!((cost.mean - expected).abs() < 1e-9 * whole.abs());
            assert_eq!(cost.spread, 0.0);
        }
    }
}

/// Where the values of a feature come from: a network that outputs the feature
/// tells the row numbers put into it.
fn order_of(feature: usize, rows: usize, shuffles: &Shuffles) -> Vec<usize> {
    let mut echo = models::binary();
    let direction = |sign: f64| [[sign, 0.0], [0.0, sign]][feature];
    echo.network.hidden = matrix(2, 2, &[direction(1.0), direction(-1.0)].concat());
    let numbers = Matrix::from_fn(rows, 2, |i, _| i as f64);
    let seen = std::sync::Mutex::new(Vec::new());
    let listen = |_: &[usize], outputs: &Matrix<f64>| {
        let order: Vec<usize> = outputs
            .values()
            .iter()
            .map(|v| v.round() as usize)
            .collect();
        seen.lock().unwrap().push(order);
        0.0
    };
    shuffled(&echo, &numbers, shuffles, listen).unwrap();
    let mut seen = seen.into_inner().unwrap();
    let order = seen.pop().unwrap();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..rows).collect::<Vec<_>>());
    assert!(order != sorted, "it was shuffled");
    order
}

#[test]
fn threads_do_not_matter_and_work_is_bounded() {
    let (x, model) = (table(500, 2), with_ramps());
    let sum = |_: &[usize], outputs: &Matrix<f64>| {
        (outputs.values().iter().enumerate())
            .map(|(i, f)| f * (i as f64).sin())
            .sum()
    };
    let shuffles = Shuffles {
        rows: 130,
        features: 1,
        ..Shuffles::default()
    };
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| shuffled(&model, &x, &shuffles, sum).unwrap())
    };
    let found = run(1);
    assert_eq!(run(3), found);
    assert_eq!(found.rows.len(), 130);
    assert!(found.costs[0].is_some(), "the heavier feature is measured");
    assert_eq!(found.costs[1], None);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |x: &Matrix<f64>, repeats| {
        let shuffles = Shuffles {
            repeats,
            ..Shuffles::default()
        };
        shuffled(&third(), x, &shuffles, |_, _| 0.0)
            .unwrap_err()
            .to_string()
    };
    let wrong = refused(&table(5, 3), 5);
    assert_eq!(
        wrong,
        "features: expected 4 columns, as in training, found 3 columns"
    );
    assert!(refused(&table(5, 4), 0).starts_with("repeats is 0"));
    assert!(refused(&table(5, 4), 4096).starts_with("repeats is 4096"));
    assert!(refused(&table(0, 4), 5).contains("no rows"));
    let mut hole = table(5, 4).values().to_vec();
    hole[6] = f64::NAN;
    assert!(refused(&matrix(5, 4, &hole), 5).contains("row 1, column 2"));
}

/// Behind layers the weights say nothing; shuffling asks the whole model.
#[test]
fn layers_are_seen_through_by_shuffling_alone() {
    let model = models::stacked();
    assert_eq!(group_norms(&model), None);
    assert_eq!(is_read(&model), [true, true]);
    let x = table(150, 2);
    let score = |outputs: &Matrix<f64>| -> f64 {
        let parts = outputs.values().iter().enumerate();
        parts.map(|(i, f)| f * (i as f64).sin()).sum()
    };
    let shuffles = Shuffles {
        seed: 5,
        repeats: 1,
        ..Shuffles::default()
    };
    let found = shuffled(&model, &x, &shuffles, |_, outputs| score(outputs)).unwrap();
    let whole = score(&model.decide(&x).unwrap());
    assert_eq!(found.score, whole);
    for feature in 0..2 {
        let order = order_of(feature, 150, &shuffles);
        let mixed = Matrix::from_fn(150, 2, |i, j| match j == feature {
            true => x.at(order[i], j),
            false => x.at(i, j),
        });
        let expected = whole - score(&model.decide(&mixed).unwrap());
        assert!(expected.abs() > 1e-3, "the test tells something");
        assert_eq!(found.costs[feature].unwrap().mean, expected);
    }
    // of many features some evenly apart
    let shuffles = Shuffles {
        features: 4,
        repeats: 1,
        ..Shuffles::default()
    };
    let found = shuffled(&models::convolved(), &table(9, 32), &shuffles, |_, _| 0.0).unwrap();
    let measured: Vec<usize> = (0..32).filter(|&j| found.costs[j].is_some()).collect();
    assert_eq!(measured, [0, 8, 16, 24]);
}
