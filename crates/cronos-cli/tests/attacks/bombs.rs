//! Small files that become large ones.

use crate::shell::Folder;
use crate::shell::tables::{gzip, header, npz};
use crate::{is_refused, refused, refused_within};

/// A PNG that declares a size and holds nothing.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8], content: &[u8]| {
        let body = [name, content].concat();
        bytes.extend((content.len() as u32).to_be_bytes());
        bytes.extend(&body);
        bytes.extend(checksum(&body).to_be_bytes());
    };
    let sizes = [width.to_be_bytes(), height.to_be_bytes()].concat();
    chunk(b"IHDR", &[&sizes[..], &[8, 2, 0, 0, 0]].concat());
    chunk(b"IDAT", &[0x78, 0x9c, 0x03, 0, 0, 0, 0, 1]);
    chunk(b"IEND", &[]);
    bytes
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// A packed table whose only line has no end.
#[test]
fn a_line_without_an_end() {
    let line = vec![b'1'; 400 << 20];
    let folder = Folder::new();
    folder.put("t.csv.gz", gzip(&line));
    // a line may be as long as 256 MiB, and the room for it doubles as it grows
    let sentence = refused_within(&folder, "fit t.csv.gz", 1536);
    assert!(sentence.contains("t.csv.gz"), "{sentence}");
}

/// An array of four numbers with a third of a gigabyte of zeros behind it, packed a thousandfold.
#[test]
fn an_archive_that_holds_more_than_it_says() {
    let mut array = header("|u1", "(2, 2)");
    array.extend(vec![0; 320 << 20]);
    let sentence = is_refused("a.npz", npz(&[("X", array)]));
    assert!(sentence.contains("declares the shape"), "{sentence}");
}

/// More features than memory: the column of the only value is the four-billionth.
#[test]
fn a_column_far_away() {
    is_refused("t.svm", "1 4000000000:1\n0 1:1\n");
    is_refused("t.svm", "1 18446744073709551615:1\n0 1:1\n");
    is_refused("t.svm", "1 99999999999999999999:1\n0 1:1\n");
}

/// Pictures that would be terabytes.
#[test]
fn pictures_of_absurd_size() {
    for (width, height) in [(0x7fff_ffff, 0x7fff_ffff), (100_000, 100_000), (0, 5)] {
        let folder = Folder::new();
        for class in ["cat", "dog"] {
            std::fs::create_dir_all(folder.path(&format!("photos/{class}"))).unwrap();
            folder.put(&format!("photos/{class}/a.png"), png(width, height));
        }
        let sentence = refused(&folder, "fit photos");
        assert!(sentence.contains("a.png"), "{width}: {sentence}");
    }
}

/// JSON a million brackets deep.
#[test]
fn brackets_without_end() {
    let deep = "[".repeat(1 << 20);
    let folder = Folder::new();
    for line in [
        format!("{{\"text\": {deep}"),
        format!("{{\"text\": \"good\", \"label\": {deep}"),
        deep.clone(),
        "{\"a\":".repeat(1 << 18),
    ] {
        folder.put("t.jsonl", line);
        let sentence = refused(&folder, "text fit t.jsonl");
        assert!(sentence.contains("t.jsonl"), "{sentence}");
    }
    folder.put("d.csv", "a,b,y\n1,2,no\n2,1,yes\n");
    let header = format!("{{\"__metadata__\": {deep}");
    let model = [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
    folder.put("m.safetensors", model);
    let sentence = refused(&folder, "predict m.safetensors d.csv");
    assert!(sentence.contains("m.safetensors"), "{sentence}");
}
