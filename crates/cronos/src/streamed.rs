//! A fit to features that stay where they are, and are read over and over.

use crate::Error;
use crate::fit::{Fitted, GateSource, Options, Precision, solve_sampled};
use crate::matrix::Matrix;
use crate::network::TargetScaling;
use crate::observe::Observer;
use crate::place::Place;
use crate::rows::check_weights;
use crate::sampled::Sampled;
use crate::table::Table;

/// Solves the convex program of drawn or given gates.
pub(crate) fn fit_streamed(
    table: &dyn Table,
    y: &Matrix<f64>,
    weights: Option<&[f64]>,
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
    if let GateSource::Learned { .. } = options.gates {
        let expected = "drawn or given while features stay in their file";
        return Err(Error::setting("gates", "learned", expected));
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
