//! A fit on sparse features.

use super::Sparse;
use crate::Error;
use crate::auto;
use crate::fit::{Fitted, Options, Precision, learn};
use crate::memory;
use crate::network::TargetScaling;
use crate::observe::Observer;
use crate::rows::Rows;
use crate::table::Table;

/// Learns gates on sparse features, which never become dense. Rows of weight 0 are left out.
pub(crate) fn fit_sparse(
    rows: Rows<'_, Sparse>,
    targets: TargetScaling,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Fitted, Error> {
    let held = memory::PROGRAM + rows.x.bytes();
    let mut fitted = rows.counting(|rows| {
        rows.check_targets(&targets)?;
        options.loss.unwrap_or_default().check(rows.y)?;
        let search = match options.precision {
            Precision::F32 => auto::search_sparse::<f32>,
            Precision::F64 => auto::search_sparse::<f64>,
        };
        learn(rows, targets, options, observer, search)
    })?;
    fitted.planned_bytes = fitted.planned_bytes.map(|bytes| bytes + held);
    Ok(fitted)
}
