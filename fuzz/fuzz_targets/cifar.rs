//! A folder of the binary files of CIFAR-10.
#![no_main]

use cronos_fuzz::{folder, parts, put, read_all};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some([names, train, test]) = parts(bytes) {
        put("cifar/batches.meta.txt", names);
        put("cifar/data_batch_1.bin", train);
        put("cifar/test_batch.bin", test);
        read_all(&folder().join("cifar"));
    }
});
