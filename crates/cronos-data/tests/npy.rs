//! NumPy arrays, written byte by byte.

mod sample;

use cronos_data::{ReadOptions, Target, TargetColumn, read};
use sample::{Folder, absent, floats, keep, loaded, npy, npy_header, refused, target};

fn refusal(bytes: Vec<u8>, options: &ReadOptions) -> String {
    let folder = Folder::new();
    refused(&folder.put("a.npy", bytes), options)
}

fn array(bytes: Vec<u8>, options: &ReadOptions) -> cronos_data::Dataset {
    let folder = Folder::new();
    loaded(&folder.put("a.npy", bytes), options)
}

#[test]
fn every_type_and_byte_order_is_read() {
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("<f8", floats(&[1.0, 2.0, 0.0, 1.0])),
        (
            ">f8",
            [1f64, 2.0, 0.0, 1.0]
                .iter()
                .flat_map(|v| v.to_be_bytes())
                .collect(),
        ),
        (
            "<f4",
            [1f32, 2.0, 0.0, 1.0]
                .iter()
                .flat_map(|v| v.to_le_bytes())
                .collect(),
        ),
        (
            ">f4",
            [1f32, 2.0, 0.0, 1.0]
                .iter()
                .flat_map(|v| v.to_be_bytes())
                .collect(),
        ),
        ("|i1", vec![1, 2, 0, 1]),
        ("|u1", vec![1, 2, 0, 1]),
        ("<i2", vec![1, 0, 2, 0, 0, 0, 1, 0]),
        (">u2", vec![0, 1, 0, 2, 0, 0, 0, 1]),
        (
            "<u4",
            [1u32, 2, 0, 1]
                .iter()
                .flat_map(|v| v.to_le_bytes())
                .collect(),
        ),
        (
            ">i4",
            [1i32, 2, 0, 1]
                .iter()
                .flat_map(|v| v.to_be_bytes())
                .collect(),
        ),
        (
            "<i8",
            [1i64, 2, 0, 1]
                .iter()
                .flat_map(|v| v.to_le_bytes())
                .collect(),
        ),
        (
            ">u8",
            [1u64, 2, 0, 1]
                .iter()
                .flat_map(|v| v.to_be_bytes())
                .collect(),
        ),
    ];
    for (descr, bytes) in cases {
        let data = array(npy(descr, false, "(2, 2)", &bytes), &absent());
        assert_eq!(
            data.features.values.to_numbers(),
            [1.0, 2.0, 0.0, 1.0],
            "{descr}"
        );
        assert_eq!((data.features.rows, data.features.columns), (2, 2));
    }
    let data = array(npy("|b1", false, "(2, 2)", &[1, 0, 0, 1]), &absent());
    assert_eq!(data.features.values.to_numbers(), [1.0, 0.0, 0.0, 1.0]);
    let data = array(npy("|i1", false, "(1, 2)", &[0xff, 0x80]), &absent());
    assert_eq!(data.features.values.to_numbers(), [-1.0, -128.0]);
}

#[test]
fn fortran_order_is_turned_into_rows() {
    let bytes = floats(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let data = array(npy("<f8", true, "(2, 3)", &bytes), &absent());
    assert_eq!(
        data.features.values.to_numbers(),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
    // Element (i, j, k) of shape (2, 2, 3) holds 100 i + 10 j + k.
    let mut bytes = Vec::new();
    for k in 0..3u8 {
        for j in 0..2u8 {
            for i in 0..2u8 {
                bytes.push(100 * i + 10 * j + k);
            }
        }
    }
    let data = array(npy("|u1", true, "(2, 2, 3)", &bytes), &absent());
    let row = [100.0, 101.0, 102.0, 110.0, 111.0, 112.0];
    assert_eq!(data.features.row(1), row);
}

#[test]
fn the_target_is_the_last_column_or_the_one_named() {
    let bytes = npy("|u1", false, "(2, 3)", &[1, 2, 3, 4, 5, 6]);
    let data = array(bytes.clone(), &ReadOptions::default());
    assert_eq!(data.features.values.to_numbers(), [1.0, 2.0, 4.0, 5.0]);
    assert_eq!(data.feature_names, ["x0", "x1"]);
    let values = vec![3.0, 6.0];
    assert_eq!(data.target, Some(Target::Numbers { columns: 1, values }));
    let data = array(bytes, &target("1"));
    assert_eq!(data.features.values.to_numbers(), [1.0, 3.0, 4.0, 6.0]);
}

#[test]
fn images_keep_their_shape_and_lose_no_pixel() {
    let data = array(
        npy("|u1", false, "(2, 3, 2)", &[1; 12]),
        &ReadOptions::default(),
    );
    assert_eq!(data.image_shape, Some((3, 2, 1)));
    assert_eq!((data.features.columns, data.target), (6, None));
    let data = array(
        npy("|u1", false, "(1, 2, 2, 3)", &[1; 12]),
        &ReadOptions::default(),
    );
    assert_eq!(data.image_shape, Some((2, 2, 3)));
    let data = array(
        npy("|u1", false, "(1, 1, 2, 2, 3)", &[1; 12]),
        &ReadOptions::default(),
    );
    assert_eq!((data.image_shape, data.features.columns), (None, 12));
}

#[test]
fn a_target_file_may_hold_text_or_several_columns() {
    let folder = Folder::new();
    let x = folder.put("x.npy", npy("|u1", false, "(2, 2)", &[1, 2, 3, 4]));
    let unicode: Vec<u8> = "no\0yes"
        .chars()
        .flat_map(|c| (c as u32).to_le_bytes())
        .collect();
    let y = folder.put("y.npy", npy("<U3", false, "(2,)", &unicode));
    let expected = Some(Target::Text(vec!["no".into(), "yes".into()]));
    assert_eq!(loaded(&x, &target(&y)).target, expected);
    assert_eq!(loaded(&x, &target(&y)).target_name.as_deref(), Some("y"));
    let y = folder.put("y.npy", npy("|S3", false, "(2, 1)", b"no\0yes"));
    assert_eq!(loaded(&x, &target(&y)).target, expected);
    let y = folder.put(
        "y.npy",
        npy("<f8", false, "(2, 2)", &floats(&[1.0, 2.0, 3.0, 4.5])),
    );
    let values = vec![1.0, 2.0, 3.0, 4.5];
    let expected = Some(Target::Numbers { columns: 2, values });
    assert_eq!(loaded(&x, &target(&y)).target, expected);
    let y = folder.put(
        "y.npy",
        npy("<f8", false, "(2,)", &floats(&[1.0, f64::NAN])),
    );
    let message = read(&x, &target(&y)).unwrap_err().to_string();
    assert_eq!(
        message,
        format!("{y}: row 2: missing target value; fill it or drop the row")
    );
}

#[test]
fn missing_and_infinite_values_are_refused_with_row_and_column() {
    let bytes = |bad| {
        npy(
            "<f8",
            false,
            "(2, 3)",
            &floats(&[1.0, 2.0, 3.0, 4.0, bad, 6.0]),
        )
    };
    assert_eq!(
        refusal(bytes(f64::NAN), &absent()),
        ": row 2, column 1 (counting from 0): missing value; fill it, drop the row, or fit with \
         --impute mean|median"
    );
    // Behind a target taken out of the middle, columns keep the numbers of the file.
    let message = refusal(bytes(f64::NAN), &target("0"));
    assert!(message.starts_with(": row 2, column 1 "), "{message}");
    let message = refusal(bytes(f64::INFINITY), &keep());
    let expected = ": row 2, column 1 (counting from 0): \"inf\" is infinite";
    assert!(message.starts_with(expected), "{message}");
    assert!(array(bytes(f64::NAN), &keep()).features.values.to_numbers()[3].is_nan());
}

#[test]
fn one_dimension_is_refused_as_features() {
    let message = refusal(npy("|u1", false, "(2,)", &[1, 2]), &ReadOptions::default());
    assert!(
        message.contains("a 1-D array does not tell rows from columns"),
        "{message}"
    );
    assert!(message.contains("reshape"), "{message}");
    let message = refusal(npy("|u1", false, "()", &[1]), &ReadOptions::default());
    assert!(message.contains("0-D"), "{message}");
    let message = refusal(npy("|S1", false, "(1, 2)", b"ab"), &absent());
    assert!(message.contains("it holds text"), "{message}");
}

#[test]
fn expected_features_are_counted() {
    let names = ["a".to_owned(), "b".to_owned()];
    let options = ReadOptions {
        target: TargetColumn::Auto,
        expected_features: Some(&names),
        ..ReadOptions::default()
    };
    let data = array(npy("|u1", false, "(1, 2)", &[1, 2]), &options);
    assert_eq!((data.feature_names, data.target), (names.to_vec(), None));
    let data = array(npy("|u1", false, "(1, 3)", &[1, 2, 3]), &options);
    assert_eq!(data.target.unwrap().len(), 1);
    let message = refusal(npy("|u1", false, "(1, 4)", &[1; 4]), &options);
    assert!(
        message.contains("4 columns, but the model needs 2"),
        "{message}"
    );
}

#[test]
fn headers_that_lie_are_refused() {
    for shape in [
        "(1000000000000000000, 1)",
        "(4294967296, 4294967296)",
        "(18446744073709551615, 18446744073709551615)",
        "(99999999999999999999999, 1)",
        "(3, 1)",
        "(1, 1)",
    ] {
        let message = refusal(npy("<f8", false, shape, &floats(&[1.0, 2.0])), &absent());
        assert!(message.contains("declares the shape"), "{shape}: {message}");
    }
    for shape in ["(0, 3)", "(3, 0)"] {
        let message = refusal(npy("<f8", false, shape, &[]), &absent());
        assert!(message.contains("no elements"), "{message}");
    }
    // Elements of no size would make any shape fit an empty file.
    for descr in ["<U0", "|S0", "<f2", "<c8", "|O", "|V3"] {
        let message = refusal(npy(descr, false, "(1000000000000000000,)", &[]), &absent());
        assert!(!message.is_empty(), "{descr}");
    }
    // whatever pickle would make of what is in there
    let message = refusal(npy("|O", false, "(1,)", b"\x80\x04N."), &absent());
    assert!(message.contains("|O"), "{message}");
    let message = refusal(npy("<f2", false, "(1, 2)", &[0; 4]), &absent());
    assert!(message.contains("<f2"), "{message}");
    let nested = "(".repeat(9000);
    for header in [
        nested.as_str(),
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), 'shape': (1, 1), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 5, 'x': (1, 1)}",
        "{'descr': '<f8', 'shape': (1, 2), }",
        "[]",
        "",
    ] {
        refusal(npy_header(header, &floats(&[1.0, 2.0])), &absent());
    }
    let mut huge = b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec();
    huge.extend([b' '; 50]);
    let message = refusal(huge, &absent());
    assert!(message.contains("4294967295 bytes"), "{message}");
    let message = refusal(b"hello, I am not an array".to_vec(), &absent());
    assert!(message.contains("not an npy file"), "{message}");
}
