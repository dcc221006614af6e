//! Measurements kept as lines of JSON, so that a run that was stopped can go on.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// The records of a file, none if there is no file. A last line without its line
/// end was cut off while it was written and does not count.
pub fn read<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, String> {
    let text = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{} cannot be read: {error}", path.display())),
    };
    let mut records = Vec::new();
    for (number, line) in text[..whole(&text)]
        .split(|&byte| byte == b'\n')
        .enumerate()
    {
        if line.is_empty() {
            continue;
        }
        let record = serde_json::from_slice(line).map_err(|error| {
            format!(
                "line {} of {} is no record ({error}); remove the line",
                number + 1,
                path.display()
            )
        })?;
        records.push(record);
    }
    Ok(records)
}

/// Adds a record, after removing a last line that was cut off.
pub fn append<R: Serialize>(path: &Path, record: &R) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", path.display());
    let mut line = serde_json::to_vec(record).map_err(|error| failed(error.into()))?;
    line.push(b'\n');
    if let Ok(text) = fs::read(path)
        && whole(&text) < text.len()
    {
        let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        file.set_len(whole(&text) as u64).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    let mut file = options
        .append(true)
        .create(true)
        .open(path)
        .map_err(failed)?;
    file.write_all(&line).map_err(failed)
}

/// How many bytes of `text` are whole lines.
fn whole(text: &[u8]) -> usize {
    text.iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::{append, read};
    use std::fs;

    #[test]
    fn a_cut_off_line_is_ignored_and_then_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        assert_eq!(read::<u32>(&path), Ok(vec![]));
        append(&path, &17).unwrap();
        append(&path, &18).unwrap();
        let whole = fs::read(&path).unwrap();
        // 18 was cut to 1, which would be a record if it ended its line
        fs::write(&path, &whole[..whole.len() - 2]).unwrap();
        assert_eq!(read(&path), Ok(vec![17]));
        append(&path, &19).unwrap();
        assert_eq!(read(&path), Ok(vec![17, 19]));
    }

    #[test]
    fn a_whole_line_that_is_no_record_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        fs::write(&path, "1\n\nx\n2\n").unwrap();
        let error = read::<u32>(&path).unwrap_err();
        assert!(error.contains("line 3"), "{error}");
    }
}
