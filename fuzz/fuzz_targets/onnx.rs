//! Encoders as ONNX files.
#![no_main]

use cronos_deep::language::onnx::OnnxEncoder;
use cronos_fuzz::{check_sentence, let_panics_be_caught, put};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: let_panics_be_caught(), |bytes: &[u8]| {
    if let Err(error) = OnnxEncoder::open(&put("m.onnx", bytes)) {
        check_sentence(&error);
    }
});
