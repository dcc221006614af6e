//! A text on each line, without targets.

use super::{Rows, TextOptions, Texts};
use crate::error::{DataError, quoted};
use crate::options::TargetColumn;
use crate::stream;
use std::io::{BufRead, Read};

/// A longer line is taken for a mistake, or for an attempt to fill the memory.
const LONGEST_LINE: u64 = 256 << 20;

pub(super) fn read(path: &str, options: &TextOptions) -> Result<Texts, DataError> {
    if let TargetColumn::Named(name) = &options.target {
        let message = format!(
            "plain lines have no target {}; use .csv or .jsonl for texts with a target",
            quoted(name)
        );
        return Err(DataError::content(path, message));
    }
    let mut rows = Rows::new(path);
    each_line(path, |line, text| match text.trim().is_empty() {
        true => Ok(()),
        false => rows.push_text(text, line, "column 0"),
    })?;
    rows.finish(None, None)
}

/// Calls `take` with the number, from 1, and the text of each line.
pub(super) fn each_line(
    path: &str,
    mut take: impl FnMut(u64, &str) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let mut stream = stream::open(path)?;
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let read = (stream.by_ref().take(LONGEST_LINE + 1)).read_until(b'\n', &mut bytes);
        if read.map_err(|error| DataError::reading(path, error))? == 0 {
            break;
        }
        if bytes.len() as u64 > LONGEST_LINE {
            let message = format!("line {line} is longer than 256 MiB; check the line ends");
            return Err(DataError::content(path, message));
        }
        let start = if line == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        let text = std::str::from_utf8(&bytes[start..]).map_err(|error| {
            let message = format!(
                "line {line}: byte {} is not UTF-8 text; save the file as UTF-8",
                start + error.valid_up_to() + 1
            );
            DataError::content(path, message)
        })?;
        take(line, text.trim_end_matches(['\n', '\r']))?;
    }
    Ok(())
}
