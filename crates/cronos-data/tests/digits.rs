//! The built-in digits.

mod sample;

use cronos_data::{Task, labels, read};
use sample::{absent, target};

#[test]
fn digits_are_the_known_images() {
    let loaded = read("digits", &Default::default()).unwrap();
    assert!(loaded.test.is_none());
    let data = loaded.train;
    assert_eq!(data.name, "digits");
    assert_eq!((data.features.rows, data.features.columns), (1797, 64));
    assert_eq!(data.image_shape, Some((8, 8, 1)));
    assert_eq!(data.feature_names[0], "pixel_0_0");
    assert_eq!(data.feature_names[15], "pixel_1_7");
    assert_eq!(data.feature_names[63], "pixel_7_7");
    assert_eq!(
        data.features.values.to_numbers().iter().sum::<f64>(),
        561_718.0
    );
    let range = data
        .features
        .values
        .to_numbers()
        .iter()
        .fold((99.0, -99.0), |r, &v| (f64::min(r.0, v), f64::max(r.1, v)));
    assert_eq!(range, (0.0, 16.0));
    assert_eq!(data.features.row(0)[..6], [0.0, 0.0, 5.0, 13.0, 9.0, 1.0]);

    let target = data.target.unwrap();
    assert_eq!(labels::infer_task(&target), Task::Classification);
    let labels = labels::encode(&target).unwrap();
    let names: Vec<String> = (0..10).map(|digit| digit.to_string()).collect();
    assert_eq!(labels.classes, names);
    assert_eq!(labels.indices[0], 0);
    let mut counts = [0; 10];
    for &index in &labels.indices {
        counts[index] += 1;
    }
    assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
}

#[test]
fn digits_take_the_same_options_as_a_file() {
    let data = read("digits", &absent()).unwrap().train;
    assert_eq!((data.features.columns, data.target), (64, None));
    let data = read("digits", &target("class")).unwrap().train;
    assert_eq!(data.target_name.as_deref(), Some("class"));
    let error = read("digits", &target("digit")).unwrap_err().to_string();
    assert!(error.starts_with("digits: there is no column"), "{error}");
}
