//! The end of a run whose matrices are shared by all groups: the bound is near, only the cones are
//! not met yet.
//!
//! A small ρ lifts the bound quickly and leaves the cones for last; a large one meets them at once and
//! then hardly moves. So ρ first serves the bound. The Lagrangian `L = objective − αᵀG v` tells what the
//! optimum will be long before `v` is feasible: an error in `v` and one in `α` enter as a product. Once the
//! bound is near enough to `L`, a much larger ρ closes the cones.

use super::run::Run;
use super::settings::Split;
use crate::Error;
use crate::real::Real;

/// How many times larger ρ is.
const TIMES: f64 = 16.0;
/// The gap to the Lagrangian, and its change since the certificate before, that are near enough: relative
/// to what is asked of the gap.
const NEAR: f64 = 0.9;
const SETTLED: f64 = 0.5;
/// The violation must fall to this part of that before from the second certificate on.
const FALL: f64 = 0.75;

/// Where a run stands with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Closing {
    /// It will come; the Lagrangian at the certificate before.
    Ahead { lagrangian: f64 },
    /// Under way: the ρ to go back to, the violation before, and how many certificates there were.
    Now {
        rho: f64,
        violation: f64,
        checks: usize,
    },
    /// The cones did not follow. From there on ρ balances violation and gap.
    Over,
}

impl Closing {
    /// Before the first certificate.
    pub const FIRST: Self = Self::Ahead {
        lagrangian: f64::INFINITY,
    };

    /// As numbers, for a checkpoint.
    pub fn numbers(&self) -> Vec<f64> {
        match *self {
            Self::Ahead { lagrangian } => vec![lagrangian],
            Self::Now {
                rho,
                violation,
                checks,
            } => vec![rho, violation, checks as f64],
            Self::Over => vec![],
        }
    }

    /// The inverse.
    pub fn from_numbers(numbers: &[f64]) -> Self {
        match *numbers {
            [lagrangian] => Self::Ahead { lagrangian },
            [rho, violation, checks] => Self::Now {
                rho,
                violation,
                checks: checks as usize,
            },
            _ => Self::Over,
        }
    }
}

impl<T: Real> Run<'_, T> {
    /// Whether a larger ρ is to close the cones at the end: where nothing else is done about them and
    /// a change of ρ costs nothing.
    pub(super) fn closes(&self) -> bool {
        let plain = self.step.split == Split::Loss && self.shape.signs == 2;
        plain && !self.stiffening.is_on() && self.closing != Closing::Over
    }

    /// Begins or ends it after an iteration; whether it is under way.
    pub(super) fn close(&mut self) -> Result<bool, Error> {
        let now = matches!(self.closing, Closing::Now { .. });
        let Some(certificate) = self.history.last().and_then(|record| record.certificate) else {
            return Ok(now);
        };
        if !self.closes() {
            return Ok(false);
        }
        let met = certificate.violation <= self.settings.violation_tolerance();
        match self.closing {
            Closing::Ahead { lagrangian } => {
                let asked = self.settings.gap_allowed(self.lagrangian);
                let gap = self.lagrangian - certificate.lower_bound;
                let near = (0.0..=NEAR * asked).contains(&gap);
                let settled = (self.lagrangian - lagrangian).abs() <= SETTLED * asked;
                if met || !near || !settled {
                    let lagrangian = self.lagrangian;
                    self.closing = Closing::Ahead { lagrangian };
                    return Ok(false);
                }
                let (rho, violation) = (self.step.rho, certificate.violation);
                self.closing = Closing::Now {
                    rho,
                    violation,
                    checks: 0,
                };
                self.set_rho(TIMES * rho)?;
                self.machine.refresh(&self.step);
            }
            Closing::Now {
                rho,
                violation,
                checks,
            } => {
                let slow = checks > 0 && certificate.violation > FALL * violation;
                if met || slow {
                    self.reopen()?;
                    self.closing = Closing::Over;
                    return Ok(false);
                }
                self.closing = Closing::Now {
                    rho,
                    violation: certificate.violation,
                    checks: checks + 1,
                };
            }
            Closing::Over => return Ok(false),
        }
        Ok(true)
    }

    /// Goes back to the ρ before, if it is under way; for what follows this run, too.
    pub(super) fn reopen(&mut self) -> Result<(), Error> {
        if let Closing::Now { rho, .. } = self.closing {
            self.set_rho(rho)?;
            self.machine.refresh(&self.step);
        }
        self.closing = Closing::FIRST;
        Ok(())
    }
}
