//! A table in which one feature is shuffled.

use crate::Error;
use crate::matrix::Matrix;
use crate::table::Table;

/// Row `i` has the value of row `order[i]` in one feature.
pub(super) struct Mixed<'a> {
    pub x: &'a Matrix<f64>,
    pub feature: usize,
    pub order: &'a [usize],
}

impl Table for Mixed<'_> {
    fn rows(&self) -> usize {
        self.x.rows()
    }

    fn columns(&self) -> usize {
        self.x.columns()
    }

    fn bytes(&self) -> u64 {
        self.x.bytes()
    }

    fn read(&self, row: usize, from: usize, out: &mut [f64]) {
        self.x.read(row, from, out);
        let place = self.feature.checked_sub(from);
        if let Some(value) = place.and_then(|place| out.get_mut(place)) {
            *value = self.x.at(self.order[row], self.feature);
        }
    }

    fn select(&self, rows: &[usize]) -> Box<dyn Table> {
        let (whole, columns): (&dyn Table, _) = (self, self.x.columns());
        Box::new(whole.part(0, columns).select(rows))
    }

    fn check_finite(&self) -> Result<(), Error> {
        Table::check_finite(self.x)
    }
}
