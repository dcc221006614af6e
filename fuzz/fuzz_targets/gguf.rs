//! Encoders in one GGUF file.
#![no_main]

use cronos_deep::language::TextEncoder;
use cronos_deep::language::gguf::Gguf;
use cronos_fuzz::{check_sentence, put};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let path = put("m.gguf", bytes);
    match Gguf::open(&path) {
        Err(error) => check_sentence(&error),
        Ok(file) => {
            for tensor in file.tensors() {
                if let Err(error) = file.tensor(&tensor.name) {
                    check_sentence(&error);
                }
            }
            if let Err(error) = TextEncoder::open(&path) {
                check_sentence(&error);
            }
        }
    }
});
