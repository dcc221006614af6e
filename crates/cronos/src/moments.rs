//! Mean and deviation of columns whose rows are read once, part by part.

use crate::Error;
use crate::scaling::Scaling;
use crate::table::Table;
use rayon::prelude::*;

/// Rows of a part, and parts that are in memory at a time.
const PART: usize = 256;
const PARTS: usize = 32;

/// Weight of some rows, and of each column the mean and the sum of squared deviations from it, both
/// after the first row of all was subtracted: a constant column has none.
struct Moments {
    weight: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

/// [`Scaling::standard`] of rows that stay where they are.
pub(crate) fn standard(table: &dyn Table, weights: Option<&[f64]>) -> Result<Scaling, Error> {
    let (n, d) = (table.rows(), table.columns());
    let mut first = vec![0.0; d];
    table.read_doubles(0..n.min(1), &mut first)?;
    let part = |room: &mut Vec<f64>, &from: &usize| {
        let rows = from..n.min(from + PART);
        room.resize(rows.len() * d, 0.0);
        table.read_doubles(rows.clone(), room)?;
        Ok(Moments::of(
            room,
            weights.map(|weights| &weights[rows]),
            &first,
        ))
    };
    let mut all = Moments::none(d);
    let starts: Vec<usize> = (0..n).step_by(PART).collect();
    for starts in starts.chunks(PARTS) {
        let parts = starts.par_iter().map_init(Vec::new, part);
        let parts: Vec<Moments> = parts.collect::<Result<_, Error>>()?;
        parts.iter().for_each(|part| all.add(part));
    }
    let of_column = |(first, (mean, squares)): (&f64, (&f64, &f64))| {
        let (mean, deviation) = (first + mean, (squares / all.weight).sqrt());
        match deviation > 1e-12 * mean.abs() && deviation > 0.0 {
            true => (mean, deviation),
            false => (*first, 1.0),
        }
    };
    let moments = all.mean.iter().zip(&all.squares);
    let (mean, scale) = first.iter().zip(moments).map(of_column).unzip();
    Ok(Scaling { mean, scale })
}

impl Moments {
    fn none(columns: usize) -> Self {
        Self {
            weight: 0.0,
            mean: vec![0.0; columns],
            squares: vec![0.0; columns],
        }
    }

    fn of(rows: &[f64], weights: Option<&[f64]>, first: &[f64]) -> Self {
        let d = first.len();
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let mut own = Self::none(d);
        own.weight = (0..rows.len() / d).map(weight).sum();
        for (at, row) in rows.chunks(d).enumerate() {
            let share = weight(at) / own.weight;
            for ((mean, value), first) in own.mean.iter_mut().zip(row).zip(first) {
                *mean += share * (value - first);
            }
        }
        for (at, row) in rows.chunks(d).enumerate() {
            let weight = weight(at);
            let columns = own.squares.iter_mut().zip(&own.mean);
            for ((squares, mean), (value, first)) in columns.zip(row.iter().zip(first)) {
                *squares += weight * (value - first - mean).powi(2);
            }
        }
        own
    }

    /// With more rows:
    ///
    /// ```text
    /// w = w_a + w_b ,   m = m_a + (m_b − m_a) w_b/w ,   s = s_a + s_b + (m_b − m_a)² w_a w_b/w
    /// ```
    fn add(&mut self, more: &Self) {
        let weight = self.weight + more.weight;
        let share = more.weight / weight;
        for j in 0..self.mean.len() {
            let step = more.mean[j] - self.mean[j];
            self.mean[j] += share * step;
            self.squares[j] += more.squares[j] + step * step * self.weight * share;
        }
        self.weight = weight;
    }
}

#[cfg(test)]
mod tests {
    use super::standard;
    use crate::matrix::Matrix;
    use crate::scaling::Scaling;

    /// The same as the sums over all rows, for columns far from 0, constant ones and weights.
    #[test]
    fn parts_make_the_whole() {
        let x = Matrix::from_fn(1000, 4, |i, j| match j {
            0 => (i as f64 * 0.7).sin(),
            1 => 1e6 + (i as f64 * 1.3).cos(),
            2 => 0.1,
            _ => (i % 7) as f64,
        });
        let weights: Vec<f64> = (0..1000).map(|i| 0.5 + (i % 3) as f64).collect();
        for weights in [None, Some(&weights[..])] {
            let whole = Scaling::standard(&x, weights);
            let parts = standard(&x, weights).expect("read");
            for j in 0..4 {
                assert!((parts.mean[j] - whole.mean[j]).abs() <= 1e-9 * whole.mean[j].abs());
                assert!((parts.scale[j] - whole.scale[j]).abs() <= 1e-9 * whole.scale[j]);
            }
            assert_eq!((parts.mean[2], parts.scale[2]), (0.1, 1.0));
        }
    }
}
