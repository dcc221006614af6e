//! Gate directions from a file, and the fit they are for.
#![no_main]

use cronos::{GateSource, Matrix, Options, Regressor, Settings};
use cronos_data::{ReadOptions, TargetColumn, read};
use cronos_fuzz::{check_sentence, put};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let path = put("g.npy", bytes);
    let options = ReadOptions {
        target: TargetColumn::Absent,
        ..ReadOptions::default()
    };
    let loaded = match read(path.to_str().expect("a plain name"), &options) {
        Ok(loaded) => loaded.train.features,
        Err(error) => return check_sentence(&error),
    };
    if loaded.columns > 8 {
        return;
    }
    let numbers = (0..loaded.rows).flat_map(|row| loaded.row(row)).collect();
    let directions = match Matrix::from_rows(loaded.rows, loaded.columns, numbers) {
        Ok(directions) => directions,
        Err(error) => return check_sentence(&error),
    };
    let x = Matrix::from_fn(6, 2, |i, j| (i * 3 + j) as f64 % 5.0 - 2.0);
    let y = Matrix::from_fn(6, 1, |i, _| i as f64);
    let options = Options {
        gates: GateSource::Given(directions),
        beta: Some(0.1),
        settings: Settings {
            max_iterations: 10,
            ..Settings::default()
        },
        ..Options::default()
    };
    if let Err(error) = (Regressor { options }).fit(&x, &y) {
        check_sentence(&error);
    }
});
