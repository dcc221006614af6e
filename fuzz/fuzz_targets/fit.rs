//! Classes and numbers from any small arrays, by the automatic choice or a convex program.
#![no_main]

use arbitrary::Arbitrary;
use cronos::{Classifier, GateSource, Matrix, Options, Precision, Regressor, Settings};
use cronos_fuzz::check_sentence;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Small {
    rows: u8,
    features: u8,
    numbers: Vec<f32>,
    classes: Option<Vec<u8>>,
    gates: Option<u8>,
    beta: Option<f64>,
    bias: bool,
    standardize: bool,
    double: bool,
    seed: u64,
}

fn fit(small: &Small) -> Result<(), cronos::Error> {
    let n = small.rows as usize % 12;
    let d = small.features as usize % 5;
    let number = |at: usize| {
        small
            .numbers
            .get(at)
            .map_or((at as f64).sin(), |&v| v.into())
    };
    let x = Matrix::from_fn(n, d, |i, j| number(i * d + j));
    let options = Options {
        gates: match small.gates {
            Some(gates) => GateSource::Sampled(gates as usize % 5),
            None => GateSource::Learned { most: Some(3) },
        },
        networks: Some(1),
        beta: small.beta,
        bias: small.bias,
        standardize: small.standardize,
        precision: match small.double {
            true => Precision::F64,
            false => Precision::F32,
        },
        seed: small.seed,
        settings: Settings {
            max_iterations: 20,
            ..Settings::default()
        },
        ..Options::default()
    };
    match &small.classes {
        Some(classes) => {
            let labels: Vec<u8> = (0..n)
                .map(|i| classes.get(i).copied().unwrap_or(0) % 4)
                .collect();
            let trained = (Classifier { options }).fit(&x, &labels)?;
            assert_eq!(trained.predict(&x)?.len(), n);
        }
        None => {
            let y = Matrix::from_fn(n, 1, |i, _| number(n * d + i));
            let fitted = (Regressor { options }).fit(&x, &y)?;
            let outputs = fitted.network.predict(&x)?;
            assert!(outputs.values().iter().all(|output| output.is_finite()));
        }
    }
    Ok(())
}

fuzz_target!(|small: Small| {
    if let Err(error) = fit(&small) {
        check_sentence(&error);
    }
});
