//! What all targets share: files in memory, and what must hold of every answer.

use cronos_data::{DataError, Loaded, Missing, ReadOptions, TargetColumn, read};
use std::path::{Path, PathBuf};

/// A folder of this process, in memory where that is possible.
pub fn folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let root = match memory.is_dir() {
        true => memory.to_path_buf(),
        false => std::env::temp_dir(),
    };
    root.join(format!("cronos-fuzz-{}", std::process::id()))
}

/// Puts bytes into a file of the folder, and tells its path.
pub fn put(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    let parent = path.parent().expect("a folder");
    std::fs::create_dir_all(parent).expect("a folder that can be made");
    std::fs::write(&path, bytes).expect("a file that can be written");
    path
}

/// Other people's panics may be caught, as they are in the command; a panic that nobody catches
/// ends the process as ever.
pub fn let_panics_be_caught() {
    std::panic::set_hook(Box::new(|_| {}));
}

/// What an error says is one line.
pub fn check_sentence(error: &impl std::fmt::Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
}

/// Reads a path as often as there are ways to.
pub fn read_all(path: &Path) {
    let path = path.to_str().expect("a plain name");
    let keep = ReadOptions {
        missing: Missing::Keep,
        ..ReadOptions::default()
    };
    let absent = ReadOptions {
        target: TargetColumn::Absent,
        ..ReadOptions::default()
    };
    let named = ReadOptions {
        target: TargetColumn::Named("0".into()),
        ..ReadOptions::default()
    };
    for options in [ReadOptions::default(), keep, absent, named] {
        check_loaded(&read(path, &options));
    }
}

/// Numbers fit together, and all of them are there.
fn check_loaded(loaded: &Result<Loaded, DataError>) {
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(error) => return check_sentence(error),
    };
    for data in [Some(&loaded.train), loaded.test.as_ref()]
        .into_iter()
        .flatten()
    {
        let features = &data.features;
        assert_eq!(features.values.len(), features.rows * features.columns);
        assert_eq!(features.columns, data.feature_names.len());
        if let Some(target) = &data.target {
            assert_eq!(target.len(), features.rows);
        }
    }
}

/// One of some names, by the first byte, and the other bytes.
pub fn named<'a, 'n>(bytes: &'a [u8], names: &[&'n str]) -> Option<(&'n str, &'a [u8])> {
    let (&kind, rest) = bytes.split_first()?;
    Some((names[kind as usize % names.len()], rest))
}

/// Several parts, each with its length in two bytes before it, the last one without.
pub fn parts<const N: usize>(mut bytes: &[u8]) -> Option<[&[u8]; N]> {
    let mut parts = [&[][..]; N];
    for part in &mut parts[..N - 1] {
        let (length, rest) = bytes.split_first_chunk::<2>()?;
        let length = u16::from_le_bytes(*length) as usize;
        (*part, bytes) = rest.split_at_checked(length)?;
    }
    parts[N - 1] = bytes;
    Some(parts)
}

/// The other way round.
pub fn joined(parts: &[&[u8]]) -> Vec<u8> {
    let (last, before) = parts.split_last().expect("a part");
    let mut bytes = Vec::new();
    for part in before {
        let length = u16::try_from(part.len()).expect("a short part");
        bytes.extend(length.to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes.extend_from_slice(last);
    bytes
}
