//! Writing files whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::Builder;

use crate::error::DataError;

/// Writes `bytes` to `path` so that a reader sees all of them or none, and so that they
/// survive a crash. On failure nothing is left behind and an old file stays as it was. A link is
/// followed to its file.
///
/// # Errors
/// When the file exists and `overwrite` is `false`, when it is no ordinary file, or when it cannot
/// be written.
pub fn write_whole(path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), DataError> {
    let failed = |e: io::Error| DataError::io("write", path.display(), e);
    let old = check(path, overwrite)?;
    let followed = fs::canonicalize(path).ok().filter(|_| path.is_symlink());
    let path = followed.as_deref().unwrap_or(path);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = Builder::new();
    // Temporary files are private, but this one becomes the user's, who set a mask for that.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder
        .prefix(".cronos-")
        .tempfile_in(folder)
        .map_err(failed)?;
    temporary.write_all(bytes).map_err(failed)?;
    if let Some(old) = old {
        temporary
            .as_file()
            .set_permissions(old.permissions())
            .map_err(failed)?;
    }
    temporary.as_file().sync_all().map_err(failed)?;
    let moved = if overwrite {
        temporary.persist(path)
    } else {
        // Another process may have written the file since it was looked for.
        temporary.persist_noclobber(path)
    };
    moved.map_err(|e| match e.error.kind() {
        io::ErrorKind::AlreadyExists => exists(path),
        _ => failed(e.error),
    })?;
    // The rename itself must survive a crash; not every file system lets a folder be opened.
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().ok();
    }
    Ok(())
}

/// Refuses what [`write_whole`] would refuse before anything is written; what is there by now, if
/// it is a file.
///
/// # Errors
/// When the file exists and `overwrite` is `false`, or when it is no ordinary file.
pub fn check(path: &Path, overwrite: bool) -> Result<Option<fs::Metadata>, DataError> {
    if fs::symlink_metadata(path).is_ok() && !overwrite {
        return Err(exists(path));
    }
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => {
            let why = io::Error::from(io::ErrorKind::IsADirectory);
            Err(DataError::io("write", path.display(), why))
        }
        Ok(old) if !old.is_file() => {
            let message = "it is a device or pipe, which no file can replace; name a file";
            Err(DataError::content(path.display(), message))
        }
        Ok(old) => Ok(Some(old)),
        // nothing, or a link to nothing
        Err(_) => Ok(None),
    }
}

fn exists(path: &Path) -> DataError {
    DataError::Exists {
        path: path.display().to_string(),
    }
}
