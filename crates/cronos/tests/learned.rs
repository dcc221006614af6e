//! The certificate of learned gates, against an interior-point method on the
//! convex program of the gates that were found.

mod reference;
mod verify;

use cronos::{Activation, GateSource, Gates, Loss, Matrix, Options, Precision, Program, Regressor};
use verify::Raw;

/// Waves of the columns, and a bend.
fn rows(n: usize, d: usize, seed: usize) -> (Matrix<f64>, Matrix<f64>) {
    let x = Matrix::from_fn(n, d, |i, j| {
        ((i * (3 * j + 7) + seed * 13 + i * i * (j + 1)) as f64 * 0.37).sin()
    });
    let y = Matrix::from_fn(n, 1, |i, _| {
        (x.at(i, 0) - 0.3 * x.at(i, d - 1)).abs() + 0.5 * x.at(i, 1)
    });
    (x, y)
}

#[test]
fn the_bound_is_that_of_the_gates_and_nearly_tight() {
    for (seed, loss) in [
        (1, Loss::Squared),
        (2, Loss::Huber { delta: 0.5 }),
        (3, Loss::Squared),
    ] {
        let (x, y) = rows(40, 4, seed);
        let beta = 0.2;
        let options = Options {
            beta: Some(beta),
            gates: GateSource::Learned { most: Some(8) },
            loss: Some(loss),
            standardize: false,
            bias: false,
            precision: Precision::F64,
            seed: seed as u64,
            ..Options::default()
        };
        let fitted = Regressor { options }.fit(&x, &y).expect("trained");
        let hidden = &fitted.network.hidden;
        let directions = Matrix::from_fn(4, hidden.rows(), |i, j| hidden.at(j, i));
        let program = Program {
            gates: Gates::from_directions(&x, &directions).expect("gates"),
            x,
            y,
            beta,
            activation: Activation::Relu,
            loss,
            weights: None,
        };
        let optimum = reference::optimum(&Raw::of(&program));
        let certificate = fitted.certificate;
        assert!(
            certificate.lower_bound <= optimum * (1.0 + 1e-7),
            "{loss:?}"
        );
        assert!(certificate.objective >= optimum * (1.0 - 1e-7), "{loss:?}");
        assert!(certificate.gap <= 0.02, "{loss:?}: gap {}", certificate.gap);
    }
}
