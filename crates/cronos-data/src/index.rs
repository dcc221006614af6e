//! Columns that only count the rows, as data frames write them.

use crate::dataset::CountingColumn;
use crate::values::Values;

/// A column without a name needs this many rows to be remarked on.
const ENOUGH_ROWS: usize = 10;

/// Whether a column is called like an index: `id` or `Unnamed: 0` anywhere; in front also
/// `index`, `row` and the like, or nothing at all.
pub(crate) fn is_called_so(name: &str, column: usize) -> bool {
    const IN_FRONT: [&str; 9] = [
        "",
        "index",
        "idx",
        "row",
        "rowid",
        "rowindex",
        "rownum",
        "rownumber",
        "rownames",
    ];
    let plain: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    let unnamed = plain.strip_prefix("unnamed");
    plain == "id"
        || unnamed.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
        || (column == 0 && IN_FRONT.contains(&&plain[..]))
}

/// The columns of those names that are called like an index.
pub(crate) fn named(names: &[String]) -> Vec<usize> {
    let named = names.iter().enumerate();
    let named = named.filter(|(column, name)| is_called_so(name, *column));
    named.map(|(column, _)| column).collect()
}

/// A feature that may be an index, followed row by row.
#[derive(Debug)]
pub(crate) struct Counter {
    /// Its place among the features.
    feature: usize,
    /// Whether its name tells that it is an index, so that it may be left out.
    named: bool,
    first: f64,
    rows: usize,
    holds: bool,
}

impl Counter {
    pub(crate) fn new(feature: usize, named: bool) -> Self {
        Counter {
            feature,
            named,
            first: 0.0,
            rows: 0,
            holds: true,
        }
    }

    /// Looks at the features of the next row.
    pub(crate) fn push(&mut self, row: &[f64]) {
        let value = row.get(self.feature).copied().unwrap_or(f64::NAN);
        if self.rows == 0 {
            self.first = value;
            self.holds = value.fract() == 0.0;
        }
        self.holds &= value == self.first + self.rows as f64;
        self.rows += 1;
    }

    /// Whether it went up by one with every row. Without a name that tells, it must do so
    /// for a while, and start at 0 or 1.
    fn counts(&self) -> bool {
        let starts = self.first == 0.0 || self.first == 1.0;
        let enough = if self.named { 2 } else { ENOUGH_ROWS };
        self.holds && self.rows >= enough && (self.named || starts)
    }
}

/// Leaves out the features that count the rows and are called so, unless no other would be
/// left. Returns all that count.
pub(crate) fn leave_out(
    counters: &[Counter],
    names: &mut Vec<String>,
    values: &mut Values,
) -> Vec<CountingColumn> {
    let counting: Vec<&Counter> = counters.iter().filter(|c| c.counts()).collect();
    let mut out = vec![false; names.len()];
    for counter in counting.iter().filter(|counter| counter.named) {
        out[counter.feature] = true;
    }
    if out.iter().all(|&out| out) {
        return Vec::new();
    }
    let found = counting
        .iter()
        .map(|counter| CountingColumn {
            name: names[counter.feature].clone(),
            left_out: counter.named,
        })
        .collect();
    if out.contains(&true) {
        values.leave_out(&out);
        let mut place = out.iter();
        names.retain(|_| place.next().is_none_or(|&out| !out));
    }
    found
}
