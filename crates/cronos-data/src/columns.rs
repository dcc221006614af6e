//! The columns there are, and how they are named and found.

use crate::error::{DataError, counted, listed, quoted};
use crate::names;
use crate::source;

/// Where something that a user named was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Column(usize),
    File(String),
    Nowhere,
}

impl Place {
    pub(crate) fn column(&self) -> Option<usize> {
        match self {
            Place::Column(column) => Some(*column),
            _ => None,
        }
    }

    pub(crate) fn into_file(self) -> Option<String> {
        match self {
            Place::File(path) => Some(path),
            _ => None,
        }
    }
}

/// The columns there are: how many, and their names if they have any.
pub(crate) struct Columns<'a> {
    pub(crate) file: &'a str,
    pub(crate) count: usize,
    pub(crate) names: Option<&'a [String]>,
    /// Those that are called like an index.
    pub(crate) indices: Vec<usize>,
}

impl<'a> Columns<'a> {
    /// Columns without names.
    pub(crate) fn unnamed(file: &'a str, count: usize) -> Self {
        Columns {
            file,
            count,
            names: None,
            indices: Vec::new(),
        }
    }

    /// The column named target, label, class or y, else the last one.
    pub(crate) fn usual_target(&self, columns: &[usize]) -> Option<usize> {
        ["target", "label", "class", "y"]
            .iter()
            .find_map(|usual| {
                columns.iter().copied().find(|&column| {
                    self.name(column)
                        .is_some_and(|name| name.eq_ignore_ascii_case(usual))
                })
            })
            .or(columns.last().copied())
    }

    /// Finds a column by its name or index, or a file that holds nothing else; `role` says
    /// in a message what it is to be.
    pub(crate) fn find(&self, wanted: &str, role: &str) -> Result<Place, DataError> {
        if let Some(column) = self.position(wanted) {
            return Ok(Place::Column(column));
        }
        if let Some(index) = whole_number(wanted) {
            return match self.at(index) {
                Some(column) => Ok(Place::Column(column)),
                None => Err(self.refuse(format!(
                    "there is no column {index} {role}; it has {}, counted from 0",
                    counted(self.count, "column")
                ))),
            };
        }
        if source::holds_arrays(wanted) {
            return Ok(Place::File(wanted.to_owned()));
        }
        Err(self.unknown(wanted, role))
    }

    /// The refusal of a name that no column has.
    pub(crate) fn unknown(&self, wanted: &str, role: &str) -> DataError {
        let close = names::close(wanted, self.names.unwrap_or_default());
        let known = match &close[..] {
            [] => format!("the columns are {}", self.available()),
            [one] => format!("did you mean {}?", quoted(one)),
            close => format!("close names are {}", listed(close)),
        };
        self.refuse(format!(
            "there is no column {} {role}; {known}",
            quoted(wanted)
        ))
    }

    pub(crate) fn position(&self, wanted: &str) -> Option<usize> {
        self.names?.iter().position(|name| name == wanted)
    }

    /// The column with an index from 0, or from -1 backwards.
    pub(crate) fn at(&self, index: i64) -> Option<usize> {
        let column = if index < 0 {
            let back = usize::try_from(index.unsigned_abs()).ok()?;
            self.count.checked_sub(back)?
        } else {
            usize::try_from(index).ok()?
        };
        (column < self.count).then_some(column)
    }

    pub(crate) fn name(&self, column: usize) -> Option<&String> {
        self.names?.get(column)
    }

    pub(crate) fn available(&self) -> String {
        match self.names {
            Some(names) => listed(names),
            None => format!(
                "unnamed, so give an index from 0 to {}",
                self.count.saturating_sub(1)
            ),
        }
    }

    /// How a message speaks of a column.
    pub(crate) fn label(&self, column: usize) -> String {
        match self.name(column) {
            Some(name) => format!("column {}", quoted(name)),
            None => format!("column {column} (counting from 0)"),
        }
    }

    /// Whether every name is only a number, or there are none.
    pub(crate) fn only_count(&self, columns: &[usize]) -> bool {
        !columns
            .iter()
            .any(|&column| self.name(column).is_some_and(|name| says_something(name)))
    }

    pub(crate) fn refuse(&self, message: impl std::fmt::Display) -> DataError {
        DataError::content(self.file, message)
    }
}

/// Whether a name is more than a number, or `x` and a number.
pub(crate) fn says_something(name: &str) -> bool {
    let number = name.strip_prefix('x').unwrap_or(name);
    number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit())
}

/// The number of a name given to a column without one, as 3 of `x3`.
pub(crate) fn given_number(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('x')?;
    let number = digits.parse().ok()?;
    // Not `x03` or `x+3`.
    (format!("{number}") == digits).then_some(number)
}

pub(crate) fn whole_number(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}
