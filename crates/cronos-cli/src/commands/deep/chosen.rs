//! Some rows of a table, without a copy of them.

use cronos::{Error, Table};

/// Rows of another table.
pub struct Chosen<'a> {
    pub table: &'a dyn Table,
    /// Which, and in which order.
    pub rows: Vec<usize>,
}

impl Table for Chosen<'_> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self) -> usize {
        self.table.columns()
    }

    fn bytes(&self) -> u64 {
        size_of_val(&self.rows[..]) as u64
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        self.table.read(self.rows[row], from, out);
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        let rows: Vec<usize> = rows.iter().map(|&row| self.rows[row]).collect();
        self.table.select(&rows)
    }

    fn check_finite(&self) -> Result<(), Error> {
        self.table.check_finite()
    }
}
