//! Features by the hundred thousand, as images have them: fit in the row space,
//! without ever holding them as numbers.
//!
//! With `Z` the scaled features and the column of ones, `Z Zᵀ = L Lᵀ` makes `Z = L Qᵀ`
//! for a `Q` with orthonormal columns. The penalty is rotation invariant and only
//! `Z v` matters, so a network on `L` is one on `Z` with `v = Q v̂ = Zᵀ L⁻ᵀ v̂`.
//! Both products read the features once, panel of columns by panel.

mod gram;
mod sparse;
#[cfg(test)]
mod tests;

use crate::Error;
use crate::cholesky::Tiled;
use crate::fit::{Fitted, GateSource, Options, Precision};
use crate::matrix::Matrix;
use crate::memory::{self, Plan};
use crate::observe::Observer;
use crate::path::Path;
use crate::program::Activation;
use crate::rows::check_weights;
use crate::scaling::Scaling;
use crate::sparse::Sparse;
use crate::table::Table;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::borrow::Cow;
use std::time::Instant;

/// Entries from which on a matrix that is wider than tall is reduced before gates
/// are drawn; a smaller one is reduced by the solver, if at all.
const LARGE: usize = 1 << 24;

/// Columns that are read at a time by one thread.
const PANEL: usize = 256;
/// Panels that are in memory at a time.
const PANELS: usize = 8;

/// Units that a network is expected to have, at most.
const UNITS: usize = 100;

const WAY_OUT: &str = "use fewer rows, or smaller images (--image-size)";

/// What holds networks on reduced features.
pub(crate) trait Networks {
    fn each(&mut self) -> impl Iterator<Item = &mut Fitted>;
}

impl Networks for Fitted {
    fn each(&mut self) -> impl Iterator<Item = &mut Fitted> {
        std::iter::once(self)
    }
}

impl Networks for Path {
    fn each(&mut self) -> impl Iterator<Item = &mut Fitted> {
        self.points.iter_mut()
    }
}

/// What `run` makes of the features as a matrix, and of options that fit it.
pub(crate) fn with_matrix<R: Networks>(
    table: &dyn Table,
    weights: Option<&[f64]>,
    options: &Options,
    observer: &dyn Observer,
    run: impl FnOnce(&Matrix<f64>, &Options) -> Result<R, Error>,
) -> Result<R, Error> {
    let (mut made, numbers) = match is_worth_it(table, options) {
        true => (reduced(table, weights, options, observer, run)?, 0),
        false => {
            let numbers = check_numbers(table, options)?;
            (run(&table.to_matrix(), options)?, numbers)
        }
    };
    let held = memory::PROGRAM + table.bytes() + numbers;
    for fitted in made.each() {
        fitted.planned_bytes = fitted.planned_bytes.map(|bytes| bytes + held);
    }
    Ok(made)
}

/// Bytes of a table as numbers, if it is not made of them yet; refuses too many.
fn check_numbers(table: &dyn Table, options: &Options) -> Result<u64, Error> {
    let numbers = match table.as_matrix() {
        Some(_) => 0,
        None => table.rows().saturating_mul(table.columns()),
    };
    let bytes = numbers.saturating_mul(size_of::<f64>()) as u64;
    let plan = Plan::of(vec![("features as numbers", bytes)]);
    plan.check(memory::limit(&options.settings), WAY_OUT)?;
    Ok(bytes)
}

/// What `run` makes of the features in the row space, carried back.
fn reduced<R: Networks>(
    table: &dyn Table,
    weights: Option<&[f64]>,
    options: &Options,
    observer: &dyn Observer,
    run: impl FnOnce(&Matrix<f64>, &Options) -> Result<R, Error>,
) -> Result<R, Error> {
    if let Some(x) = table.to_sparse() {
        sparse::check(&x, options)?;
    }
    table.check_finite()?;
    check_weights(table.rows(), weights)?;
    let start = Instant::now();
    let plan = plan(table, options);
    plan.check(memory::limit(&options.settings), WAY_OUT)?;
    let wide = match (table.to_sparse(), options.precision) {
        (Some(x), _) => Wide::of_sparse(table, x, weights, options)?,
        (None, Precision::F32) => Wide::new::<f32>(table, weights, options, observer)?,
        (None, Precision::F64) => Wide::new::<f64>(table, weights, options, observer)?,
    };
    let mut inner = options.clone();
    inner.bias = false;
    inner.standardize = false;
    // an average would be several times as large
    inner.networks = options.networks.or(Some(1));
    if let GateSource::Given(directions) = &options.gates {
        inner.gates = GateSource::Given(wide.lowered(directions)?);
    }
    let reducing = start.elapsed().as_secs_f64();
    if let Some(limit) = &mut inner.settings.time_limit_seconds {
        *limit = (*limit - reducing).max(1e-3);
    }
    let mut made = run(&wide.factor.lower(), &inner)?;
    for fitted in made.each() {
        wide.restore(fitted);
        fitted.seconds.setup += reducing;
        let more = |bytes: u64| bytes + plan.total();
        fitted.planned_bytes = fitted.planned_bytes.map(more);
    }
    Ok(made)
}

/// Whether a table is much wider than tall, and large.
fn is_worth_it(table: &dyn Table, options: &Options) -> bool {
    let (n, d) = (table.rows(), table.columns());
    if table.to_sparse().is_some() {
        return true;
    }
    let large = n.saturating_mul(d) >= LARGE;
    // gates that are given and kept must be kept as they are
    let kept = matches!(options.gates, GateSource::Given(_));
    n >= 2 && d > 2 * n && large && !(kept && options.activation == Activation::Gated)
}

fn plan(table: &dyn Table, options: &Options) -> Plan {
    let (n, d) = (table.rows(), table.columns());
    let bytes = |numbers: usize| numbers.saturating_mul(size_of::<f64>()) as u64;
    let threads = rayon::current_num_threads();
    let units = match &options.gates {
        GateSource::Sampled(gates) => *gates,
        GateSource::Given(directions) => directions.columns(),
        GateSource::Learned { most } => most.unwrap_or(UNITS),
    };
    Plan::of(vec![
        ("inner products of the rows", 2 * Tiled::<f64>::bytes(n)),
        ("features in the row space", bytes(n * n)),
        ("columns in work", bytes(n * PANEL * (PANELS + 2 * threads))),
        ("scaling of the features", bytes(2 * d)),
        ("weights of the network", bytes(d.saturating_mul(units))),
    ])
}

/// The factor `L`, and what leads back from it.
struct Wide<'a> {
    table: &'a dyn Table,
    /// The same, if it is sparse.
    sparse: Option<Cow<'a, Sparse>>,
    scaling: Scaling,
    bias: bool,
    factor: Tiled<f64>,
}

impl Wide<'_> {
    /// `Zᵀ t` for each column of `t` (n x units), as weights on raw features, row
    /// by row, and constants.
    fn raise(&self, t: MatRef<'_, f64>) -> (Matrix<f64>, Vec<f64>) {
        let (n, d, units) = (t.nrows(), self.table.columns(), t.ncols());
        let mut values = vec![0.0; units * d];
        let mut constants: Vec<f64> = (0..units)
            .map(|unit| match self.bias {
                true => t.col(unit).iter().sum(),
                false => 0.0,
            })
            .collect();
        if let Some(x) = &self.sparse {
            return (sparse::raise(x, self.scaling.scale[0], t), constants);
        }
        let starts: Vec<usize> = (0..d).step_by(PANEL).collect();
        for starts in starts.chunks(PANELS) {
            let products: Vec<Vec<f64>> = starts
                .par_iter()
                .map(|&from| {
                    let panel = self.panel(from);
                    let mut product = vec![0.0; units * panel.columns()];
                    matmul(
                        MatMut::from_row_major_slice_mut(&mut product, units, panel.columns()),
                        Accum::Replace,
                        t.transpose(),
                        panel.view(0, n),
                        1.0,
                        Par::Seq,
                    );
                    product
                })
                .collect();
            for (&from, product) in starts.iter().zip(products) {
                let columns = PANEL.min(d - from);
                for (unit, weights) in product.chunks(columns).enumerate() {
                    // w·(x − m)/s = (w/s)·x − Σ m w/s
                    for (at, weight) in weights.iter().enumerate() {
                        let weight = weight / self.scaling.scale[from + at];
                        constants[unit] -= weight * self.scaling.mean[from + at];
                        values[unit * d + from + at] = weight;
                    }
                }
            }
        }
        (Matrix::of(units, d, values), constants)
    }

    /// Scaled features, from the column `from` on.
    fn panel(&self, from: usize) -> Matrix<f64> {
        let columns = PANEL.min(self.table.columns() - from);
        let scaling = Scaling {
            mean: self.scaling.mean[from..from + columns].to_vec(),
            scale: self.scaling.scale[from..from + columns].to_vec(),
        };
        scaling.apply(&self.table.part(from, columns), false)
    }

    /// Directions on scaled features as those on `L` that have the same products
    /// with the rows: `ĝ = L⁻¹ Z g`.
    fn lowered(&self, directions: &Matrix<f64>) -> Result<Matrix<f64>, Error> {
        let (n, d, count) = (self.table.rows(), directions.rows(), directions.columns());
        if d != self.table.columns() {
            return Err(Error::Shape {
                what: "gate directions",
                expected: format!("{} rows, one for each feature", self.table.columns()),
                found: format!("{d} rows"),
            });
        }
        directions.check_finite("gate directions")?;
        let mut products = match &self.sparse {
            Some(x) => sparse::products(x, self.scaling.scale[0], directions),
            None => self.products(directions),
        };
        let mut lowered = MatMut::from_column_major_slice_mut(&mut products, n, count);
        self.factor.solve_lower(lowered.as_mut());
        Ok(Matrix::from_fn(n, count, |i, j| products[j * n + i]))
    }

    /// `Z g` for each column of `directions`, column by column.
    fn products(&self, directions: &Matrix<f64>) -> Vec<f64> {
        let (n, d, count) = (self.table.rows(), directions.rows(), directions.columns());
        let mut products = vec![0.0; n * count];
        for from in (0..d).step_by(PANEL) {
            let panel = self.panel(from);
            matmul(
                MatMut::from_column_major_slice_mut(&mut products, n, count),
                Accum::Add,
                panel.view(0, n),
                directions.view(from, from + panel.columns()),
                1.0,
                Par::Seq,
            );
        }
        products
    }

    /// Makes a network on `L` one on raw features.
    fn restore(&self, fitted: &mut Fitted) {
        let n = self.table.rows();
        let raised = |weights: &Matrix<f64>| {
            let mut t = weights.values().to_vec();
            let mut columns = MatMut::from_column_major_slice_mut(&mut t, n, weights.rows());
            // t = L⁻ᵀ v̂
            self.factor.solve_upper(columns.as_mut());
            self.raise(columns.as_ref())
        };
        let network = &mut fitted.network;
        (network.hidden, network.hidden_bias) = raised(&network.hidden);
        if let Some(gating) = &mut network.gating {
            (gating.directions, gating.bias) = raised(&gating.directions);
        }
        fitted.reduced_features = Some(n);
        fitted.feature_scaling = self.scaling.clone();
    }
}
