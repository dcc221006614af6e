//! A sub-folder of text files for each class.

use super::{Texts, described, name_of};
use crate::dataset::Target;
use crate::error::DataError;
use std::fs;
use std::path::{Path, PathBuf};

/// A larger file is no text that a network could read.
const LARGEST: u64 = 64 << 20;

pub(super) fn read(path: &str) -> Result<Texts, DataError> {
    let (mut texts, mut classes) = (Vec::new(), Vec::new());
    for folder in entries(Path::new(path))? {
        if !folder.is_dir() {
            continue;
        }
        let class = folder.file_name().unwrap_or_default().to_string_lossy();
        for file in entries(&folder)? {
            if file.extension().is_some_and(|ending| ending == "txt") {
                texts.push(text(&file)?);
                classes.push(class.clone().into_owned());
            }
        }
    }
    if texts.is_empty() {
        return Err(DataError::content(
            path,
            "it has no sub-folder with .txt files; make one for each class",
        ));
    }
    let data = described(
        name_of(path),
        texts.len(),
        Some(Target::Text(classes)),
        Some("class".into()),
        None,
    );
    Ok(Texts {
        texts,
        data,
        text_name: None,
    })
}

/// Whether there is a text file in a sub-folder.
pub(super) fn holds_texts(folder: &Path) -> bool {
    let is_text = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "txt");
    let inside = |path: PathBuf| {
        path.is_dir() && entries(&path).is_ok_and(|files| files.iter().any(is_text))
    };
    entries(folder).is_ok_and(|all| all.into_iter().any(inside))
}

/// What a folder holds, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let failed = |error| DataError::io("read", folder.display(), error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn text(file: &Path) -> Result<String, DataError> {
    let failed = |error| DataError::io("read", file.display(), error);
    let length = fs::metadata(file).map_err(failed)?.len();
    if length > LARGEST {
        let message = format!("it has {length} bytes; a text has at most {LARGEST}; cut it");
        return Err(DataError::content(file.display(), message));
    }
    let bytes = fs::read(file).map_err(failed)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to() + 1;
        let message = format!("byte {place} is not UTF-8 text; save the file as UTF-8");
        DataError::content(file.display(), message)
    })?;
    match text.trim().is_empty() {
        true => Err(DataError::content(
            file.display(),
            "the text is empty; remove the file or fill it",
        )),
        false => Ok(text),
    }
}
