//! Model files. What is read is written again, and is the same.
#![no_main]

use cronos::Model;
use cronos_fuzz::check_sentence;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match Model::from_bytes(bytes) {
        Ok(model) => {
            let again = model.to_bytes().expect("what was read can be written");
            Model::from_bytes(&again).expect("what was written can be read");
        }
        Err(error) => check_sentence(&error),
    }
});
