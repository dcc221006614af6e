//! Encoders in a folder: settings, tokenizer, weights.
#![no_main]

use cronos_deep::language::TextEncoder;
use cronos_fuzz::{check_sentence, folder, let_panics_be_caught, parts, put};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: let_panics_be_caught(), |bytes: &[u8]| {
    let Some([config, tokenizer, weights]) = parts(bytes) else {
        return;
    };
    put("encoder/config.json", config);
    put("encoder/tokenizer.json", tokenizer);
    put("encoder/model.safetensors", weights);
    match TextEncoder::open(&folder().join("encoder")) {
        Err(error) => check_sentence(&error),
        Ok(encoder) => {
            let pool = encoder.usual_pool();
            if let Err(error) = encoder.check(pool, 8) {
                return check_sentence(&error);
            }
            let cut = encoder.cut(&["a b", "ab ba"], 8);
            match cut.and_then(|texts| encoder.features(&texts, pool, 8)) {
                Ok(features) => assert_eq!(features.len(), 2 * encoder.columns(pool, 8)),
                Err(error) => check_sentence(&error),
            }
        }
    }
});
