//! The one error type, and how values are shown in it.

use std::error::Error;
use std::fmt;
use std::io;

/// Why data could not be read, prepared or written. Its text is one sentence.
#[derive(Debug)]
#[non_exhaustive]
pub enum DataError {
    /// The operating system refused: no such file, no permission, a full disk.
    Io {
        /// What was attempted, such as `read` or `write`.
        action: &'static str,
        /// The path as the user gave it.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// The content of a file was refused.
    Content {
        /// The file, or the part of it, that was refused.
        file: String,
        /// What is wrong, where, and the remedy.
        message: String,
    },
    /// A file to be written is already there.
    Exists {
        /// The path as the user gave it.
        path: String,
    },
    /// Values already in memory do not allow what was asked of them.
    Request {
        /// What is wrong, where, and the remedy.
        message: String,
    },
}

impl DataError {
    /// `true` when content or a request was refused, `false` when input or output failed.
    pub fn is_input(&self) -> bool {
        !matches!(self, DataError::Io { .. })
    }

    pub(crate) fn io(action: &'static str, path: impl fmt::Display, source: io::Error) -> Self {
        DataError::Io {
            action,
            path: path.to_string(),
            source,
        }
    }

    pub(crate) fn content(file: impl fmt::Display, message: impl fmt::Display) -> Self {
        DataError::Content {
            file: file.to_string(),
            message: message.to_string(),
        }
    }

    pub(crate) fn request(message: impl fmt::Display) -> Self {
        DataError::Request {
            message: message.to_string(),
        }
    }

    /// A failure in the middle of reading: decoders report damaged data through these kinds,
    /// which the operating system does not use for a failing disk.
    pub(crate) fn reading(file: impl fmt::Display, source: io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, InvalidData, InvalidInput, Other, UnexpectedEof};
        match source.kind() {
            InvalidData | InvalidInput | UnexpectedEof | Other => Self::content(
                file,
                "its data is damaged or cut off; get or write the file again",
            ),
            FileTooLarge => Self::content(
                file,
                format!("{source}; check the line ends and the quotes"),
            ),
            _ => Self::io("read", file, source),
        }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataError::Io {
                action,
                path,
                source,
            } => match source.kind() {
                io::ErrorKind::NotFound => {
                    write!(
                        f,
                        "cannot {action} {path}: no such file or folder; check the path"
                    )
                }
                io::ErrorKind::PermissionDenied => write!(
                    f,
                    "cannot {action} {path}: permission denied; check its access rights"
                ),
                _ => write!(f, "cannot {action} {path}: {source}"),
            },
            DataError::Content { file, message } => write!(f, "{file}: {message}"),
            DataError::Exists { path } => {
                write!(f, "{path} exists; pass --force to overwrite it")
            }
            DataError::Request { message } => f.write_str(message),
        }
    }
}

impl Error for DataError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            DataError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// A value in quotes, with control characters escaped and cut so that a hostile cell cannot
/// fill the screen.
pub(crate) fn quoted(value: &str) -> String {
    const LIMIT: usize = 40;
    if value.chars().count() <= LIMIT {
        format!("{value:?}")
    } else {
        let head: String = value.chars().take(LIMIT).collect();
        format!("{:?}", format!("{head}…"))
    }
}

/// At most ten of the names in quotes, then how many were left out.
pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    const LIMIT: usize = 10;
    let shown: Vec<String> = names
        .iter()
        .take(LIMIT)
        .map(|name| quoted(name.as_ref()))
        .collect();
    let mut text = shown.join(", ");
    if names.len() > LIMIT {
        text.push_str(&format!(" and {} more", names.len() - LIMIT));
    }
    text
}

/// `1 row`, `2 rows`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}
