//! Headers and numbers that are not what they say.

use crate::shell::Folder;
use crate::shell::tables::{bytes_npy, corners, header, idx, npz};
use crate::{is_refused, refused};

/// Sizes whose product is small again once it has overflown, that are negative, or that no machine has.
#[test]
fn sizes_that_overflow() {
    for shape in [
        "(4294967296, 4294967296)",
        "(1152921504606846976, 16)",
        "(-1, 2)",
        "(-9223372036854775808, -1)",
        "(2, 99999999999999999999)",
    ] {
        let array = [header("<f8", shape), vec![0; 16]].concat();
        is_refused("x.npy", &array);
        is_refused("x.npz", npz(&[("X", array), ("y", header("<f8", "(2,)"))]));
    }
    for shape in [&[u32::MAX, u32::MAX, u32::MAX][..], &[1 << 31, 2, 1 << 31]] {
        is_refused("x-idx3-ubyte", idx(shape, &[0; 16]));
    }
    let mut parquet = b"PAR1".to_vec();
    parquet.extend([0; 64]);
    parquet.extend(i32::MAX.to_le_bytes());
    parquet.extend(b"PAR1");
    is_refused("t.parquet", parquet);
}

/// Numbers that are none, of every sign and with a message in their bits.
#[test]
fn numbers_that_are_none() {
    for bits in [
        0x7ff0_0000_0000_0001u64,
        0xfff8_dead_beef_cafe,
        f64::NEG_INFINITY.to_bits(),
    ] {
        let mut array = header("<f8", "(4, 2)");
        for value in [1.0, 0.0, 2.0, 1.0, 3.0, 0.0, 4.0, 1.0f64] {
            array.extend(value.to_bits().to_le_bytes());
        }
        let place = array.len() - 4 * 8;
        array[place..place + 8].copy_from_slice(&bits.to_le_bytes());
        let sentence = is_refused("x.npy", array);
        assert!(sentence.contains("row 3"), "{bits:x}: {sentence}");
    }
}

/// The same name for two columns, or for two arrays of an archive.
#[test]
fn names_that_appear_twice() {
    let sentence = is_refused("t.csv", "a,a,y\n1,2,no\n2,1,yes\n");
    assert!(sentence.contains("\"a\""), "{sentence}");
    // the writer of archives refuses it, so the second name is changed behind its back
    let array = bytes_npy(&[4, 2], &[1, 2, 3, 4, 5, 6, 7, 8]);
    let mut archive = npz(&[("X", array.clone()), ("Z", array)]);
    for place in 0..archive.len() - 5 {
        if &archive[place..place + 5] == b"Z.npy" {
            archive[place] = b'X';
        }
    }
    is_refused("x.npz", archive);
}

/// A directory of an archive that leads to the same bytes twice.
#[test]
fn entries_that_overlap() {
    let array = bytes_npy(&[4, 1], &[1, 2, 3, 4]);
    let mut archive = npz(&[("X", array.clone()), ("y", array)]);
    let entry = |archive: &[u8], number: usize| {
        let found = archive.windows(4).enumerate();
        let mut places = found.filter(|(_, bytes)| bytes == b"PK\x01\x02");
        places.nth(number).unwrap().0
    };
    // where the second begins: there where the first does
    let second = entry(&archive, 1);
    archive[second + 42..second + 46].copy_from_slice(&[0; 4]);
    is_refused("x.npz", archive);
}

/// Gate directions and states that belong to something else.
#[test]
fn gates_and_states_of_others() {
    let folder = Folder::new();
    folder.put("d.csv", corners(60, 3).csv());
    for gates in [
        header("<f8", "(3, 4611686018427387904)"),
        [header("<f8", "(3, 1)"), f64::NAN.to_le_bytes().repeat(3)].concat(),
        bytes_npy(&[7, 1], &[1; 7]),
        b"gates".to_vec(),
    ] {
        folder.put("g.npy", gates);
        refused(&folder, "fit d.csv --gate-file g.npy");
    }
    let fit = "fit d.csv --gates 4 --max-iterations 40 --checkpoint state";
    folder.print(&format!("{fit} --checkpoint-every 10 --out m.safetensors"));
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        format!("state/{name}")
    };
    let files: Vec<String> = (std::fs::read_dir(folder.path("state")).unwrap())
        .map(name)
        .collect();
    assert!(files.len() > 1);
    for file in files {
        let whole = folder.bytes(&file);
        for hostile in [
            Vec::new(),
            b"18446744073709551615 iterations, 18446744073709551615 ranks\n".to_vec(),
            u64::MAX.to_le_bytes().repeat(8),
        ] {
            folder.put(&file, hostile);
            refused(
                &folder,
                &format!("{fit} --resume --force --out m.safetensors"),
            );
        }
        folder.put(&file, whole);
    }
}
