//! Arrays of numpy.
#![no_main]

use cronos_fuzz::{named, put, read_all};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some((name, bytes)) = named(bytes, &["a.npy", "a.npz"]) {
        read_all(&put(name, bytes));
    }
});
