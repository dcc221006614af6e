//! The model file: what is written is read back, and nothing else is accepted.

mod models;

use cronos::{Error, FORMAT_VERSION, Model};
use models::matrix;

/// The refusal of `bytes`.
fn refusal(bytes: &[u8]) -> String {
    match Model::from_bytes(bytes) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("accepted"),
    }
}

/// `bytes` with the first `from` replaced by `to`, which is as long.
fn replaced(mut bytes: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = (bytes.windows(from.len()))
        .position(|window| window == from.as_bytes())
        .unwrap();
    bytes[at..][..to.len()].copy_from_slice(to.as_bytes());
    bytes
}

/// A safetensors file with this header and this much data.
fn file(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.resize(bytes.len() + data, 0);
    bytes
}

#[test]
fn models_come_back_bit_for_bit() {
    for model in models::all() {
        let bytes = model.to_bytes().unwrap();
        let read = Model::from_bytes(&bytes).unwrap();
        assert_eq!(read, model);
        // tells −0 from 0, which == does not
        assert_eq!(format!("{read:?}"), format!("{model:?}"));
        assert_eq!(read.to_bytes().unwrap(), bytes);
    }
}

#[test]
fn equal_models_give_equal_bytes() {
    for model in models::all() {
        let first = model.to_bytes().unwrap();
        assert!((0..20).all(|_| model.clone().to_bytes().unwrap() == first));
    }
}

#[test]
fn scores_that_are_not_numbers_survive() {
    let mut model = models::binary();
    model.training.train_score = Some(f64::NEG_INFINITY);
    model.training.network_objective = f64::NAN;
    let read = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(format!("{read:?}"), format!("{model:?}"));
}

#[test]
fn an_altered_byte_is_refused_or_harmless() {
    for model in models::all() {
        let bytes = model.to_bytes().unwrap();
        let mut harmless = 0;
        for at in 0..bytes.len() {
            for mask in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
                let mut altered = bytes.clone();
                altered[at] ^= mask;
                if let Ok(read) = Model::from_bytes(&altered) {
                    assert_eq!(read, model, "byte {at}, mask {mask}");
                    harmless += 1;
                }
            }
        }
        assert_eq!(harmless, 0, "an altered byte went unnoticed");
    }
}

#[test]
fn a_truncated_file_is_refused() {
    for model in models::all() {
        let bytes = model.to_bytes().unwrap();
        for length in 0..bytes.len() {
            let text = refusal(&bytes[..length]);
            assert!(
                text.contains(if length < 8 {
                    "not a model file"
                } else {
                    "cut short"
                }),
                "{length}: {text}"
            );
        }
        let longer = [bytes, vec![0]].concat();
        assert!(refusal(&longer).contains("behind its last tensor"));
    }
}

#[test]
fn a_newer_format_is_refused() {
    let bytes = models::gated().to_bytes().unwrap();
    let newer = replaced(bytes, r#"\"format_version\":1"#, r#"\"format_version\":3"#);
    assert_eq!(FORMAT_VERSION, 2);
    assert_eq!(
        refusal(&newer),
        "this model was written by a newer cronos (format 3, this build reads up to 2); upgrade"
    );
}

#[test]
fn another_kind_of_file_is_refused() {
    for bytes in [&b""[..], b"a,b\n1,2\n3,4\n", &[0x50; 200], &[0xff; 64]] {
        assert!(refusal(bytes).contains("not in the safetensors format"));
    }
    let foreign = r#"{"w":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}"#;
    assert!(refusal(&file(foreign, 8)).contains("not a cronos model"));
    assert!(refusal(&file("{}", 0)).contains("not a cronos model"));
    assert!(refusal(&file("{]", 0)).contains("header cannot be read"));
}

#[test]
fn hostile_sizes_are_refused() {
    let entry =
        r#""__metadata__":{"cronos":"{\"format_version\":1,\"checksum\":\"\",\"model\":{}}"}"#;
    let tensor = |name: &str, shape: &str, from: u64, to: u64| {
        format!(r#""{name}":{{"dtype":"F64","shape":{shape},"data_offsets":[{from},{to}]}}"#)
    };
    let huge = 1u64 << 60;
    let parts: Vec<String> = (0..15)
        .map(|at| {
            tensor(
                &format!("t{at}"),
                &format!("[{}]", huge / 8),
                at * huge,
                (at + 1) * huge,
            )
        })
        .collect();
    let wrapping = format!("{entry},{}", parts.join(","));
    let overflow = tensor("a", "[4294967296,4294967296,4294967296]", 0, 8);
    for tensors in [
        format!(
            "{entry},{}",
            tensor("hidden.weight", "[9223372036854775807]", 0, 8)
        ),
        format!(
            "{entry},{}",
            tensor("hidden.weight", "[0,9223372036854775807]", 0, 0)
        ),
        format!("{entry},{overflow}"),
        format!("{entry},{}", tensor("a", "[1]", 8, 16)),
        format!("{entry},{}", tensor("a", "[1]", 8, 0)),
        wrapping,
        entry.to_string(),
    ] {
        let text = refusal(&file(&format!("{{{tensors}}}"), 16));
        assert!(text.contains("damaged"), "{text}");
    }
    let mut endless = models::empty().to_bytes().unwrap();
    endless[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    refusal(&endless);
    refusal(&file(&"[".repeat(100_000), 0));
    refusal(&file(&r#"{"a":"#.repeat(100_000), 0));
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let bad = |change: fn(&mut Model)| {
        let mut model = models::classifier();
        change(&mut model);
        assert!(model.to_bytes().is_err());
        assert!(model.to_onnx().is_err());
    };
    bad(|model| model.network.hidden_bias[0] = f64::NAN);
    bad(|model| model.network.hidden = matrix(2, 2, &[1.0, f64::INFINITY, 0.0, 0.0]));
    bad(|model| model.imputation = Some(vec![f64::NAN, 0.0]));
    bad(|model| model.imputation = Some(vec![0.0]));
    bad(|model| model.training.target_scale[1] = f64::INFINITY);
    bad(|model| model.training.feature_mean.clear());
    bad(|model| model.feature_names.clear());
    bad(|model| model.network.output_bias.clear());
    bad(|model| model.task = models::binary().task);
    bad(|model| model.task = cronos::Task::Classification { classes: vec![] });
}

#[test]
fn missing_features_are_replaced() {
    let model = models::classifier();
    let nan = f64::NAN;
    let found = model.decide(&matrix(2, 2, &[nan, 2.0, 3.0, nan])).unwrap();
    let full = matrix(2, 2, &[0.7, 2.0, 3.0, -1e-310]);
    assert_eq!(found, model.network.predict(&full).unwrap());
    let refused = models::binary().decide(&matrix(1, 1, &[nan]));
    assert!(matches!(refused, Err(Error::NotFinite { .. })));
    let refused = model.decide(&matrix(1, 3, &[nan, 1.0, 2.0]));
    assert!(matches!(refused, Err(Error::Shape { .. })));
}

#[test]
fn classes_follow_the_decisions() {
    let x = matrix(4, 1, &[-1.0, -0.0, 0.0, 1e-300]);
    assert_eq!(models::binary().classify(&x).unwrap(), [0, 1, 1, 1]);
    let mut tied = models::classifier();
    tied.network.hidden = matrix(0, 2, &[]);
    tied.network.output = matrix(0, 3, &[]);
    tied.network.hidden_bias.clear();
    tied.network.output_bias = vec![-3.0, -2.0, -2.0];
    assert_eq!(tied.classify(&matrix(1, 2, &[0.0, 0.0])).unwrap(), [1]);
    let refused = models::gated().classify(&matrix(1, 2, &[0.0, 0.0]));
    assert!(refused.unwrap_err().to_string().contains("regression"));
}

#[test]
fn a_model_without_units_predicts_its_constant() {
    let read = Model::from_bytes(&models::empty().to_bytes().unwrap()).unwrap();
    let found = read.decide(&matrix(2, 3, &[1.0; 6])).unwrap();
    assert_eq!(found.values(), [2.5, 2.5]);
}
