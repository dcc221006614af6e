//! The values of features: numbers, or bytes where the source holds bytes, or a file that has them.

use crate::stored::Stored;

/// Values of one kind. Pixels stay bytes, an eighth of the memory of numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Numbers; NaN stands for a missing one.
    Numbers(Vec<f64>),
    /// Whole numbers from 0 to 255.
    Bytes(Vec<u8>),
    /// Numbers in a file. Those that cannot be read any more are missing.
    Stored(Stored),
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Numbers(values) => values.len(),
            Values::Bytes(values) => values.len(),
            Values::Stored(values) => values.rows() * values.columns(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at a place, as a number.
    ///
    /// # Panics
    /// When there is no such place, as slices do.
    pub fn at(&self, place: usize) -> f64 {
        match self {
            Values::Numbers(values) => values[place],
            Values::Bytes(values) => f64::from(values[place]),
            Values::Stored(values) => {
                let (row, column) = (place / values.columns(), place % values.columns());
                values.numbers(row..row + 1)[column]
            }
        }
    }

    /// A copy of the values as numbers.
    pub fn to_numbers(&self) -> Vec<f64> {
        match self {
            Values::Numbers(values) => values.clone(),
            Values::Bytes(values) => values.iter().copied().map(f64::from).collect(),
            Values::Stored(values) => values.numbers(0..values.rows()),
        }
    }

    /// The values as numbers; numbers are not copied.
    pub fn into_numbers(self) -> Vec<f64> {
        match self {
            Values::Numbers(values) => values,
            others => others.to_numbers(),
        }
    }

    /// How many are missing.
    pub fn missing(&self) -> usize {
        match self {
            Values::Numbers(values) => values.iter().filter(|value| value.is_nan()).count(),
            Values::Bytes(_) => 0,
            Values::Stored(values) => (0..values.rows())
                .flat_map(|row| values.numbers(row..row + 1))
                .filter(|value| value.is_nan())
                .count(),
        }
    }

    /// The named rows of `columns` values each, in the order named.
    pub(crate) fn rows(&self, columns: usize, rows: &[usize]) -> Values {
        match self {
            Values::Numbers(values) => Values::Numbers(gather(values, columns, rows)),
            Values::Bytes(values) => Values::Bytes(gather(values, columns, rows)),
            Values::Stored(values) => Values::Stored(values.select(rows)),
        }
    }

    /// The same without a second copy, for rows in ascending order.
    pub(crate) fn keep_rows(&mut self, columns: usize, rows: &[usize]) {
        match self {
            Values::Numbers(values) => keep(values, columns, rows),
            Values::Bytes(values) => keep(values, columns, rows),
            Values::Stored(values) => *values = values.select(rows),
        }
    }

    /// Leaves out some columns of every row, without a second copy of the others.
    pub(crate) fn leave_out(&mut self, out: &[bool]) {
        fn leave<T>(values: &mut Vec<T>, out: &[bool]) {
            let mut place = out.iter().cycle();
            values.retain(|_| place.next().is_none_or(|out| !out));
        }
        match self {
            Values::Numbers(values) => leave(values, out),
            Values::Bytes(values) => leave(values, out),
            Values::Stored(values) => {
                let stay: Vec<usize> = (0..out.len()).filter(|&column| !out[column]).collect();
                *values = values.with_columns(&stay);
            }
        }
    }

    /// The named columns of every row of `count` values, in the order named.
    pub(crate) fn columns(&self, count: usize, columns: &[usize]) -> Values {
        match self {
            Values::Numbers(values) => Values::Numbers(across(values, count, columns)),
            Values::Bytes(values) => Values::Bytes(across(values, count, columns)),
            Values::Stored(values) => Values::Stored(values.with_columns(columns)),
        }
    }
}

pub(crate) fn gather<T: Copy>(values: &[T], columns: usize, rows: &[usize]) -> Vec<T> {
    let mut chosen = Vec::with_capacity(rows.len() * columns);
    for &row in rows {
        chosen.extend_from_slice(&values[row * columns..(row + 1) * columns]);
    }
    chosen
}

fn keep<T: Copy>(values: &mut Vec<T>, columns: usize, rows: &[usize]) {
    for (place, &row) in rows.iter().enumerate() {
        values.copy_within(row * columns..(row + 1) * columns, place * columns);
    }
    values.truncate(rows.len() * columns);
    values.shrink_to_fit();
}

fn across<T: Copy>(values: &[T], count: usize, columns: &[usize]) -> Vec<T> {
    values
        .chunks_exact(count)
        .flat_map(|row| columns.iter().map(|&column| row[column]))
        .collect()
}
