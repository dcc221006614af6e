//! One cell of a table.

use std::borrow::Cow;

/// A row of a table.
pub(crate) trait Cells {
    /// Its line or row, counted from 1.
    fn place(&self) -> u64;

    /// How many cells it has.
    fn count(&self) -> usize;

    /// A cell as text, trimmed.
    fn text(&self, column: usize) -> Cow<'_, str>;

    /// What a cell means as a feature.
    fn feature(&self, column: usize) -> Cell {
        parse(&self.text(column))
    }

    /// What a cell is, if it is neither a number nor a text.
    fn other(&self, _column: usize) -> Option<&'static str> {
        None
    }

    /// A cell as text, if it is a number or a text; else what is wrong.
    fn text_or_number(&self, column: usize) -> Result<Cow<'_, str>, String> {
        match self.other(column) {
            None => Ok(self.text(column)),
            Some(what) => Err(format!(
                "it is {what}, neither a number nor a text; name another column or write it as one"
            )),
        }
    }
}

/// What a cell means as a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    /// A finite number.
    Number(f64),
    /// No value.
    Missing,
    /// `inf`, or a number too large for 64 bits.
    Infinite,
    /// Anything else.
    Text,
}

/// Reads a cell that was already trimmed.
pub(crate) fn parse(text: &str) -> Cell {
    match text.parse::<f64>() {
        Ok(value) => of_number(value),
        Err(_) if is_missing(text) => Cell::Missing,
        Err(_) => Cell::Text,
    }
}

/// Judges a number; NaN stands for no value.
pub(crate) fn of_number(value: f64) -> Cell {
    match value {
        _ if value.is_nan() => Cell::Missing,
        _ if value.is_infinite() => Cell::Infinite,
        _ => Cell::Number(value),
    }
}

fn is_missing(text: &str) -> bool {
    const TOKENS: [&str; 6] = ["?", "na", "n/a", "nan", "null", "none"];
    text.is_empty() || TOKENS.iter().any(|token| text.eq_ignore_ascii_case(token))
}

/// The remedy that goes with a missing feature value.
pub(crate) const MISSING: &str =
    "missing value; fill it, drop the row, or fit with --impute mean|median";

/// The remedy that goes with a missing target value.
pub(crate) const MISSING_TARGET: &str = "missing target value; fill it or drop the row";
