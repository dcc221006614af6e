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
    let exists = || DataError::Exists {
        path: path.display().to_string(),
    };
    let old = fs::symlink_metadata(path).ok();
    if old.is_some() && !overwrite {
        return Err(exists());
    }
    let linked = old.is_some_and(|old| old.is_symlink());
    let followed = fs::canonicalize(path).ok().filter(|_| linked);
    let path = followed.as_deref().unwrap_or(path);
    let old = fs::symlink_metadata(path).ok();
    match &old {
        Some(old) if old.is_dir() => {
            return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        Some(old) if !old.is_file() && !old.is_symlink() => {
            let message = "it is a device or pipe, which no file can replace; name a file";
            return Err(DataError::content(path.display(), message));
        }
        _ => {}
    }
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
    if let Some(old) = old.filter(fs::Metadata::is_file) {
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
        io::ErrorKind::AlreadyExists => exists(),
        _ => failed(e.error),
    })?;
    // The rename itself must survive a crash; not every file system lets a folder be opened.
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().ok();
    }
    Ok(())
}
