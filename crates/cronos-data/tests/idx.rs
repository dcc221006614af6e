//! IDX files.

mod sample;

use cronos_data::{ReadOptions, Target, read};
use sample::{Folder, absent, gzip, idx, loaded, refused, target};

fn numbers(values: &[f64]) -> Option<Target> {
    Some(Target::Numbers {
        columns: 1,
        values: values.to_vec(),
    })
}

#[test]
fn labels_are_found_beside_the_images() {
    let images = idx(
        0x08,
        &[2, 2, 3],
        &[0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255],
    );
    let labels = idx(0x08, &[2], &[7, 9]);
    for (x, y) in [
        ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
        ("train-images.idx3-ubyte", "train-labels.idx1-ubyte"),
        ("some-images.idx", "some-labels.idx"),
    ] {
        for (packed_x, packed_y) in [(false, false), (true, true), (true, false), (false, true)] {
            let folder = Folder::new();
            let put = |name: &str, bytes: &[u8], packed| match packed {
                true => folder.put(&format!("{name}.gz"), gzip(bytes)),
                false => folder.put(name, bytes),
            };
            put(y, &labels, packed_y);
            let data = loaded(&put(x, &images, packed_x), &ReadOptions::default());
            assert_eq!(data.image_shape, Some((2, 3, 1)));
            assert_eq!(
                data.features.row(1),
                [250.0, 251.0, 252.0, 253.0, 254.0, 255.0]
            );
            assert_eq!(data.target, numbers(&[7.0, 9.0]));
            assert_eq!(data.feature_names[5], "x5");
        }
    }
}

#[test]
fn images_without_labels_have_no_target() {
    let folder = Folder::new();
    let path = folder.put("a-images-idx3-ubyte", idx(8, &[1, 2, 2], &[1, 2, 3, 4]));
    assert_eq!(loaded(&path, &ReadOptions::default()).target, None);
    let labels = folder.put("other.idx", idx(8, &[1], &[3]));
    assert_eq!(loaded(&path, &target(&labels)).target, numbers(&[3.0]));
    folder.put("a-labels-idx1-ubyte", idx(8, &[1], &[5]));
    assert_eq!(
        loaded(&path, &ReadOptions::default()).target,
        numbers(&[5.0])
    );
    assert_eq!(loaded(&path, &absent()).target, None);
    // This is what the target is called, so it may be asked for.
    assert_eq!(loaded(&path, &target("label")).target, numbers(&[5.0]));
}

#[test]
fn a_folder_gives_both_parts() {
    let folder = Folder::new();
    folder.put("train-images-idx3-ubyte", idx(8, &[2, 1, 2], &[1, 2, 3, 4]));
    folder.put("train-labels-idx1-ubyte", idx(8, &[2], &[0, 1]));
    folder.put(
        "t10k-images-idx3-ubyte.gz",
        gzip(&idx(8, &[1, 1, 2], &[5, 6])),
    );
    folder.put("t10k-labels-idx1-ubyte.gz", gzip(&idx(8, &[1], &[1])));
    let both = read(&folder.path(""), &ReadOptions::default()).unwrap();
    let test = both.test.unwrap();
    assert_eq!(
        both.train.features.values.to_numbers(),
        [1.0, 2.0, 3.0, 4.0]
    );
    assert_eq!(both.train.target, numbers(&[0.0, 1.0]));
    assert_eq!(test.features.values.to_numbers(), [5.0, 6.0]);
    assert_eq!(test.target, numbers(&[1.0]));
    assert_eq!(test.name, format!("{}-test", both.train.name));

    let message = refused(&Folder::new().path(""), &ReadOptions::default());
    assert!(message.contains("no IDX file train-images"), "{message}");
}

#[test]
fn every_type_is_read() {
    let cases: Vec<(u8, Vec<u8>)> = vec![
        (0x09, vec![0xff, 2]),
        (0x0b, vec![0xff, 0xff, 0, 2]),
        (
            0x0c,
            [-1i32, 2].iter().flat_map(|v| v.to_be_bytes()).collect(),
        ),
        (
            0x0d,
            [-1f32, 2.0].iter().flat_map(|v| v.to_be_bytes()).collect(),
        ),
        (
            0x0e,
            [-1f64, 2.0].iter().flat_map(|v| v.to_be_bytes()).collect(),
        ),
    ];
    let folder = Folder::new();
    for (kind, bytes) in cases {
        let path = folder.put("a.idx", idx(kind, &[1, 2], &bytes));
        assert_eq!(
            loaded(&path, &absent()).features.values.to_numbers(),
            [-1.0, 2.0],
            "{kind}"
        );
    }
}

#[test]
fn headers_that_lie_are_refused() {
    let folder = Folder::new();
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (
            idx(8, &[3, 2], &[1; 5]),
            "declares [3, 2], 6 elements, but it ends after 5",
        ),
        (
            idx(8, &[3, 2], &[1; 7]),
            "declares [3, 2], but it holds more",
        ),
        (idx(8, &[u32::MAX, u32::MAX], &[1; 7]), "ends after 7"),
        (idx(8, &[u32::MAX; 3], &[1; 7]), "more than there can be"),
        (idx(8, &[0, 2], &[]), "no elements"),
        (idx(7, &[1, 1], &[1]), "does not start like an IDX file"),
        (idx(8, &[], &[1]), "does not start like an IDX file"),
        (vec![1, 2, 8, 1, 0], "does not start like an IDX file"),
        (vec![0, 0, 8], "damaged or cut off"),
        (idx(8, &[2], &[1, 2]), "1-D array"),
    ];
    for (bytes, expected) in cases {
        for packed in [false, true] {
            let bytes = if packed { gzip(&bytes) } else { bytes.clone() };
            let message = refused(&folder.put("a.idx", bytes), &absent());
            assert!(message.contains(expected), "{message}");
        }
    }
    let path = folder.put("b-images.idx", idx(8, &[2, 1], &[1, 2]));
    folder.put("b-labels.idx", idx(8, &[3], &[1, 2, 3]));
    let error = read(&path, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("the target has 3 rows"), "{error}");
}
