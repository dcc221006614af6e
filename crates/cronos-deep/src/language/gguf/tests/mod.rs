//! Files written here byte by byte.

mod blocks;
mod tokenizer;

use super::formats::name;
use super::{Gguf, Value};
use std::io::Write;

/// A file under construction.
struct Draft(Vec<u8>);

impl Draft {
    fn new(tensors: u64, entries: u64) -> Self {
        let mut draft = Self(b"GGUF".to_vec());
        draft.u32(3).u64(tensors).u64(entries);
        draft
    }

    fn u32(&mut self, number: u32) -> &mut Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn u64(&mut self, number: u64) -> &mut Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.u64(text.len() as u64).bytes(text.as_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend(bytes);
        self
    }

    fn tensor(&mut self, name: &str, shape: &[u64], code: u32, offset: u64) -> &mut Self {
        self.text(name).u32(shape.len() as u32);
        for &length in shape {
            self.u64(length);
        }
        self.u32(code).u64(offset)
    }

    fn align(&mut self, to: usize) -> &mut Self {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
        self
    }

    fn open(&self) -> Result<Gguf, cronos::Error> {
        open(&self.0)
    }

    fn refusal(&self) -> String {
        self.open().unwrap_err().to_string()
    }
}

fn open(bytes: &[u8]) -> Result<Gguf, cronos::Error> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    Gguf::open(file.path())
}

/// One of everything: all kinds of values, a matrix and a vector.
fn example() -> Draft {
    let mut draft = Draft::new(2, 15);
    draft.text("u8").u32(0).bytes(&[200]);
    draft.text("i8").u32(1).bytes(&[200]);
    draft.text("u16").u32(2).bytes(&60_000u16.to_le_bytes());
    draft.text("i16").u32(3).bytes(&(-5i16).to_le_bytes());
    draft.text("u32").u32(4).u32(4_000_000_000);
    draft.text("i32").u32(5).bytes(&(-7i32).to_le_bytes());
    draft.text("f32").u32(6).bytes(&0.1f32.to_le_bytes());
    draft.text("bool").u32(7).bytes(&[1]);
    draft.text("text").u32(8).text("déjà");
    draft.text("u64").u32(10).u64(u64::MAX);
    draft.text("i64").u32(11).bytes(&i64::MIN.to_le_bytes());
    draft.text("f64").u32(12).bytes(&0.1f64.to_le_bytes());
    draft.text("texts").u32(9).u32(8).u64(2).text("a").text("");
    draft.text("i32s").u32(9).u32(5).u64(2);
    draft
        .bytes(&(-1i32).to_le_bytes())
        .bytes(&3i32.to_le_bytes());
    // a list of one list of two bytes
    draft.text("lists").u32(9).u32(9).u64(1);
    draft.u32(0).u64(2).bytes(&[4, 5]);
    draft.tensor("matrix", &[3, 2], 0, 0);
    draft.tensor("vector", &[2], 1, 32);
    draft.align(32);
    for at in 0..6 {
        draft.bytes(&(at as f32).to_le_bytes());
    }
    draft.align(32);
    // 1 and −2 in half precision
    draft.bytes(&[0x00, 0x3c, 0x00, 0xc0]);
    draft
}

#[test]
fn values_of_all_kinds_are_read() {
    let file = example().open().unwrap();
    assert_eq!(file.version(), 3);
    assert_eq!(file.get_u32("u8").unwrap(), 200);
    assert_eq!(file.get_i32("i8").unwrap(), -56);
    assert_eq!(file.get_u32("u16").unwrap(), 60_000);
    assert_eq!(file.get_i32("i16").unwrap(), -5);
    assert_eq!(file.get_u32("u32").unwrap(), 4_000_000_000);
    assert_eq!(file.get_i32("i32").unwrap(), -7);
    assert_eq!(file.get_f32("f32").unwrap(), 0.1);
    assert!(file.get_bool("bool").unwrap());
    assert_eq!(file.get_str("text").unwrap(), "déjà");
    assert_eq!(file.get_u64("u64").unwrap(), u64::MAX);
    assert_eq!(file.entries()["i64"], Value::Signed(i64::MIN));
    assert_eq!(file.entries()["f64"], Value::Real(0.1));
    assert_eq!(file.get_strings("texts").unwrap(), ["a", ""]);
    assert_eq!(file.get_i32s("i32s").unwrap(), [-1, 3]);
    let Value::Lists(lists) = &file.entries()["lists"] else {
        panic!("{:?}", file.entries()["lists"]);
    };
    let inner = lists[0].as_numbers().unwrap();
    let bytes: Vec<u64> = inner.iter().filter_map(|value| value.as_u64()).collect();
    assert_eq!(bytes, [4, 5]);
}

#[test]
fn shapes_come_with_the_rows_first() {
    let file = example().open().unwrap();
    assert_eq!(file.tensors()[0].shape, [3, 2]);
    let (shape, values) = file.tensor("matrix").unwrap();
    assert_eq!(shape, [2, 3]);
    assert_eq!(values, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(file.tensor("vector").unwrap(), (vec![2], vec![1.0, -2.0]));
}

#[test]
fn what_is_not_there_is_named() {
    let file = example().open().unwrap();
    let missing = file.get_u32("llama.block_count").unwrap_err().to_string();
    assert!(
        missing.contains("no metadata `llama.block_count`"),
        "{missing}"
    );
    let wrong = file.get_str("i32").unwrap_err().to_string();
    assert!(wrong.contains("-7") && wrong.contains("a text"), "{wrong}");
    let missing = file.tensor("other").unwrap_err().to_string();
    assert!(missing.contains("no tensor `other`"), "{missing}");
}

#[test]
fn a_format_that_cannot_be_read_is_named() {
    let mut draft = Draft::new(1, 0);
    draft.tensor("weight", &[256], 18, 0).align(32);
    draft.bytes(&[0; 98]);
    let why = draft.open().unwrap().tensor("weight").unwrap_err();
    let why = why.to_string();
    assert!(why.contains("`weight` as IQ3_XXS"), "{why}");
    assert_eq!(name(99), "format 99");
}

#[test]
fn a_file_cut_short_anywhere_is_refused() {
    let whole = example().0;
    for length in 0..whole.len() {
        let why = open(&whole[..length]).unwrap_err().to_string();
        assert!(why.contains("GGUF"), "{why}");
    }
}

#[test]
fn no_changed_byte_breaks_the_reader() {
    let whole = example().0;
    for at in 0..whole.len() {
        for change in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= change;
            if let Ok(file) = open(&bytes) {
                for tensor in file.tensors() {
                    let _ = file.tensor(&tensor.name);
                }
            }
        }
    }
}

#[test]
fn declarations_beyond_the_file_are_refused_before_memory_is_taken() {
    let mut entries = Draft::new(0, u64::MAX);
    assert!(entries.refusal().contains("entries of metadata"));
    entries = Draft::new(u64::MAX / 2, 0);
    assert!(entries.refusal().contains("tensors"));
    let mut list = Draft::new(0, 1);
    list.text("list").u32(9).u32(12).u64(1 << 61);
    assert!(list.refusal().contains("numbers"));
    let mut text = Draft::new(0, 1);
    text.u64(u64::MAX).bytes(&[0; 32]);
    assert!(text.refusal().contains("bytes"));
    let mut deep = Draft::new(0, 1);
    deep.text("deep").u32(9);
    for _ in 0..1000 {
        deep.u32(9).u64(1);
    }
    assert!(deep.refusal().contains("inside each other"));
}

#[test]
fn tensors_that_do_not_fit_are_refused() {
    let with = |shape: &[u64], code: u32, offset: u64| {
        let mut draft = Draft::new(1, 0);
        draft.tensor("weight", shape, code, offset).align(32);
        draft.bytes(&[0; 64]);
        draft.refusal()
    };
    assert!(with(&[u64::MAX, u64::MAX], 0, 0).contains("no shape"));
    assert!(with(&[1 << 40, 1 << 22], 0, 0).contains("no shape"));
    assert!(with(&[16, 0], 0, 0).contains("no shape"));
    // a row of half a block
    assert!(with(&[16], 2, 0).contains("no shape"));
    assert!(with(&[17], 0, 0).contains("cut short"));
    assert!(with(&[1], 0, 4).contains("multiple of 32"));
    assert!(with(&[1], 0, u64::MAX - 31).contains("cut short"));
    assert!(with(&[1, 1, 1, 1, 1], 0, 0).contains("5 dimensions"));
    for (second, offset, why) in [("a", 32, "twice"), ("b", 0, "across")] {
        let mut draft = Draft::new(2, 0);
        draft
            .tensor("a", &[8], 0, 0)
            .tensor(second, &[8], 0, offset);
        draft.align(32).bytes(&[0; 64]);
        assert!(draft.refusal().contains(why), "{}", draft.refusal());
    }
}

#[test]
fn other_files_are_refused() {
    assert!(open(b"PK\x03\x04 and so on").is_err());
    let mut old = b"GGUF".to_vec();
    old.extend([1, 0, 0, 0]);
    assert!(open(&old).unwrap_err().to_string().contains("version 1"));
    let big = b"GGUF\x00\x00\x00\x03";
    assert!(open(big).unwrap_err().to_string().contains("big-endian"));
}
