//! Layers in the model file: hostile descriptions and tensors under a valid checksum.

#[allow(dead_code)] // other tests use more of them
mod models;

use cronos::{Error, Model};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The FNV-1a checksum of nothing.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// A checksum after more bytes.
fn extended(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A model file taken apart.
struct File {
    version: u64,
    model: Value,
    /// Type, shape and bytes.
    tensors: BTreeMap<String, (String, Vec<usize>, Vec<u8>)>,
}

impl File {
    fn of(model: &Model) -> Self {
        let bytes = model.to_bytes().unwrap();
        let (length, rest) = bytes.split_first_chunk::<8>().unwrap();
        let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
        let header: BTreeMap<String, Value> = serde_json::from_slice(header).unwrap();
        let entry = header["__metadata__"]["cronos"].as_str().unwrap();
        let entry: Value = serde_json::from_str(entry).unwrap();
        let tensors = (header.into_iter())
            .filter(|(name, _)| name != "__metadata__")
            .map(|(name, tensor)| {
                let offset = |at: usize| tensor["data_offsets"][at].as_u64().unwrap() as usize;
                let shape = serde_json::from_value(tensor["shape"].clone()).unwrap();
                let kind = tensor["dtype"].as_str().unwrap().to_string();
                (name, (kind, shape, data[offset(0)..offset(1)].to_vec()))
            })
            .collect();
        Self {
            version: entry["format_version"].as_u64().unwrap(),
            model: entry["model"].clone(),
            tensors,
        }
    }

    /// The file put together again, with the checksum it needs.
    fn bytes(&self) -> Vec<u8> {
        let model = self.model.to_string();
        let mut sum = EMPTY;
        let mut add = |piece: &[u8]| {
            sum = extended(sum, &(piece.len() as u64).to_le_bytes());
            sum = extended(sum, piece);
        };
        add(&(self.version as u32).to_le_bytes());
        for (name, (kind, shape, bytes)) in &self.tensors {
            add(name.as_bytes());
            add(format!("{kind} {shape:?}").as_bytes());
            add(bytes);
        }
        add(model.as_bytes());
        let entry = format!(
            r#"{{"format_version":{},"checksum":"{sum:016x}","model":{model}}}"#,
            self.version
        );
        let mut header = json!({ "__metadata__": { "cronos": entry } });
        let mut data = Vec::new();
        for (name, (kind, shape, bytes)) in &self.tensors {
            let offsets = [data.len(), data.len() + bytes.len()];
            header[name] = json!({ "dtype": kind, "shape": shape, "data_offsets": offsets });
            data.extend(bytes);
        }
        let header = header.to_string();
        let length = (header.len() as u64).to_le_bytes();
        [&length[..], header.as_bytes(), &data].concat()
    }
}

#[test]
fn files_put_together_again_are_read() {
    for model in models::all() {
        let bytes = File::of(&model).bytes();
        assert_eq!(Model::from_bytes(&bytes).unwrap(), model);
    }
}

/// Checksums of files that were written before there were layers.
#[test]
fn models_without_layers_are_written_as_ever() {
    let known = [
        0xc131_e5ba_deff_5d56,
        0x7005_c070_731b_075e,
        0xbe8e_2a43_9ccd_8d3f,
        0x2828_7399_ea98_2bd7,
        0xf22c_ccac_581e_6ac0,
        0xd48a_58a1_09b7_6439,
    ];
    let models = models::all().into_iter();
    let found: Vec<u64> = models
        .filter(|model| model.stack.is_none())
        .map(|model| extended(EMPTY, &model.to_bytes().unwrap()))
        .collect();
    assert_eq!(found, known);
}

#[test]
fn layers_raise_the_version() {
    for model in models::all() {
        let mut file = File::of(&model);
        assert_eq!(file.version, 1 + u64::from(model.stack.is_some()));
        file.version = 3 - file.version;
        let error = Model::from_bytes(&file.bytes()).unwrap_err().to_string();
        assert!(error.contains("its version is not that"), "{error}");
    }
}

#[test]
fn structure_and_numbers_are_where_the_documentation_says() {
    let file = File::of(&models::convolved());
    assert_eq!(
        file.model["stack"],
        json!({
            "input": { "channels": 2, "height": 4, "width": 4 },
            "layers": [
                { "convolution": { "kernel": 3, "stride": 1, "padding": 1 } },
                "relu",
                { "residual": {
                    "inner": [{ "convolution": { "kernel": 3, "stride": 2, "padding": 1 } }, "relu"],
                    "shortcut": [
                        { "average_pool": { "size": 2 } },
                        { "convolution": { "kernel": 1, "stride": 1, "padding": 0 } },
                    ],
                } },
                "global_average",
            ],
        })
    );
    let layers: Vec<(&str, &[usize])> = (file.tensors.iter())
        .filter(|(name, (kind, ..))| name.starts_with("stack.") && kind == "F32")
        .map(|(name, (_, shape, _))| (name.as_str(), &shape[..]))
        .collect();
    let expected: [(&str, &[usize]); 5] = [
        ("stack.0.bias", &[2]),
        ("stack.0.weight", &[2, 2, 3, 3]),
        ("stack.2.inner.0.bias", &[3]),
        ("stack.2.inner.0.weight", &[3, 2, 3, 3]),
        ("stack.2.shortcut.1.weight", &[3, 2, 1, 1]),
    ];
    assert_eq!(layers, expected);
    let layers = &File::of(&models::stacked()).model["stack"]["layers"];
    assert_eq!(layers[0], json!({ "scale": {} }));
    assert_eq!(layers[1], json!({ "linear": {} }));
}

/// The refusal of the file after a change.
fn refusal(model: &Model, change: impl Fn(&mut File)) -> String {
    let mut file = File::of(model);
    change(&mut file);
    let error = Model::from_bytes(&file.bytes()).unwrap_err();
    assert!(matches!(error, Error::Format(_)), "{error:?}");
    error.to_string()
}

#[test]
fn tensors_that_are_not_as_they_should_be_are_refused() {
    for model in [models::stacked(), models::convolved()] {
        let names: Vec<String> = File::of(&model).tensors.into_keys().collect();
        for name in names.iter().filter(|name| name.starts_with("stack.")) {
            if !name.ends_with("bias") {
                let error = refusal(&model, |file| drop(file.tensors.remove(name)));
                assert!(error.contains(&format!("{name} is missing")), "{error}");
            }
            let error = refusal(&model, |file| {
                file.tensors.get_mut(name).unwrap().0 = "I32".into();
            });
            assert!(error.contains(&format!("{name} is not F32")), "{error}");
            refusal(&model, |file| {
                file.tensors.get_mut(name).unwrap().1.push(1);
            });
            refusal(&model, |file| {
                let tensor = file.tensors.get_mut(name).unwrap();
                let dimensions = tensor.1.len();
                tensor.1 = vec![0; dimensions];
                tensor.1[dimensions - 1] = 1 << 62;
                tensor.2.clear();
            });
            refusal(&model, |file| {
                let tensor = file.tensors.get_mut(name).unwrap();
                tensor.2[..4].copy_from_slice(&f32::NAN.to_le_bytes());
            });
        }
    }
}

#[test]
fn descriptions_that_make_no_sense_are_refused() {
    let model = models::convolved();
    let changed = |path: &str, value: Value| {
        refusal(&model, |file| {
            *file.model.pointer_mut(path).unwrap() = value.clone();
        })
    };
    let huge = json!(u64::MAX);
    for value in [json!(0), json!(1), json!(5), json!(-1), json!("3"), huge] {
        changed("/stack/input/channels", value.clone());
        changed("/stack/input/height", value.clone());
        changed("/stack/layers/0/convolution/kernel", value.clone());
    }
    for value in [json!(0), json!(1u64 << 40), json!(u64::MAX)] {
        changed("/stack/layers/2/residual/inner/0/convolution/stride", value);
    }
    for value in [json!(3), json!(1u64 << 40), json!(u64::MAX)] {
        changed("/stack/layers/0/convolution/padding", value.clone());
        changed(
            "/stack/layers/2/residual/shortcut/0/average_pool/size",
            value,
        );
    }
    changed("/stack/layers/1", json!("softmax"));
    changed("/stack/layers/1", json!({ "linear": {} }));
    // too deep for the layers, then for the reader of JSON
    for depth in [10, 400] {
        let nested = (0..depth).fold(
            json!("relu"),
            |inner, _| json!({ "residual": { "inner": [inner], "shortcut": [] } }),
        );
        changed("/stack/layers/1", nested);
    }
}
