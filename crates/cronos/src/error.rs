//! Why a call was refused. How a valid run ended is a [`Status`](crate::Status).

use std::fmt;

/// A call that was refused before any work was done, or that could not go on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// An array has the wrong shape.
    Shape {
        /// Which array.
        what: &'static str,
        /// The shape it should have.
        expected: String,
        /// The shape it has.
        found: String,
    },
    /// An entry is NaN or infinite. Row and column count from 0.
    NotFinite {
        /// Which array.
        what: &'static str,
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// A setting is outside its range.
    Setting {
        /// Its name.
        name: &'static str,
        /// The value given.
        value: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The data cannot be learned from.
    Data(String),
    /// The arrays of the job do not fit into memory.
    Memory {
        /// Bytes the job needs.
        needed: u64,
        /// Bytes there are.
        available: u64,
        /// The largest arrays and a way out.
        advice: String,
    },
    /// A device that is not there, or cannot be used.
    Device(String),
    /// Another of the ranks that share the rows could not go on.
    Team(String),
    /// A factorisation broke down.
    Numerical(String),
    /// The fit was broken off before there was anything to return.
    Interrupted,
    /// A model file or gate file that cannot be used.
    Format(String),
}

impl Error {
    /// Refuses the setting `name` with the given `value`.
    pub(crate) fn setting(
        name: &'static str,
        value: impl fmt::Display,
        expected: &'static str,
    ) -> Self {
        Self::Setting {
            name,
            value: value.to_string(),
            expected,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape {
                what,
                expected,
                found,
            } => write!(f, "{what}: expected {expected}, found {found}"),
            Self::NotFinite {
                what,
                row,
                column,
                value,
            } => write!(
                f,
                "{what}: row {row}, column {column} (counting from 0) is {value}; every entry \
                 must be finite; impute it or drop the row"
            ),
            Self::Setting {
                name,
                value,
                expected,
            } => write!(f, "{name} is {value}; it must be {expected}"),
            Self::Data(text)
            | Self::Device(text)
            | Self::Team(text)
            | Self::Numerical(text)
            | Self::Format(text) => f.write_str(text),
            Self::Interrupted => f.write_str("interrupted before there was a network"),
            Self::Memory {
                needed,
                available,
                advice,
            } => write!(
                f,
                "the job needs {} but only {} of memory are available; {advice}",
                crate::memory::human(*needed),
                crate::memory::human(*available)
            ),
        }
    }
}

impl std::error::Error for Error {}
