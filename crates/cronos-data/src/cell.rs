//! One cell of a table.

/// What a cell's text means as a feature.
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
        Ok(value) if value.is_nan() => Cell::Missing,
        Ok(value) if value.is_infinite() => Cell::Infinite,
        Ok(value) => Cell::Number(value),
        Err(_) if is_missing(text) => Cell::Missing,
        Err(_) => Cell::Text,
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
