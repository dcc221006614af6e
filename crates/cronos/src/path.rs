//! The path: networks for a whole range of penalties, from the smallest one that
//! leaves nothing downwards, with one sample of gates and one u-solver.

use crate::Error;
use crate::admm::{Iteration, Status};
use crate::fit::{Fitted, Options, Precision};
use crate::loss::Loss;
use crate::network::TargetScaling;
use crate::observe::{Observer, SearchStep};
use crate::real::Real;
use crate::rows::Rows;
use crate::sampled::Sampled;
use std::ops::ControlFlow;

/// Penalties in equal ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// How many, ≥ 2. Default 20.
    pub steps: usize,
    /// The last relative to the first, in (0, 1). Default 0.001.
    pub smallest: f64,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            steps: 20,
            smallest: 1e-3,
        }
    }
}

impl Grid {
    /// Refuses values outside their range.
    pub fn check(&self) -> Result<(), Error> {
        if self.steps < 2 {
            return Err(Error::setting("steps", self.steps, "at least 2"));
        }
        if !(self.smallest > 0.0 && self.smallest < 1.0) {
            let expected = "greater than 0 and less than 1";
            return Err(Error::setting("smallest", self.smallest, expected));
        }
        Ok(())
    }

    /// `β_k = top · smallest^(k / (steps − 1))`
    pub fn betas(&self, top: f64) -> Vec<f64> {
        let last = self.steps.saturating_sub(1).max(1) as f64;
        let beta = |k| top * self.smallest.powf(k as f64 / last);
        (0..self.steps).map(beta).collect()
    }
}

/// A path, largest penalty first.
#[derive(Clone, Debug)]
pub struct Path {
    /// The smallest penalty with the zero network among its solutions; the path
    /// begins there.
    pub zero_beta: f64,
    /// The penalties that were done.
    pub points: Vec<Fitted>,
    /// `Solved` if every point is. Else how the path ended early, or how the
    /// first point that is not solved ended.
    pub status: Status,
}

/// Follows the path. `options.beta` is not looked at; gates must be sampled or given.
///
/// A time limit is one for the whole path. The points that were done by then, or
/// when `observer` broke off, are returned.
pub fn path(
    rows: Rows<'_>,
    targets: TargetScaling,
    grid: &Grid,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Path, Error> {
    grid.check()?;
    let loss = options.loss.unwrap_or_default();
    rows.check_shared(&options.settings.team)?;
    rows.counting(|rows| {
        rows.check_targets(&targets)?;
        loss.check(rows.y)?;
        match options.precision {
            Precision::F32 => follow::<f32>(rows, targets, loss, grid, options, observer),
            Precision::F64 => follow::<f64>(rows, targets, loss, grid, options, observer),
        }
    })
}

fn follow<T: Real>(
    rows: Rows<'_>,
    targets: TargetScaling,
    loss: Loss,
    grid: &Grid,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Path, Error> {
    let sampled = Sampled::<T>::new(rows, targets, loss, options)?;
    let zero_beta = sampled.smallest_zero_beta()?;
    if !(zero_beta > 0.0 && zero_beta.is_finite()) {
        return Err(Error::Data(format!(
            "no penalty above {zero_beta} changes anything: the targets are met by nothing at \
             all, or the features say nothing about them; there is no path"
        )));
    }
    let betas = grid.betas(zero_beta);
    let mut path = Path {
        zero_beta,
        points: Vec::new(),
        status: Status::Solved,
    };
    let mut keep = |point: Fitted| {
        if path.status == Status::Solved || point.status.is_cut_short() {
            path.status = point.status;
        }
        if point.status.is_cut_short() {
            return ControlFlow::Break(());
        }
        path.points.push(point);
        let step = SearchStep {
            done: path.points.len(),
            of: betas.len(),
        };
        let asked = f64::from(u8::from(observer.search(&step).is_break()));
        let stop = options.settings.team.largest(asked) > 0.0 && step.done < step.of;
        if stop {
            path.status = Status::Interrupted;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let nothing = sampled.nothing(betas[0])?;
    if keep(nothing).is_break() {
        return Ok(path);
    }
    let mut found = |beta: f64, solution| keep(sampled.fitted(beta, solution));
    let mut observe = |iteration: &Iteration| observer.watch(iteration);
    let settings = options.seeded_settings();
    (sampled.program).solve_path(&betas[1..], &settings, &mut observe, &mut found)?;
    Ok(path)
}
