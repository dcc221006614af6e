//! Archives of arrays.

mod sample;

use cronos_data::{ReadOptions, Target, read};
use sample::{Folder, absent, npy, npz, refused, target};

fn grid(rows: usize, columns: usize, first: u8) -> Vec<u8> {
    let values: Vec<u8> = (0..rows * columns).map(|i| first + i as u8).collect();
    npy("|u1", false, &format!("({rows}, {columns})"), &values)
}

fn line(values: &[u8]) -> Vec<u8> {
    npy("|u1", false, &format!("({},)", values.len()), values)
}

fn numbers(values: &[f64]) -> Option<Target> {
    Some(Target::Numbers {
        columns: 1,
        values: values.to_vec(),
    })
}

#[test]
fn usual_names_are_found() {
    let folder = Folder::new();
    for (x, y) in [
        ("X", "y"),
        ("x", "Y"),
        ("data", "target"),
        ("features", "labels"),
    ] {
        let path = folder.put("a.npz", npz(&[(y, line(&[8, 9])), (x, grid(2, 2, 1))]));
        let loaded = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(
            loaded.train.features.values.to_numbers(),
            [1.0, 2.0, 3.0, 4.0]
        );
        assert_eq!(loaded.train.target, numbers(&[8.0, 9.0]));
        assert_eq!(loaded.train.target_name.as_deref(), Some(y));
        assert_eq!(loaded.train.name, "a");
        assert!(loaded.test.is_none());
        assert_eq!(read(&path, &absent()).unwrap().train.target, None);
    }
}

#[test]
fn a_test_part_comes_along() {
    let folder = Folder::new();
    let images = npy("|u1", false, "(2, 2, 2)", &[1; 8]);
    let path = folder.put(
        "mnist.npz",
        npz(&[
            ("x_train", images),
            ("y_train", line(&[0, 1])),
            ("x_test", npy("|u1", false, "(1, 2, 2)", &[2; 4])),
            ("y_test", line(&[1])),
        ]),
    );
    let loaded = read(&path, &ReadOptions::default()).unwrap();
    let test = loaded.test.unwrap();
    assert_eq!(loaded.train.image_shape, Some((2, 2, 1)));
    assert_eq!(test.features.values.to_numbers(), [2.0; 4]);
    assert_eq!(
        (test.target, test.name),
        (numbers(&[1.0]), "mnist-test".to_owned())
    );

    let path = folder.put(
        "wrong.npz",
        npz(&[("x_train", grid(2, 2, 1)), ("x_test", grid(2, 3, 1))]),
    );
    let message = refused(&path, &ReadOptions::default());
    assert!(
        message.contains("3 features but its training part 2"),
        "{message}"
    );
}

#[test]
fn one_array_alone_is_read_like_npy() {
    let folder = Folder::new();
    let path = folder.put("a.npz", npz(&[("arr_0", grid(2, 3, 1))]));
    let data = read(&path, &ReadOptions::default()).unwrap().train;
    assert_eq!(data.features.columns, 2);
    assert_eq!(data.target, numbers(&[3.0, 6.0]));
    let data = read(&path, &target("0")).unwrap().train;
    assert_eq!(data.target, numbers(&[1.0, 4.0]));
}

#[test]
fn the_target_may_be_an_array_by_name_or_a_file() {
    let folder = Folder::new();
    let arrays = [
        ("X", grid(2, 2, 1)),
        ("z", line(&[5, 6])),
        ("y", line(&[0, 1])),
    ];
    let path = folder.put("a.npz", npz(&arrays));
    let data = read(&path, &target("z")).unwrap().train;
    assert_eq!(data.target, numbers(&[5.0, 6.0]));
    let y = folder.put("y.npz", npz(&[("arr_0", line(&[3, 4]))]));
    let data = read(&path, &target(&y)).unwrap().train;
    assert_eq!(data.target, numbers(&[3.0, 4.0]));
    let message = refused(&path, &target("price"));
    assert!(message.contains("no column \"price\""), "{message}");
}

#[test]
fn archives_without_features_or_of_unequal_length_are_refused() {
    let folder = Folder::new();
    let path = folder.put("a.npz", npz(&[("p", grid(1, 2, 1)), ("q", grid(1, 2, 1))]));
    let message = refused(&path, &ReadOptions::default());
    assert!(
        message.contains("none of its arrays \"p\", \"q\""),
        "{message}"
    );
    let path = folder.put("b.npz", npz(&[("X", grid(2, 2, 1)), ("y", line(&[1]))]));
    let message = refused(&path, &ReadOptions::default());
    assert!(
        message.contains("array \"y\": the target has 1 row"),
        "{message}"
    );
    let path = folder.put("c.npz", npz(&[]));
    assert!(refused(&path, &ReadOptions::default()).contains("no arrays"));
    let path = folder.put("d.npz", "not an archive");
    assert!(refused(&path, &ReadOptions::default()).contains("npz archive"));
}

/// Replaces the uncompressed size in both headers of the only entry.
fn declare(mut archive: Vec<u8>, size: u32) -> Vec<u8> {
    for (magic, offset) in [(b"PK\x03\x04", 22), (b"PK\x01\x02", 24)] {
        let place = archive.windows(4).position(|w| w == magic).unwrap();
        archive[place + offset..place + offset + 4].copy_from_slice(&size.to_le_bytes());
    }
    archive
}

#[test]
fn sizes_that_lie_are_refused() {
    let folder = Folder::new();
    let honest = npz(&[("X", grid(2, 2, 1))]);
    let length = grid(2, 2, 1).len() as u32;
    let same = folder.put("same.npz", declare(honest.clone(), length));
    assert!(read(&same, &absent()).is_ok());
    for size in [0, length - 1, length + 1, 4_000_000_000] {
        let path = folder.put("a.npz", declare(honest.clone(), size));
        assert!(!refused(&path, &absent()).is_empty(), "{size}");
    }
    // An entry may not hold more than its own npy header declares.
    let mut bomb = grid(2, 2, 1);
    bomb.extend(vec![0; 1 << 20]);
    let path = folder.put("b.npz", npz(&[("X", bomb.clone())]));
    assert!(refused(&path, &absent()).contains("declares the shape"));
    let path = folder.put("c.npz", declare(npz(&[("X", bomb)]), length));
    let message = refused(&path, &absent());
    assert!(message.contains("damaged"), "{message}");
    // Both headers agree, but so few bytes cannot hold that much.
    let array = npy("|u1", false, "(4000000000, 1)", &[1; 4]);
    let size = 4_000_000_000 + (array.len() as u32 - 4);
    let path = folder.put("d.npz", declare(npz(&[("X", array)]), size));
    let message = refused(&path, &absent());
    assert!(message.contains("packed bytes cannot hold"), "{message}");
}

#[test]
fn a_wrong_checksum_is_refused() {
    let folder = Folder::new();
    let mut archive = npz(&[("X", grid(2, 2, 1))]);
    for (magic, offset) in [(b"PK\x03\x04", 14), (b"PK\x01\x02", 16)] {
        let place = archive.windows(4).position(|w| w == magic).unwrap();
        archive[place + offset] ^= 1;
    }
    let message = refused(&folder.put("a.npz", archive), &absent());
    assert!(message.contains("damaged"), "{message}");
}
