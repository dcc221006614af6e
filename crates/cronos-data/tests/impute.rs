//! Missing values filled in.

use cronos_data::impute::{Imputation, Imputer};
use cronos_data::{Features, Values};

const NONE: f64 = f64::NAN;

fn features(columns: usize, values: &[f64]) -> Features {
    Features {
        rows: values.len() / columns,
        columns,
        values: Values::Numbers(values.to_vec()),
    }
}

#[test]
fn mean_and_median_come_from_the_values_there_are() {
    let data = features(2, &[1.0, NONE, NONE, 1.0, 9.0, 2.0, 2.0, 4.0, NONE, 3.0]);
    let mean = Imputer::fit(&data, &[], Imputation::Mean).unwrap();
    assert_eq!(mean.values, [4.0, 2.5]);
    let median = Imputer::fit(&data, &[], Imputation::Median).unwrap();
    assert_eq!(median.values, [2.0, 2.5]);
    let mut filled = data.clone();
    median.apply(&mut filled);
    assert_eq!(
        filled.values.to_numbers(),
        [1.0, 2.5, 2.0, 1.0, 9.0, 2.0, 2.0, 4.0, 2.0, 3.0]
    );
}

#[test]
fn large_values_do_not_overflow() {
    let data = features(1, &[1.6e308, 1.6e308, NONE]);
    for how in [Imputation::Mean, Imputation::Median] {
        let value = Imputer::fit(&data, &[], how).unwrap().values[0];
        assert!((value / 1.6e308 - 1.0).abs() < 1e-12, "{value}");
    }
}

#[test]
fn a_column_without_values_is_refused_by_name_or_index() {
    let data = features(2, &[1.0, NONE, 2.0, NONE]);
    let error = Imputer::fit(&data, &[], Imputation::Mean).unwrap_err();
    assert!(error.is_input());
    let message = error.to_string();
    assert!(
        message.starts_with("column 1 (counting from 0) has no value"),
        "{message}"
    );
    let names = ["a".to_owned(), "b c".to_owned()];
    let error = Imputer::fit(&data, &names, Imputation::Median).unwrap_err();
    assert_eq!(
        error.to_string(),
        "column \"b c\" has no value in any training row, so none can be imputed; leave the column \
         out with --drop"
    );
}

#[test]
fn nothing_happens_to_nothing() {
    let mut empty = Features {
        rows: 3,
        columns: 0,
        values: Values::Numbers(Vec::new()),
    };
    let imputer = Imputer::fit(&empty, &[], Imputation::Mean).unwrap();
    imputer.apply(&mut empty);
    assert!(imputer.values.is_empty());
}
