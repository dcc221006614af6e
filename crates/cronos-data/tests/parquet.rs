//! Parquet files as pyarrow writes them, next to the same table as text.

mod sample;

use cronos_data::{
    Dataset, Missing, ReadOptions, Target, TargetColumn, TextOptions, read, read_texts,
};
use sample::{Folder, loaded};

fn file(name: &str) -> String {
    format!("{}/tests/parquet/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn options(target: &str, drop: &[&str]) -> ReadOptions<'static> {
    ReadOptions {
        target: TargetColumn::Named(target.into()),
        drop: drop.iter().map(|&name| name.to_owned()).collect(),
        missing: Missing::Keep,
        ..ReadOptions::default()
    }
}

fn bits(data: &Dataset) -> Vec<u64> {
    let numbers = data.features.values.to_numbers().into_iter();
    numbers
        .map(|value| if value.is_nan() { f64::NAN } else { value }.to_bits())
        .collect()
}

/// Every kind of number, with missing ones, several groups of rows, with dictionaries and without,
/// and both versions of pages.
#[test]
fn every_kind_and_codec_is_the_table_as_text() {
    let text = loaded(&file("kinds.csv"), &options("kind", &[]));
    assert!(text.features.values.missing() > 10);
    for codec in ["snappy", "zstd", "gzip", "lz4", "plain1", "plain2"] {
        let path = file(&format!("{codec}.parquet"));
        for in_file in [false, true] {
            let options = ReadOptions {
                in_file,
                ..options("kind", &[])
            };
            let found = loaded(&path, &options);
            assert_eq!(found.feature_names, text.feature_names);
            assert_eq!(bits(&found), bits(&text), "{codec}");
            assert_eq!(found.target, text.target);
        }
        for target in ["flag", "whole", "price"] {
            let [found, text] =
                [&path, &file("kinds.csv")].map(|path| loaded(path, &options(target, &["kind"])));
            match (target, found.target, text.target) {
                // a truth value is a class with a name
                ("flag", Some(Target::Text(found)), Some(Target::Numbers { values, .. })) => {
                    let named = values.iter().map(|&value| (value == 1.0).to_string());
                    assert!(named.eq(found));
                }
                (_, found, text) => assert_eq!(found, text),
            }
        }
    }
}

#[test]
fn what_is_no_number_is_refused_or_dropped() {
    let path = file("others.parquet");
    let refused = |options: &ReadOptions<'_>| read(&path, options).unwrap_err().to_string();
    for (first, drop) in [
        ("row 1, column \"when\": it is a date or time", &[][..]),
        ("row 1, column \"list\": it is a list", &["when", "day"]),
        (
            "row 1, column \"pair\": it is a list or structure",
            &["when", "day", "list"],
        ),
    ] {
        let why = refused(&options("y", drop));
        assert!(why.contains(first) && why.contains("drop it"), "{why}");
    }
    let why = refused(&options("day", &["when", "list", "pair", "y"]));
    assert!(why.contains("neither a number nor a text"), "{why}");

    let left = loaded(&path, &options("y", &["when", "day", "list", "pair"]));
    assert_eq!(left.feature_names, ["a", "b"]);
    assert_eq!(left.features.at(3, 1), 1.0);
    // the index of a data frame comes last, where a target is looked for
    assert!(left.remarks[0].contains("__index_level_0__"));
    let auto = ReadOptions {
        target: TargetColumn::Auto,
        ..options("", &["when", "day", "list", "pair"])
    };
    assert_eq!(loaded(&path, &auto).target_name.as_deref(), Some("y"));
}

/// Rows are read a few thousand at a time; a message counts them from the first of the file.
#[test]
fn rows_are_counted_through_all_groups() {
    let path = file("long.parquet");
    let data = loaded(&path, &options("y", &[]));
    assert_eq!(data.features.rows, 12_000);
    for row in [0, 4_096, 5_999, 6_000, 10_499, 10_501, 11_999] {
        let numbers = [0, 1].map(|column| data.features.at(row, column));
        assert_eq!(numbers, [row as f64, (row % 9) as f64]);
    }
    assert_eq!(data.features.values.missing(), 1);
    let refusing = ReadOptions {
        missing: Missing::Refuse,
        ..options("y", &[])
    };
    let why = read(&path, &refusing).unwrap_err().to_string();
    assert!(why.contains("row 10501, column \"b\""), "{why}");
}

/// Integers without a sign in wider ones, decimals in bytes, times of 96 bits.
#[test]
fn the_oldest_types_are_read() {
    let path = file("old.parquet");
    let data = loaded(&path, &options("y", &["when"]));
    let row = |at: usize| [0, 1, 2].map(|column| data.features.at(at, column));
    assert_eq!(row(0), [250.0, 4e9, -1.5]);
    assert_eq!(row(1), [3.0, 1.0, 2.75]);
    let why = read(&path, &options("y", &[])).unwrap_err().to_string();
    assert!(
        why.contains("column \"when\": it is a date or time"),
        "{why}"
    );
    // the weight of a row, as in a text table
    let weighted = ReadOptions {
        weight: cronos_data::WeightColumn::Named("u".into()),
        ..options("y", &["when"])
    };
    let weights = loaded(&path, &weighted).weights;
    assert_eq!(weights, Some(vec![250.0, 3.0, 4.0, 5.0]));
}

/// A page that says to have far more texts than it has values is refused before room is made for
/// them.
#[test]
fn lengths_that_lie_are_refused() {
    let whole = std::fs::read(file("deltas.parquet")).unwrap();
    let folder = Folder::new();
    // blocks of 128 differences in four parts, of six lengths
    let header = [0x80, 0x01, 0x04, 0x06];
    let places = whole.windows(4).enumerate();
    let places: Vec<usize> = places
        .filter(|(_, window)| *window == header)
        .map(|(place, _)| place)
        .collect();
    assert_eq!(places.len(), 3);
    for place in places {
        for count in [7, 0x7f] {
            let mut bytes = whole.clone();
            bytes[place + 3] = count;
            let path = folder.put("a.parquet", &bytes);
            let why = read(&path, &options("y", &[])).unwrap_err().to_string();
            assert!(why.contains("values where at most 6 can be"), "{why}");
        }
    }
}

#[test]
fn texts_are_read() {
    let options = TextOptions {
        text: Some("kind".into()),
        target: TargetColumn::Named("byte".into()),
    };
    let [found, text] =
        ["zstd.parquet", "kinds.csv"].map(|name| read_texts(&file(name), &options).unwrap());
    assert_eq!(found.texts, text.texts);
    assert_eq!(found.data.target, text.data.target);
    // a column that is not the texts is not read behind the first rows
    let options_of_long = TextOptions {
        text: Some("y".into()),
        target: TargetColumn::Absent,
    };
    let long = read_texts(&file("long.parquet"), &options_of_long).unwrap();
    assert_eq!(long.texts.len(), 12_000);
    assert!(long.texts.chunks(2).all(|pair| *pair == ["n", "p"]));
    let missing = TextOptions {
        target: TargetColumn::Named("small".into()),
        ..options
    };
    let why = read_texts(&file("zstd.parquet"), &missing).unwrap_err();
    let why = why.to_string();
    assert!(why.contains("row 4, column \"small\""), "{why}");
}

#[test]
fn other_files_with_that_name_are_refused() {
    let folder = Folder::new();
    for bytes in [
        &b""[..],
        b"PAR1",
        b"a,b\n1,2\n",
        b"PAR1\xff\xff\xff\xffPAR1",
    ] {
        let path = folder.put("a.parquet", bytes);
        let why = read(&path, &ReadOptions::default()).unwrap_err();
        assert!(why.is_input(), "{why}");
        assert!(why.to_string().contains("a.parquet"), "{why}");
    }
}
