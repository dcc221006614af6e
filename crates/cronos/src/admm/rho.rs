//! The penalty parameter ρ: where it begins and how it follows the iterates.

use super::run::Run;
use super::settings::Split;
use super::shrink::Groups;
use crate::Error;
use crate::real::Real;
use std::time::Instant;

impl<T: Real> Run<'_, T> {
    /// `ρ` from the size of the groups of a first, unpenalised `u`: the threshold `β/ρκ` begins at a
    /// multiple of their median; a larger one where κ is given, as it is for runs of few iterations.
    pub(super) fn find_rho(&mut self) -> Result<(), Error> {
        let near = 1e-5 * self.machine.right_norm();
        self.machine.solve(near);
        let mut norms = self.machine.group_norms();
        norms.sort_by(f64::total_cmp);
        let part = match self.settings.kappa {
            Some(_) => 0.01,
            None => 0.03,
        };
        let rho = part * self.beta / (self.kappa * norms[norms.len() / 2]);
        if rho.is_finite() && rho > 0.0 {
            self.step.rho = rho;
        }
        self.machine.reset(&self.step);
        self.groups.threshold = self.threshold();
        self.set_groups(self.groups.clone());
        self.machine.refresh(&self.step);
        Ok(())
    }

    /// Residual balancing at fixed iteration counts, ever more rarely: a small ρ
    /// is good for the bound and slow on the cones, a large ρ the reverse.
    pub(super) fn balance(&mut self, number: usize) -> Result<(), Error> {
        if self.settings.adapt_rho && self.close()? {
            return Ok(());
        }
        let stiffen = self.stiffening.is_due(number);
        let due = match number {
            _ if self.stiffening.is_on() => number == 10 || number == 20 || stiffen,
            0..50 => number == 10 || number == 20,
            50..1000 => number.is_multiple_of(50),
            _ => number.is_multiple_of(1000),
        };
        let Some(record) = self.history.last() else {
            return Ok(());
        };
        if !self.settings.adapt_rho || !due {
            return Ok(());
        }
        let residuals = (record.primal_relative() / record.dual_relative()).sqrt();
        let ratio = match self.tension() {
            Some(tension) => (residuals * tension).sqrt(),
            None => residuals,
        };
        let unbalanced = ratio.is_finite() && !(0.8..1.25).contains(&ratio);
        if unbalanced {
            self.set_rho(self.step.rho * ratio.clamp(0.5, 2.0))?;
        }
        if stiffen {
            let clock = Instant::now();
            self.stiffen()?;
            if let Some(record) = self.history.last_mut() {
                record.seconds.solve += clock.elapsed().as_secs_f64();
            }
        }
        if unbalanced || stiffen {
            self.machine.refresh(&self.step);
        }
        Ok(())
    }

    /// How far the last certificate is from a balance of violation and gap, each
    /// relative to what is asked of it; unknown while nothing is live. Where the cones are closed
    /// at the end, and in the paper's split, ρ goes by the residuals alone.
    fn tension(&self) -> Option<f64> {
        if self.step.split == Split::Paper || self.closes() {
            return None;
        }
        let certificate = self
            .history
            .iter()
            .rev()
            .find_map(|record| record.certificate)?;
        let live = certificate.violation > 0.0 && certificate.gap > 0.0;
        let asked = self.settings.violation_tolerance() / self.settings.gap_relative;
        let tension = (certificate.violation / asked / certificate.gap).sqrt();
        (live && tension.is_finite()).then_some(tension)
    }

    pub(super) fn set_rho(&mut self, rho: f64) -> Result<(), Error> {
        let ratio = self.step.rho / rho;
        self.machine.rescale_rows(&self.step, ratio);
        self.step.rho = rho;
        self.follow_rho()?;
        let groups = Groups {
            threshold: self.threshold(),
            ..self.groups.clone()
        };
        self.set_groups(groups);
        Ok(())
    }

    /// Follows new thresholds and stiffness; `ρκλ` stays. The row-space part of the
    /// right-hand side is left to the caller.
    pub(super) fn set_groups(&mut self, groups: Groups) {
        self.machine.rescale_groups(&self.groups, &groups);
        self.groups = groups;
    }

    /// `c = 1/ρ` in the paper's split; the matrix of the loss split has no ρ.
    pub(super) fn follow_rho(&mut self) -> Result<(), Error> {
        if self.step.split == Split::Loss {
            return Ok(());
        }
        self.step.weight = 1.0 / self.step.rho;
        self.machine.set_weight(self.step.weight)
    }
}
