//! Features that stay in their file.

use cronos::{Error, Table};
use cronos_data::Stored;

/// Rows that are read when they are needed. What cannot be read any more is missing.
pub struct InFile(pub Stored);

impl Table for InFile {
    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn columns(&self) -> usize {
        self.0.columns()
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        let numbers = self.0.numbers(row..row + 1);
        out.copy_from_slice(&numbers[from..][..out.len()]);
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        Box::new(Self(self.0.select(rows)))
    }

    fn check_finite(&self) -> Result<(), Error> {
        for row in 0..self.rows() {
            let mut numbers = vec![0.0; self.columns()];
            let read = self.0.read(row..row + 1, &mut numbers);
            read.map_err(|error| Error::Data(error.to_string()))?;
            if let Some(column) = numbers.iter().position(|value| !value.is_finite()) {
                return Err(Error::Data(format!(
                    "{}: row {}, feature {column} (counting from 0) is {}; every entry must be \
                     finite; impute it or drop the row",
                    self.0.name(),
                    self.0.place(row) + 1,
                    numbers[column]
                )));
            }
        }
        Ok(())
    }
}
