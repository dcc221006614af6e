//! A folder of photographs.
#![no_main]

use cronos_fuzz::{folder, named, put, read_all};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some((name, bytes)) = named(bytes, &["1.png", "1.jpg"]) {
        let here = folder().join("images");
        // what another name left
        let _ = std::fs::remove_dir_all(&here);
        put(&format!("images/a/{name}"), bytes);
        put(&format!("images/b/{name}"), bytes);
        read_all(&here);
    }
});
