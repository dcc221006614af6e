//! Text tables, packed or not.
#![no_main]

use cronos_fuzz::{named, put, read_all};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some((name, bytes)) = named(bytes, &["t.csv", "t.tsv", "t.txt", "t.svm", "t.csv.gz"]) {
        read_all(&put(name, bytes));
    }
});
