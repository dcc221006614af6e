//! Features that stay in a file are the same numbers as those that are read at once.

mod sample;

use cronos_data::{Dataset, Missing, ReadOptions, TargetColumn, Values, WeightColumn};
use sample::{Folder, gzip, loaded, npy};

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

/// A table has a column that counts, a target, weights and missing values, and is larger than what
/// is written at a time.
#[test]
fn text_tables_go_to_a_temporary_file() {
    let folder = Folder::new();
    let mut text = String::from("id,a,b,c,d,e,f,g,h,class,w\n");
    for row in 0..70_000 {
        let value = |at: usize| match (row + at) % 997 {
            0 => String::new(),
            left => format!("{}", left as f64 / 7.0),
        };
        let values: Vec<String> = (0..8).map(value).collect();
        let class = ["x", "y"][row % 2];
        text += &format!("{row},{},{class},{}\n", values.join(","), row % 3 + 1);
    }
    let plain = folder.put("t.csv", &text);
    let packed = folder.put("t.csv.gz", gzip(text.as_bytes()));
    let open = |path: &str, in_file: bool| {
        let options = ReadOptions {
            weight: WeightColumn::Named("w".into()),
            missing: Missing::Keep,
            in_file,
            ..ReadOptions::default()
        };
        loaded(path, &options)
    };
    let read = open(&plain, false);
    assert!(read.remarks.is_empty());
    for path in [&plain, &packed] {
        let stored = open(path, true);
        assert!(matches!(stored.features.values, Values::Stored(_)));
        assert_eq!(stored.remarks.len(), 1, "{:?}", stored.remarks);
        assert_eq!(
            (stored.features.rows, stored.features.columns),
            (70_000, 8),
            "the column that counts is left out"
        );
        let bits = |data: &Dataset| -> Vec<u64> {
            let numbers = data.features.values.to_numbers();
            numbers.into_iter().map(f64::to_bits).collect()
        };
        assert!(bits(&read) == bits(&stored));
        assert_eq!(
            read.features.values.missing(),
            stored.features.values.missing()
        );
        assert_eq!(read.feature_names, stored.feature_names);
        assert_eq!(read.counting, stored.counting);
        assert_eq!(read.target, stored.target);
        assert_eq!(read.weights, stored.weights);
        assert_eq!(read.fingerprint(), stored.fingerprint());
    }
}

/// A value that is refused is refused with its line, wherever the others are.
#[test]
fn a_text_table_is_checked_as_it_is_read() {
    let folder = Folder::new();
    let path = folder.put("t.csv", "a,b,y\n1,2,0\n3,four,1\n");
    let options = ReadOptions {
        in_file: true,
        ..ReadOptions::default()
    };
    let why = cronos_data::read(&path, &options).expect_err("four is no number");
    let why = why.to_string();
    assert!(why.contains("line 3") && why.contains("four"), "{why}");
}
