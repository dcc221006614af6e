//! Features that stay in their npy file are the same numbers as those that are read at once.

mod sample;

use cronos_data::{Dataset, ReadOptions, TargetColumn, Values};
use sample::{Folder, loaded, npy};

const ROWS: usize = 700;
const COLUMNS: usize = 5;

/// An array of so many rows, as NumPy would write it.
fn file(kind: &str) -> Vec<u8> {
    let numbers = (0..ROWS * COLUMNS).map(|at| (at * 37 % 251) as f64);
    let bytes: Vec<u8> = match kind {
        "<f4" => numbers.flat_map(|v| (v as f32).to_le_bytes()).collect(),
        ">f8" => numbers.flat_map(f64::to_be_bytes).collect(),
        "|u1" => numbers.map(|v| v as u8).collect(),
        _ => numbers.flat_map(f64::to_le_bytes).collect(),
    };
    npy(kind, false, &format!("({ROWS}, {COLUMNS})"), &bytes)
}

fn both(folder: &Folder, kind: &str, target: TargetColumn) -> [Dataset; 2] {
    let path = folder.put("a.npy", file(kind));
    [false, true].map(|in_file| {
        let options = ReadOptions {
            target: target.clone(),
            in_file,
            ..ReadOptions::default()
        };
        loaded(&path, &options)
    })
}

#[test]
fn the_same_numbers_names_targets_and_fingerprints() {
    for kind in ["<f4", "<f8", "|u1"] {
        for target in [
            TargetColumn::Absent,
            TargetColumn::Auto,
            TargetColumn::Named("2".into()),
        ] {
            let folder = Folder::new();
            let [read, stored] = both(&folder, kind, target);
            assert!(
                matches!(stored.features.values, Values::Stored(_)),
                "{kind}"
            );
            let numbers = |data: &Dataset| data.features.values.to_numbers();
            assert_eq!(numbers(&read), numbers(&stored));
            assert_eq!(read.target, stored.target);
            assert_eq!(read.feature_names, stored.feature_names);
            assert_eq!(read.fingerprint(), stored.fingerprint(), "{kind}");
            assert_eq!(read.features.varies(), stored.features.varies());
            assert_eq!(read.features.at(699, 1), stored.features.at(699, 1));
            // some of the rows, of those again some, in any order
            let rows: Vec<usize> = (0..ROWS).rev().step_by(3).collect();
            let [some, few] = [&read, &stored].map(|data| {
                let some = data.select(&rows).select(&[5, 6, 7, 0, 100]);
                (numbers(&some), some.target)
            });
            assert_eq!(some, few);
            let ascending: Vec<usize> = (10..300).collect();
            let [kept, also] =
                [read, stored].map(|data| data.features.keep(&ascending).values.to_numbers());
            assert_eq!(kept, also);
        }
    }
}

/// What cannot stay in its file is read as ever.
#[test]
fn other_types_are_read() {
    let folder = Folder::new();
    let [read, stored] = both(&folder, ">f8", TargetColumn::Auto);
    assert_eq!(read, stored);
}

#[test]
fn a_file_that_was_cut_off_since() {
    let folder = Folder::new();
    let [_, stored] = both(&folder, "<f4", TargetColumn::Absent);
    let whole = stored.fingerprint();
    folder.put("a.npy", &file("<f4")[..2000]);
    let Values::Stored(values) = &stored.features.values else {
        panic!("it stays in its file");
    };
    let mut row = [0.0; COLUMNS];
    values.read(0..1, &mut row).expect("the first row is there");
    let why = values.read(699..700, &mut row).expect_err("it is cut off");
    assert!(why.to_string().contains("a.npy"), "{why}");
    assert!(values.numbers(699..700).iter().all(|value| value.is_nan()));
    assert_ne!(stored.fingerprint(), whole);
}
