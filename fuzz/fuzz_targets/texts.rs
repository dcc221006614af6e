//! Texts: JSON lines, tables, plain lines.
#![no_main]

use cronos_data::{TextOptions, read_texts};
use cronos_fuzz::{check_sentence, let_panics_be_caught, named, put};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 6] = [
    "t.jsonl",
    "t.jsonl.gz",
    "t.csv",
    "t.tsv",
    "t.txt",
    "t.parquet",
];

fuzz_target!(init: let_panics_be_caught(), |bytes: &[u8]| {
    if let Some((name, bytes)) = named(bytes, &NAMES) {
        let path = put(name, bytes);
        match read_texts(path.to_str().expect("a plain name"), &TextOptions::default()) {
            Ok(texts) => assert!(texts.texts.iter().all(|text| !text.trim().is_empty())),
            Err(error) => check_sentence(&error),
        }
    }
});
