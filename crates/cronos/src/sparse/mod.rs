//! Features that are mostly zero, as words of texts are: of every row the entries that are not.

mod fit;
mod product;
mod sums;
#[cfg(test)]
mod tests;

pub(crate) use fit::fit_sparse;
pub(crate) use product::flip;
pub(crate) use sums::SparseSums;

use crate::Error;
use crate::table::{Pick, Table};

/// A sparse matrix, row by row (CSR): the entries of row `i` are `starts[i]..starts[i + 1]`, their
/// columns ascending. All other entries are 0.
///
/// ```
/// use cronos::{Sparse, Table};
///
/// // 1 0 2
/// // 0 0 3
/// let x = Sparse::new(2, 3, vec![0, 2, 3], vec![0, 2, 2], vec![1.0, 2.0, 3.0])?;
/// assert_eq!(x.row(0), (&[0, 2][..], &[1.0, 2.0][..]));
/// assert_eq!(x.times(&[1.0, 10.0, 100.0], 1), [201.0, 300.0]);
/// # Ok::<(), cronos::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    rows: usize,
    columns: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl Sparse {
    /// Wraps the entries of `rows` rows. Refuses what does not fit together: `starts` must rise from 0 to
    /// the number of entries, and the columns of a row must ascend; and entries that are not finite.
    pub fn new(
        rows: usize,
        columns: usize,
        starts: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f32>,
    ) -> Result<Self, Error> {
        let made = Self {
            rows,
            columns,
            starts,
            indices,
            values,
        };
        made.check_starts()?;
        for row in 0..rows {
            made.check_row(row)?;
        }
        Ok(made)
    }

    fn check_starts(&self) -> Result<(), Error> {
        let entries = self.indices.len();
        let refused = |what, expected: String, found: String| {
            Err(Error::Shape {
                what,
                expected,
                found,
            })
        };
        if self.values.len() != entries {
            let expected = format!("{entries}, one for each column index");
            return refused("sparse values", expected, self.values.len().to_string());
        }
        if u32::try_from(self.rows).is_err() {
            let expected = format!("at most {}", u32::MAX);
            return refused("sparse rows", expected, self.rows.to_string());
        }
        if self.starts.len() != self.rows.saturating_add(1) {
            let expected = format!("{} numbers, one more than rows", self.rows + 1);
            let found = format!("{} numbers", self.starts.len());
            return refused("sparse row starts", expected, found);
        }
        let ends = [self.starts[0], self.starts[self.rows]];
        if ends != [0, entries] {
            let expected = format!("from 0 to {entries}, the number of entries");
            let found = format!("from {} to {}", ends[0], ends[1]);
            return refused("sparse row starts", expected, found);
        }
        match self.starts.windows(2).position(|pair| pair[0] > pair[1]) {
            Some(row) => Err(Error::Data(format!(
                "row {row} (counting from 0) of the sparse features starts at entry {} and ends at {}; row \
                 starts must not fall",
                self.starts[row],
                self.starts[row + 1]
            ))),
            None => Ok(()),
        }
    }

    fn check_row(&self, row: usize) -> Result<(), Error> {
        let (indices, values) = self.row(row);
        if let Some(&last) = indices.iter().find(|&&j| j as usize >= self.columns) {
            return Err(Error::Data(format!(
                "row {row} of the sparse features has an entry in column {last} (counting from 0), but \
                 there are {} columns; make the matrix wider or drop the entry",
                self.columns
            )));
        }
        if let Some(pair) = indices.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(Error::Data(format!(
                "row {row} of the sparse features has column {} before {}; the columns of a row must \
                 ascend, each once: sort them and add up what is there twice",
                pair[0], pair[1]
            )));
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(Error::NotFinite {
                what: "sparse features",
                row,
                column: indices[at] as usize,
                value: f64::from(values[at]),
            }),
            None => Ok(()),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of entries that are stored.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Columns and values of the entries of row `i`.
    pub fn row(&self, i: usize) -> (&[u32], &[f32]) {
        let entries = self.starts[i]..self.starts[i + 1];
        (&self.indices[entries.clone()], &self.values[entries])
    }

    /// The rows with these indices, in this order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let count = rows.iter().map(|&row| self.row(row).0.len()).sum();
        let mut made = Self {
            rows: rows.len(),
            columns: self.columns,
            starts: Vec::with_capacity(rows.len() + 1),
            indices: Vec::with_capacity(count),
            values: Vec::with_capacity(count),
        };
        made.starts.push(0);
        for &row in rows {
            let (indices, values) = self.row(row);
            made.indices.extend_from_slice(indices);
            made.values.extend_from_slice(values);
            made.starts.push(made.indices.len());
        }
        made
    }

    /// The root of the mean squared norm of a row, each counted by its weight; 1 where all is 0.
    pub(crate) fn typical_norm(&self, weights: Option<&[f64]>) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for row in 0..self.rows {
            let squares = self.row(row).1.iter().map(|&x| f64::from(x).powi(2));
            let weight = weights.map_or(1.0, |weights| weights[row]);
            sum += weight * squares.sum::<f64>();
            total += weight;
        }
        let norm = (sum / total).sqrt();
        if norm > 0.0 && norm.is_finite() {
            norm
        } else {
            1.0
        }
    }
}

impl Table for Sparse {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn bytes(&self) -> u64 {
        let arrays = size_of_val(&self.indices[..]) + size_of_val(&self.values[..]);
        (arrays + size_of_val(&self.starts[..])) as u64
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        out.fill(0.0);
        let (indices, values) = self.row(row);
        let first = indices.partition_point(|&j| (j as usize) < from);
        for (&j, &value) in indices[first..].iter().zip(&values[first..]) {
            match out.get_mut(j as usize - from) {
                Some(out) => *out = f64::from(value),
                None => break,
            }
        }
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        Box::new(Sparse::select(self, rows))
    }

    fn as_sparse(&self) -> Option<&Sparse> {
        Some(self)
    }

    /// Nothing that is not finite can be made.
    fn check_finite(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl Pick for Sparse {
    fn pick(&self, rows: &[usize]) -> Self {
        self.select(rows)
    }
}
