//! Files cut off anywhere or with any byte changed give a result, never a panic.

mod sample;

use cronos_data::{ReadOptions, read};
use sample::{Folder, floats, gzip, idx, keep, npy, npz};

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let table = b"a,b,y\n1,2,\"x\"\n3,?,z\n";
    let array = npy("<f8", true, "(2, 2)", &floats(&[1.0, 2.0, 3.0, 4.0]));
    let text = npy("<U1", false, "(2,)", &[97, 0, 0, 0, 98, 0, 0, 0]);
    let images = idx(8, &[2, 1, 2], &[1, 2, 3, 4]);
    vec![
        ("t.csv", table.to_vec()),
        ("t.csv.gz", gzip(table)),
        ("t.txt", b" 1  2  3 \n 4  5  6".to_vec()),
        ("t.svm", b"1 1:2 3:4\n-1 2:5 # x\n".to_vec()),
        ("a.npy", array.clone()),
        ("a.npz", npz(&[("X", array), ("y", text)])),
        ("a.parquet", include_bytes!("parquet/tiny.parquet").to_vec()),
        (
            "b.parquet",
            include_bytes!("parquet/deltas.parquet").to_vec(),
        ),
        ("a.idx", images.clone()),
        ("a-idx3-ubyte.gz", gzip(&images)),
    ]
}

fn try_all(path: &str) -> bool {
    let options = [
        ReadOptions::default(),
        keep(),
        sample::absent(),
        sample::target("-1"),
    ];
    let mut any = false;
    for options in options {
        match read(path, &options) {
            Ok(loaded) => {
                let features = &loaded.train.features;
                assert_eq!(features.values.len(), features.rows * features.columns);
                assert_eq!(features.columns, loaded.train.feature_names.len());
                if let Some(target) = &loaded.train.target {
                    assert_eq!(target.len(), features.rows);
                }
                any = true;
            }
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
    any
}

#[test]
fn whole_samples_are_read() {
    let folder = Folder::new();
    for (name, bytes) in samples() {
        assert!(try_all(&folder.put(name, bytes)), "{name}");
    }
}

#[test]
fn a_file_cut_off_anywhere_does_not_panic() {
    let folder = Folder::new();
    for (name, bytes) in samples() {
        for length in 0..bytes.len() {
            let read = try_all(&folder.put(name, &bytes[..length]));
            // What is framed by sizes or checksums must be noticed to be short.
            let framed = !matches!(name, "t.csv" | "t.txt" | "t.svm");
            assert!(!(framed && read), "{name} cut to {length} bytes was read");
        }
    }
}

#[test]
fn a_file_with_any_byte_changed_does_not_panic() {
    let folder = Folder::new();
    for (name, bytes) in samples() {
        for place in 0..bytes.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[place] ^= change;
                try_all(&folder.put(name, changed));
            }
        }
    }
}

#[test]
fn other_content_under_a_known_name_does_not_panic() {
    let folder = Folder::new();
    let all = samples();
    for (name, _) in &all {
        for (_, bytes) in &all {
            try_all(&folder.put(name, bytes));
        }
        for byte in [0u8, b'"', b',', b'\r', b'(', 0xff] {
            try_all(&folder.put(name, vec![byte; 100_000]));
        }
    }
}
