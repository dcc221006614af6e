//! A fit to features that stay where they are, and are read over and over.

use crate::Error;
use crate::fit::{Fitted, GateSource, Options, Precision, solve_sampled};
use crate::matrix::Matrix;
use crate::moments;
use crate::network::TargetScaling;
use crate::observe::Observer;
use crate::place::Place;
use crate::rows::check_weights;
use crate::sampled::Sampled;
use crate::scaling::Scaling;
use crate::scout;
use crate::table::Table;

/// Solves the convex program of gates that are drawn, given, or learned from a sample.
pub(crate) fn fit_streamed(
    table: &dyn Table,
    (y, weights, labels): (&Matrix<f64>, Option<&[f64]>, Option<&[usize]>),
    targets: TargetScaling,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Fitted, Error> {
    let (n, d) = (table.rows(), table.columns() + usize::from(options.bias));
    if d == 0 || n < d.max(2) {
        return Err(Error::Data(format!(
            "{n} rows of {d} features stay in their file; that needs as many rows as features; \
             raise --memory so that they fit"
        )));
    }
    if !options.settings.team.is_alone() || options.settings.place != Place::Cpu {
        let expected = "the processor of one machine while features stay in their file";
        return Err(Error::setting("place", "elsewhere", expected));
    }
    check_weights(n, weights)?;
    if weights.is_some_and(|weights| weights.contains(&0.0)) {
        return Err(Error::Data(
            "a row whose features stay in their file has the weight 0; leave such rows out".into(),
        ));
    }
    let loss = options.loss.unwrap_or_default();
    y.check_finite("targets")?;
    loss.check(y)?;
    let found;
    let options = match options.gates {
        GateSource::Learned { .. } => {
            let scaling = match options.standardize {
                true => moments::standard(table, weights)?,
                false => Scaling::identity(table.columns()),
            };
            let (rows, scalings) = ((y, weights, labels), (&targets, &scaling));
            found = scout::streamed(table, rows, scalings, loss, options, observer)?;
            &found
        }
        _ => options,
    };
    match options.precision {
        Precision::F32 => {
            let sampled = Sampled::<f32, _>::streamed(table, y, weights, targets, loss, options)?;
            solve_sampled(sampled, options, observer)
        }
        Precision::F64 => {
            let sampled = Sampled::<f64, _>::streamed(table, y, weights, targets, loss, options)?;
            solve_sampled(sampled, options, observer)
        }
    }
}
