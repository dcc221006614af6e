//! The recovered network against plain loops over the solution's weights.

mod problems;

use cronos::{Activation, Matrix, Network, Scaling, Settings, TargetScaling};
use std::ops::ControlFlow;

/// Rows the program was not trained on.
fn fresh(columns: usize) -> Matrix<f64> {
    Matrix::from_fn(150, columns, |i, j| {
        ((i * 13 + j * 7) % 19) as f64 / 3.0 - 2.5
    })
}

/// The network of a case, on the features as they are.
fn trained(case: &problems::Case) -> Network {
    let program = case.program();
    let solution = program
        .solve(&Settings::default(), &mut |_| ControlFlow::Continue(()))
        .expect("solved");
    let scaling = Scaling::identity(case.d);
    let targets = TargetScaling::identity(case.outputs);
    Network::recover(&program, &solution.weights, &scaling, &targets)
}

#[test]
fn raw_features_give_what_the_scaled_program_says() {
    for case in problems::cases() {
        let program = case.program();
        let solution = program
            .solve(&Settings::default(), &mut |_| ControlFlow::Continue(()))
            .expect("solved");
        let scaling = Scaling {
            mean: (0..case.d).map(|j| j as f64 - 1.5).collect(),
            scale: (0..case.d).map(|j| 0.5 + j as f64).collect(),
        };
        let targets = TargetScaling {
            mean: vec![3.0; case.outputs],
            scale: vec![2.0; case.outputs],
        };
        let network = Network::recover(&program, &solution.weights, &scaling, &targets);
        network.check().expect("a sound network");
        let x = fresh(case.d);
        let seen: Matrix<f64> = scaling.apply(&x, true);
        let predicted = network.predict(&x).expect("predictions");
        let (d, gates) = (program.x.columns(), program.gates.len());
        let signs = case.activation.signs();
        let live = solution
            .weights
            .chunks(d)
            .filter(|g| g.iter().any(|&w| w != 0.0));
        assert_eq!(network.neurons(), live.count());
        for i in 0..x.rows() {
            for c in 0..case.outputs {
                let mut sum = 0.0;
                for (column, group) in solution.weights.chunks(d).enumerate() {
                    if column / (signs * gates) != c {
                        continue;
                    }
                    let product = |w: &[f64]| -> f64 { (0..d).map(|j| seen.at(i, j) * w[j]).sum() };
                    let sign = if column / gates % signs == 0 {
                        1.0
                    } else {
                        -1.0
                    };
                    let z = product(group);
                    sum += sign
                        * match case.activation {
                            Activation::Relu => z.max(0.0),
                            Activation::Gated => {
                                let gate = product(program.gates.direction(column % gates));
                                if gate >= 0.0 { z } else { 0.0 }
                            }
                        };
                }
                let expected = 3.0 + 2.0 * sum;
                assert!(
                    (predicted.at(i, c) - expected).abs() <= 1e-9 * (1.0 + expected.abs()),
                    "{case:?}: {} against {expected}",
                    predicted.at(i, c)
                );
            }
        }
    }
}

#[test]
fn a_prediction_does_not_depend_on_its_batch() {
    let case = problems::cases()[36];
    let network = trained(&case);
    let x = fresh(case.d);
    let all = network.predict(&x).expect("predictions");
    for size in [1, 2, 7, 63, 64, 65, 149] {
        for from in (0..x.rows()).step_by(size) {
            let count = size.min(x.rows() - from);
            let part = Matrix::from_fn(count, case.d, |i, j| x.at(from + i, j));
            let predicted = network.predict(&part).expect("predictions");
            for i in 0..count {
                assert_eq!(predicted.row(i), all.row(from + i), "batch of {size}");
            }
        }
    }
}

#[test]
fn features_that_do_not_fit_are_refused() {
    let case = problems::cases()[32];
    let network = trained(&case);
    let error = network
        .predict(&fresh(case.d + 1))
        .expect_err("shape")
        .to_string();
    assert!(
        error.contains("5 columns") && error.contains("6 columns"),
        "{error}"
    );
    let broken = Matrix::from_fn(
        3,
        case.d,
        |i, j| if (i, j) == (2, 1) { f64::NAN } else { 0.0 },
    );
    let error = network.predict(&broken).expect_err("NaN").to_string();
    assert!(error.contains("row 2, column 1"), "{error}");
}
