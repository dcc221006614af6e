//! Whether a table's first row is a header, and the names in it.

use crate::cell::{self, Cell};
use crate::error::{DataError, quoted};
use crate::index;
use crate::records::Row;

/// A first row is a header when it holds text and no numbers. When it holds both it is still
/// one if a text stands above a number, or if its numbers only count up (0, 1, 2, …) as
/// data frames without names are written; else it is a row with a class name in it. Without
/// any text it is one if it counts from 0 behind an empty cell, with a 0 below that: a data
/// frame without names, and its index.
pub(crate) fn is_one(first: &Row, second: Option<&Row>) -> bool {
    let cells: Vec<Cell> = columns_of(first)
        .map(|c| cell::parse(first.cell(c)))
        .collect();
    if !cells.contains(&Cell::Text) {
        let below = second.map(|second| cell::parse(second.cell(0)));
        return row_of_frame(first, &cells) && below == Some(Cell::Number(0.0));
    }
    let numbers: Vec<f64> = cells
        .iter()
        .filter_map(|cell| match cell {
            Cell::Number(value) => Some(*value),
            _ => None,
        })
        .collect();
    if numbers.is_empty() {
        return true;
    }
    let Some(second) = second else {
        return false;
    };
    let names_a_number = columns_of(first).any(|column| {
        cells[column] == Cell::Text && matches!(cell::parse(second.cell(column)), Cell::Number(_))
    });
    let counts = numbers.len() > 1 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1.0);
    names_a_number || counts
}

/// An empty cell, then 0, 1, and so on.
fn row_of_frame(row: &Row, cells: &[Cell]) -> bool {
    let counts = |(place, cell): (usize, &Cell)| *cell == Cell::Number(place as f64);
    row.cell(0).is_empty() && cells.len() > 2 && cells[1..].iter().enumerate().all(counts)
}

fn columns_of(row: &Row) -> std::ops::Range<usize> {
    0..row.cells.len()
}

/// The names in a row.
pub(crate) fn names_of(file: &str, row: &Row) -> Result<Vec<String>, DataError> {
    let cells = columns_of(row).map(|column| row.cell(column));
    names(file, Some(row.line), cells)
}

/// The columns that are called like an index.
pub(crate) fn indices(row: &Row) -> Vec<usize> {
    columns_of(row)
        .filter(|&column| index::is_called_so(row.cell(column), column))
        .collect()
}

/// The names of the columns. An empty one becomes `x` and the column's index; the first is
/// called as data frames call it, so that it is not mistaken for a feature `x0` of a model.
///
/// line: where they stand, if that is a line
pub(crate) fn names<'a>(
    file: &str,
    line: Option<u64>,
    cells: impl Iterator<Item = &'a str>,
) -> Result<Vec<String>, DataError> {
    let mut seen = std::collections::HashSet::new();
    let mut names = Vec::new();
    for (column, cell) in cells.enumerate() {
        let name = match cell {
            "" if column == 0 => "Unnamed: 0".to_owned(),
            "" => format!("x{column}"),
            name => name.to_owned(),
        };
        if !seen.insert(name.clone()) {
            let line = line
                .map(|line| format!("line {line}, "))
                .unwrap_or_default();
            return Err(DataError::content(
                file,
                format!(
                    "{line}column {column} (counting from 0): the name {} appears twice; give \
                     every column its own name",
                    quoted(&name)
                ),
            ));
        }
        names.push(name);
    }
    Ok(names)
}
