//! Sparse features in the space of their rows. They are divided by one number and never centred, which would fill
//! them: `Z = (X / s, 1)`.

use super::Wide;
use super::gram::factored;
use crate::Error;
use crate::cholesky::Tiled;
use crate::fit::{GateSource, Options};
use crate::matrix::Matrix;
use crate::program::Activation;
use crate::scaling::Scaling;
use crate::sparse::{Sparse, flip};
use crate::table::Table;
use faer::MatRef;
use std::borrow::Cow;

/// Rows at most: the inner products of all of them are held, and factored.
const MOST_ROWS: usize = 4000;

/// What is added to the diagonal at first, relative to its mean: rows may be alike.
const SHIFT: f64 = 1e-10;

/// What a product of 0 becomes, relative to the largest.
const TIE: f64 = 1e-6;

/// Refuses sparse features that the row space is no help for.
pub(super) fn check(x: &Sparse, options: &Options) -> Result<(), Error> {
    if x.rows() < 2 || x.columns() == 0 {
        return Err(Error::Shape {
            what: "sparse features",
            expected: "at least 2 rows and 1 column".into(),
            found: format!("{} rows and {} columns", x.rows(), x.columns()),
        });
    }
    if x.rows() > MOST_ROWS {
        return Err(Error::Data(format!(
            "the convex program of sparse features is solved in the space of their rows, of which there may be \
             {MOST_ROWS}, and there are {} (of {} features); let gates be learned (no --gates), or use fewer \
             rows",
            x.rows(),
            x.columns()
        )));
    }
    let kept = matches!(options.gates, GateSource::Given(_));
    if kept && options.activation == Activation::Gated {
        let expected = "relu where gates are given for sparse features";
        return Err(Error::setting("activation", "gated", expected));
    }
    Ok(())
}

impl<'a> Wide<'a> {
    /// Factors the inner products of sparse rows.
    pub(super) fn of_sparse(
        table: &'a dyn Table,
        x: Cow<'a, Sparse>,
        weights: Option<&[f64]>,
        options: &Options,
    ) -> Result<Self, Error> {
        let (n, d) = (x.rows(), x.columns());
        let scale = match options.standardize {
            true => x.typical_norm(weights),
            false => 1.0,
        };
        let ones = if options.bias { 1.0 } else { 0.0 };
        let gram = Tiled::from_tiles(n, |from_row, from_column, mut tile| {
            let mut row = vec![0.0; d];
            for i in 0..tile.nrows() {
                let (indices, values) = x.row(from_row + i);
                for (&j, &value) in indices.iter().zip(values) {
                    row[j as usize] = f64::from(value);
                }
                for j in 0..tile.ncols() {
                    let (others, theirs) = x.row(from_column + j);
                    let pairs = others.iter().zip(theirs);
                    let products = pairs.map(|(&j, &value)| row[j as usize] * f64::from(value));
                    tile[(i, j)] = products.sum::<f64>() / (scale * scale) + ones;
                }
                for &j in indices {
                    row[j as usize] = 0.0;
                }
            }
        });
        let factor = factored(&gram, SHIFT * gram.trace() / n as f64)?;
        Ok(Self {
            table,
            sparse: Some(x),
            scaling: Scaling {
                mean: vec![0.0; d],
                scale: vec![scale; d],
            },
            bias: options.bias,
            factor,
        })
    }
}

/// `Xᵀ t` for each column of `t` (n x units) over `scale²`: weights on raw features, a row for each unit.
pub(super) fn raise(x: &Sparse, scale: f64, t: MatRef<'_, f64>) -> Matrix<f64> {
    let (n, units) = (t.nrows(), t.ncols());
    let by_row: Vec<f64> = (0..n)
        .flat_map(|i| (0..units).map(move |unit| t[(i, unit)]))
        .collect();
    let mut products = x.transposed().times(&by_row, units);
    products.iter_mut().for_each(|w| *w /= scale * scale);
    Matrix::of(units, x.columns(), flip(&products, x.columns(), units))
}

/// `X g / scale` for each column of `directions`, column by column. A row on the plane of a gate, as one without entries
/// is, comes to lie just above it, where the gate is active: rounding must not decide that.
pub(super) fn products(x: &Sparse, scale: f64, directions: &Matrix<f64>) -> Vec<f64> {
    let count = directions.columns();
    let mut products = x.times(directions.values(), count);
    let largest = products
        .iter()
        .fold(0.0, |most: f64, value| most.max(value.abs()));
    for product in &mut products {
        *product = match *product {
            0.0 => TIE * largest,
            product => product,
        } / scale;
    }
    flip(&products, x.rows(), count)
}
