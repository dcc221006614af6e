//! Files made by hand, for every test.
#![allow(dead_code)] // Each test program uses its own part.

use std::io::Write;

use cronos_data::{Dataset, Missing, ReadOptions, TargetColumn, read};

pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An npy file of version 1.0, laid out as NumPy's format document says.
pub fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    npy_header(
        &format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"),
        data,
    )
}

pub fn npy_header(header: &str, data: &[u8]) -> Vec<u8> {
    let mut text = header.to_owned();
    while !(10 + text.len() + 1).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

pub fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

pub fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub fn idx(kind: u8, shape: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, kind, shape.len() as u8];
    for size in shape {
        bytes.extend(size.to_be_bytes());
    }
    bytes.extend(data);
    bytes
}

pub fn target(name: &str) -> ReadOptions<'static> {
    ReadOptions {
        target: TargetColumn::Named(name.to_owned()),
        ..ReadOptions::default()
    }
}

pub fn absent() -> ReadOptions<'static> {
    ReadOptions {
        target: TargetColumn::Absent,
        ..ReadOptions::default()
    }
}

pub fn keep() -> ReadOptions<'static> {
    ReadOptions {
        missing: Missing::Keep,
        ..ReadOptions::default()
    }
}

pub fn loaded(path: &str, options: &ReadOptions) -> Dataset {
    read(path, options).unwrap().train
}

/// The message with which content is refused; it must be one line that starts with the file.
pub fn refused(path: &str, options: &ReadOptions) -> String {
    let error = read(path, options).unwrap_err();
    let message = error.to_string();
    assert!(error.is_input(), "{message}");
    assert!(message.starts_with(path), "{message}");
    assert!(!message.contains('\n'), "{message}");
    message[path.len()..].to_owned()
}
