//! `Z Zᵀ` and its Cholesky factor, from features that are read once.

use super::{PANEL, PANELS, Wide};
use crate::Error;
use crate::cholesky::Tiled;
use crate::fit::Options;
use crate::matrix::Matrix;
use crate::observe::{Observer, SearchStep};
use crate::real::Real;
use crate::scaling::Scaling;
use crate::table::Table;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};
use rayon::prelude::*;

/// How often the diagonal is raised when rows are too much alike, tenfold each time.
const TRIES: usize = 4;

impl<'a> Wide<'a> {
    /// Scales the features and factors the inner products of their rows.
    pub(super) fn new<T: Real>(
        table: &'a dyn Table,
        weights: Option<&[f64]>,
        options: &Options,
        observer: &dyn Observer,
    ) -> Result<Self, Error> {
        let (n, d) = (table.rows(), table.columns());
        let mut scaling = Scaling {
            mean: Vec::with_capacity(d),
            scale: Vec::with_capacity(d),
        };
        let ones = if options.bias { 1.0 } else { 0.0 };
        let mut gram = Tiled::from_tiles(n, |_, _, mut tile| tile.fill(ones));
        let starts: Vec<usize> = (0..d).step_by(PANEL).collect();
        let batches = starts.chunks(PANELS);
        let of = batches.len();
        for (done, starts) in batches.enumerate() {
            let panels: Vec<(Scaling, Matrix<T>)> = starts
                .par_iter()
                .map(|&from| {
                    let raw = table.part(from, PANEL.min(d - from));
                    let scaling = match options.standardize {
                        true => Scaling::standard(&raw, weights),
                        false => Scaling::identity(raw.columns()),
                    };
                    let scaled = scaling.apply(&raw, false);
                    (scaling, scaled)
                })
                .collect();
            add_products(&mut gram, &panels);
            for (part, _) in panels {
                scaling.mean.extend(part.mean);
                scaling.scale.extend(part.scale);
            }
            let step = SearchStep { done: done + 1, of };
            if observer.stop() || observer.reduction(&step).is_break() {
                return Err(Error::Interrupted);
            }
        }
        // rounding of the products, and as much as it can take from an eigenvalue
        let shift = 8.0 * T::EPSILON * (n as f64).sqrt() * gram.trace() / n as f64;
        Ok(Self {
            table,
            sparse: None,
            scaling,
            bias: options.bias,
            factor: factored(&gram, shift)?,
        })
    }
}

/// The Cholesky factor once the diagonal is raised by `shift`, or by more if rows are too much alike.
pub(super) fn factored(gram: &Tiled<f64>, mut shift: f64) -> Result<Tiled<f64>, Error> {
    for _ in 0..TRIES {
        let mut raised = gram.clone();
        raised.shift(shift);
        if let Ok(factor) = raised.factor() {
            return Ok(factor);
        }
        shift *= 10.0;
    }
    Err(Error::Numerical(
        "the inner products of the rows cannot be factored; use --precision f64".into(),
    ))
}

/// `A += Σ P Pᵀ` over panels `P`; sums over a panel in `T`, over panels in `f64`.
fn add_products<T: Real>(gram: &mut Tiled<f64>, panels: &[(Scaling, Matrix<T>)]) {
    gram.update_tiles(|row, column, rows, tile| {
        let columns = tile.len() / rows;
        let mut product = vec![T::ZERO; tile.len()];
        for (_, panel) in panels {
            matmul(
                MatMut::from_column_major_slice_mut(&mut product, rows, columns),
                Accum::Replace,
                panel.view(row, row + rows),
                panel.view(column, column + columns).transpose(),
                T::ONE,
                Par::Seq,
            );
            for (entry, product) in tile.iter_mut().zip(&product) {
                *entry += product.wide();
            }
        }
    });
}
