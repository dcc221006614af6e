//! States that a fit or a deep network goes on from.
#![no_main]

use cronos_fuzz::check_sentence;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = cronos::Checkpoint::from_bytes(bytes) {
        check_sentence(&error);
    }
    if let Err(error) = cronos_deep::Checkpoint::from_bytes(bytes) {
        check_sentence(&error);
    }
});
