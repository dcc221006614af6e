//! Why a command failed, and the exit code that says so.

use cronos_data::DataError;
use std::fmt;
use std::process::ExitCode;

/// Exit codes, as documented in the help.
pub const INTERRUPTED: u8 = 130;
pub const TOLERANCE_NOT_REACHED: u8 = 4;

/// A failure is one sentence and an exit code.
#[derive(Debug)]
pub enum Failure {
    /// Exit 1: the work could not be done.
    Work(String),
    /// Exit 2: the command makes no sense.
    Usage(String),
    /// Exit 3: the input was refused.
    Input(String),
    /// Exit 130: interrupted before there was anything to keep.
    Interrupted(String),
    /// Exit 0: whoever read our output went away.
    PipeClosed,
}

impl Failure {
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }

    pub fn code(&self) -> u8 {
        match self {
            Self::PipeClosed => 0,
            Self::Work(_) => 1,
            Self::Usage(_) => 2,
            Self::Input(_) => 3,
            Self::Interrupted(_) => INTERRUPTED,
        }
    }

    /// A file that was to be read: whatever is wrong with it, the input is refused. That a copy of it
    /// could not be written is no fault of its own.
    pub fn reading(error: DataError) -> Self {
        match error {
            DataError::Io {
                action: "write", ..
            } => Self::Work(error.to_string()),
            _ => Self::Input(error.to_string()),
        }
    }

    /// A file that was to be written.
    pub fn writing(error: DataError) -> Self {
        match error {
            DataError::Exists { .. } => Self::Usage(error.to_string()),
            _ => Self::Work(error.to_string()),
        }
    }
}

impl From<cronos::Error> for Failure {
    fn from(error: cronos::Error) -> Self {
        use cronos::Error;
        let text = error.to_string();
        match error {
            Error::Setting { .. } => Self::Usage(text),
            Error::Interrupted => Self::Interrupted(text),
            Error::Memory { .. } | Error::Numerical(_) | Error::Device(_) | Error::Team(_) => {
                Self::Work(text)
            }
            _ => Self::Input(text),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work(text) | Self::Usage(text) | Self::Input(text) | Self::Interrupted(text) => {
                f.write_str(text)
            }
            Self::PipeClosed => Ok(()),
        }
    }
}
