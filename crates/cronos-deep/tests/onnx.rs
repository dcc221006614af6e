//! ONNX files written here, run by the encoder.
#![cfg(feature = "onnx")]

#[allow(dead_code)]
#[path = "../../cronos/tests/models/mod.rs"]
mod models;
mod written;

use cronos::Matrix;
use cronos_deep::language::onnx::{Encoded, Entries, OnnxEncoder, PixelScale};
use std::io::Write;
use written::{FLOAT, Message, model, node, port, words};

fn open(bytes: &[u8]) -> Result<OnnxEncoder, cronos::Error> {
    let mut file = tempfile::NamedTempFile::with_suffix(".onnx").unwrap();
    file.write_all(bytes).unwrap();
    OnnxEncoder::open(file.path())
}

#[test]
fn texts_are_filled_up_and_masked() {
    let ids = [vec![1, 2, 3], vec![4]];
    let expected = [
        1.0 * 2.0 + 0.5,
        3.5,
        4.5,
        5.5,
        6.5,
        7.5, // rows 1, 2 and 3 of the table
        8.5,
        9.5,
        0.0,
        0.0,
        0.0,
        0.0,
    ];
    for batch in [0, 1, 3] {
        let encoder = open(&words(5, batch, 0)).unwrap();
        let encoded = encoder.encode_tokens(&ids).unwrap();
        assert_eq!(encoded.shape, [2, 3, 2]);
        assert_eq!(encoded.values, expected);
    }
    let encoder = open(&words(5, 0, 4)).unwrap();
    assert_eq!(encoder.inputs()[0].shape, Some(vec![None, Some(4)]));
    assert_eq!(encoder.inputs()[0].entries, Entries::Whole);
    assert_eq!(encoder.encode_tokens(&ids).unwrap().shape, [2, 4, 2]);
    let why = encoder
        .encode_tokens(&[vec![1; 5]])
        .unwrap_err()
        .to_string();
    assert!(why.contains("5 tokens") && why.contains("takes 4"), "{why}");
}

#[test]
fn texts_that_cannot_be_encoded_are_refused() {
    let encoder = open(&words(5, 0, 0)).unwrap();
    assert!(encoder.encode_tokens(&[]).is_err());
    assert!(encoder.encode_tokens(&[vec![1], vec![]]).is_err());
    // beyond the table, beyond the integers
    assert!(encoder.encode_tokens(&[vec![5]]).is_err());
    assert!(encoder.encode_tokens(&[vec![u32::MAX]]).is_err());
    let why = encoder.encode_images(&[0; 12], 1, [2, 2, 3], &PixelScale::Unit);
    assert!(why.unwrap_err().to_string().contains("inputs input_ids"));
}

/// The mean of every channel.
fn means(shape: [u64; 4], last: bool) -> Vec<u8> {
    let mut nodes = vec![node("GlobalAveragePool", &["x"], "means", &[])];
    if last {
        // [n, h, w, c] as [n, c, h, w]
        let order: Vec<u8> = vec![0, 3, 1, 2];
        let attribute = (order.iter()).fold(Message::default().text(1, "perm"), |m, &axis| {
            m.number(8, axis.into())
        });
        let turn = Message::default()
            .text(1, "images")
            .text(2, "x")
            .text(4, "Transpose");
        nodes.insert(0, turn.message(5, attribute.number(20, 7)));
    } else {
        nodes.insert(0, node("Identity", &["images"], "x", &[]));
    }
    let input = port("images", FLOAT, &shape);
    model(&nodes, &[], &[input], port("means", FLOAT, &[0, 3, 1, 1]))
}

#[test]
fn images_reach_the_model_in_its_order_and_scale() {
    // 20 images of 4 x 2 pixels
    let pixels: Vec<u8> = (0..20 * 24).map(|at| (at * 37 % 256) as u8).collect();
    let mean = |image: usize, channel: usize| {
        let own = pixels[image * 24..][..24].iter().skip(channel).step_by(3);
        own.map(|&x| f64::from(x)).sum::<f64>() / 8.0
    };
    type Formula = fn(f64, usize) -> f64;
    let scales: [(PixelScale, Formula); 3] = [
        (PixelScale::Unit, |x, _| x / 255.0),
        (PixelScale::Symmetric, |x, _| x / 127.5 - 1.0),
        (PixelScale::ImageNet, |x, channel| {
            let mean = [0.485, 0.456, 0.406][channel];
            (x / 255.0 - mean) / [0.229, 0.224, 0.225][channel]
        }),
    ];
    let models = [
        means([0, 3, 4, 2], false),
        means([1, 3, 0, 0], false),
        means([0, 4, 2, 3], true),
        means([7, 0, 0, 3], true),
    ];
    for bytes in &models {
        let encoder = open(bytes).unwrap();
        for (scale, formula) in &scales {
            let encoded = encoder
                .encode_images(&pixels, 20, [4, 2, 3], scale)
                .unwrap();
            assert_eq!(encoded.shape, [20, 3]);
            for (at, found) in encoded.values.iter().enumerate() {
                let expected = formula(mean(at / 3, at % 3), at % 3);
                assert!(
                    (f64::from(*found) - expected).abs() < 1e-5,
                    "{found} {expected}"
                );
            }
        }
    }
}

#[test]
fn images_that_do_not_fit_are_refused() {
    let encoder = open(&means([0, 3, 4, 2], false)).unwrap();
    let encode = |bytes: usize, count, size, scale: &PixelScale| {
        let encoded = encoder.encode_images(&vec![0; bytes], count, size, scale);
        encoded.unwrap_err().to_string()
    };
    let unit = PixelScale::Unit;
    assert!(encode(36, 1, [4, 3, 3], &unit).contains("resize them"));
    assert!(encode(8, 1, [4, 2, 1], &unit).contains("[?, 3, 4, 2]"));
    assert!(encode(23, 1, [4, 2, 3], &unit).contains("23 bytes"));
    assert!(encode(0, 0, [4, 2, 3], &unit).contains("0 of"));
    assert!(encode(0, usize::MAX, [1 << 14, 1 << 14, 3], &unit).contains("0 bytes"));
    assert!(encode(24, 1, [usize::MAX, 2, 3], &unit).contains("at most"));
    assert!(encode(8, 1, [4, 2, 1], &PixelScale::ImageNet).contains("3 channels"));
    let zero = PixelScale::Channels {
        mean: vec![0.0; 3],
        deviation: vec![0.0; 3],
    };
    assert!(encode(24, 1, [4, 2, 3], &zero).contains("above 0"));
}

#[test]
fn an_exported_model_decides_the_same() {
    let wave = |at: usize| (at as f32 * 1.3 + 0.4).sin();
    for model in [
        models::gated(),
        models::empty(),
        models::encoded(),
        models::ranked(),
        models::stacked(),
        models::convolved(),
    ] {
        let columns = model.features();
        let encoder = open(&model.to_onnx().unwrap()).unwrap();
        let rows: Vec<f32> = (0..10 * columns).map(wave).collect();
        let encoded = encoder.encode_rows(&rows, columns).unwrap();
        let table = Matrix::from_rows(10, columns, rows.iter().map(|&x| x.into()).collect());
        let expected = model.decide(&table.unwrap()).unwrap();
        assert_eq!(encoded.shape, [10, expected.columns()]);
        for (found, expected) in encoded.values.iter().zip(expected.values()) {
            let found = f64::from(*found);
            assert!(
                (found - expected).abs() < 1e-5 * (1.0 + expected.abs()),
                "{found} {expected}"
            );
        }
        assert!(encoder.encode_rows(&rows, columns + 1).is_err());
        assert!(encoder.with_output("other").is_err());
    }
    // it has names of classes, and the runtime no texts
    let why = open(&models::classifier().to_onnx().unwrap()).unwrap_err();
    assert!(why.to_string().contains("cannot be used"), "{why}");
}

#[test]
fn foreign_and_cut_files_are_refused() {
    assert!(open(b"").is_err());
    assert!(open(b"no model at all").is_err());
    assert!(OnnxEncoder::open(std::path::Path::new("/nowhere/model.onnx")).is_err());
    let whole = words(5, 0, 0);
    assert!(open(&whole).is_ok());
    let refused = (0..whole.len()).filter(|&length| open(&whole[..length]).is_err());
    // a file may end behind the graph, before the list of its operators
    assert!(refused.count() + 20 > whole.len());
}

#[test]
fn no_changed_byte_ends_the_program() {
    let whole = words(5, 0, 0);
    for at in 0..whole.len() {
        for change in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= change;
            if let Ok(encoder) = open(&bytes) {
                let _: Result<Encoded, _> = encoder.encode_tokens(&[vec![1, 2], vec![3]]);
            }
        }
    }
}

#[test]
fn absurd_shapes_are_refused() {
    let why = open(&words(5, 1 << 40, 0)).unwrap_err().to_string();
    assert!(why.contains("no input of an encoder"), "{why}");
    let encoder = open(&words(5, 1 << 24, 1 << 24)).unwrap();
    let why = encoder.encode_tokens(&[vec![1]]).unwrap_err().to_string();
    assert!(why.contains("too many"), "{why}");
}
