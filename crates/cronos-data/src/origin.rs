//! Where a data set comes from, so that a message about a row can name its place.

use crate::error::DataError;

/// The places of rows in a file: physical lines of a text, or rows of an array, from 1.
///
/// Held as runs, because lines mostly follow one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    noun: &'static str,
    count: usize,
    /// The first row of a run and its place.
    runs: Vec<(usize, u64)>,
}

impl Places {
    /// None yet; `noun` is what a message calls one.
    pub(crate) fn new(noun: &'static str) -> Self {
        Places {
            noun,
            count: 0,
            runs: Vec::new(),
        }
    }

    /// No lines yet.
    pub(crate) fn lines() -> Self {
        Places::new("line")
    }

    /// `count` rows of an array.
    pub(crate) fn rows(count: usize) -> Self {
        Places {
            count,
            runs: vec![(0, 1)],
            ..Places::new("row")
        }
    }

    /// Adds the place of the next row.
    pub(crate) fn push(&mut self, place: u64) {
        if self.count == 0 || self.at(self.count) != place {
            self.runs.push((self.count, place));
        }
        self.count += 1;
    }

    fn at(&self, row: usize) -> u64 {
        let after = self.runs.partition_point(|&(first, _)| first <= row);
        match self.runs.get(after.wrapping_sub(1)) {
            Some(&(first, place)) => place + (row - first) as u64,
            None => row as u64 + 1,
        }
    }

    fn select(&self, rows: &[usize]) -> Places {
        let mut chosen = Places::new(self.noun);
        for &row in rows {
            chosen.push(self.at(row));
        }
        chosen
    }

    /// `line 3` or `row 3`, for the place of a row.
    pub(crate) fn called(&self, place: u64) -> String {
        format!("{} {place}", self.noun)
    }

    /// The same for a row.
    pub(crate) fn name(&self, row: usize) -> String {
        self.called(self.at(row))
    }
}

/// Where a target comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The file, or the array in it.
    pub(crate) file: String,
    /// How a message speaks of the target's column, if it is one of several.
    pub(crate) column: Option<String>,
    pub(crate) places: Places,
}

impl Origin {
    /// An array that holds nothing else.
    pub(crate) fn array(file: &str, rows: usize) -> Self {
        Origin {
            file: file.to_owned(),
            column: None,
            places: Places::rows(rows),
        }
    }

    pub(crate) fn select(&self, rows: &[usize]) -> Origin {
        Origin {
            file: self.file.clone(),
            column: self.column.clone(),
            places: self.places.select(rows),
        }
    }
}

/// What is wrong with a target: with one row of it, or with all of it.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) row: Option<usize>,
    pub(crate) what: String,
}

impl Trouble {
    pub(crate) fn at(row: usize, what: String) -> Self {
        let row = Some(row);
        Trouble { row, what }
    }

    pub(crate) fn whole(what: impl Into<String>) -> Self {
        let what = what.into();
        Trouble { row: None, what }
    }

    /// When nothing is known about where the target comes from.
    pub(crate) fn request(self) -> DataError {
        match self.row {
            Some(row) => {
                DataError::request(format!("row {} of the target: {}", row + 1, self.what))
            }
            None => DataError::request(format!("the target {}", self.what)),
        }
    }

    pub(crate) fn content(self, origin: &Origin) -> DataError {
        let place = self.row.map(|row| origin.places.name(row));
        let message = match (place, &origin.column) {
            (Some(place), Some(column)) => format!("{place}, {column}: {}", self.what),
            (Some(place), None) => format!("{place}: {}", self.what),
            (None, Some(column)) => format!("{column}, the target, {}", self.what),
            (None, None) => format!("the target {}", self.what),
        };
        DataError::content(&origin.file, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again() {
        let mut places = Places::lines();
        let lines = [2, 3, 4, 9, 10, 8, 8, 8];
        for line in lines {
            places.push(line);
        }
        assert_eq!(places.runs.len(), 5);
        for (row, line) in lines.iter().enumerate() {
            assert_eq!(places.name(row), format!("line {line}"));
        }
        let chosen = places.select(&[3, 4, 0]);
        assert_eq!(
            [chosen.name(0), chosen.name(1), chosen.name(2)],
            ["line 9", "line 10", "line 2"]
        );
        assert_eq!(Places::rows(5).name(4), "row 5");
        assert_eq!(Places::rows(5).select(&[4]).name(0), "row 5");
    }
}
