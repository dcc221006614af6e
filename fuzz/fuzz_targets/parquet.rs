//! Parquet files.
#![no_main]

use cronos_fuzz::{let_panics_be_caught, put, read_all};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: let_panics_be_caught(), |bytes: &[u8]| {
    read_all(&put("a.parquet", bytes));
});
