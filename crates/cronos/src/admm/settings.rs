//! Settings of a run: one line, one default, one range each.

use crate::Error;
use crate::loss::Loss;
use crate::nystrom::Rank;
use crate::place::Place;
use crate::solver::Solver;
use crate::team::Team;

/// How the loss enters the splitting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// `f = F u` is split off, so the matrix of the u-step depends neither on ρ
    /// nor on β nor on the loss.
    #[default]
    Loss,
    /// The paper's: the loss stays in the u-step, with `c = 1/ρ`; a loss that is
    /// not squared through its quadratic model at `u`, which needs `primal-pcg`.
    Paper,
}

/// Settings of the solver. `Settings::default()` needs no change.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Which u-solver. Default `Auto`.
    pub solver: Solver,
    /// Which splitting; `None` is the paper's for `primal-pcg`, else the loss split.
    pub split: Option<Split>,
    /// Rank of the Nyström preconditioners. Default 20.
    pub rank: Rank,
    /// Iterations between sketches when the curvature of the loss changes at every
    /// step (the paper's split of a loss that is not squared), ≥ 1. Default 10.
    pub refresh_every: usize,
    /// First penalty parameter, > 0; `None` finds one from a first step, 0.1 in the paper's split.
    pub rho: Option<f64>,
    /// Whether ρ follows the residuals and the stiffness of the splits the iterates, at
    /// fixed iteration counts. Default true.
    pub adapt_rho: bool,
    /// How stiffly groups are held to begin with, where rows are held by 1, > 0; with cones, and not
    /// in the paper's split. `None`: as the spectrum of the features says, 1 where ρ is fixed.
    pub kappa: Option<f64>,
    /// Over-relaxation, in (0, 2). Default 1.9.
    pub relaxation: f64,
    /// `c`, weight of `F u = f` in the loss split, > 0; `None` is 0.5 with cones, 0.1 where
    /// stiffness goes with conjugate gradients.
    pub loss_weight: Option<f64>,
    /// Iterations at most. Default 10,000.
    pub max_iterations: usize,
    /// Seconds at most; `None` is no limit.
    pub time_limit_seconds: Option<f64>,
    /// Relative certified gap to reach, ≥ 0. Default 0.01.
    pub gap_relative: f64,
    /// Absolute certified gap that is good enough as well, ≥ 0. Default 0.
    pub gap_absolute: f64,
    /// Largest cone violation, relative to the largest target, ≥ 0; `None` is a
    /// tenth of `gap_relative`.
    pub violation: Option<f64>,
    /// Residuals must fall below `absolute + relative * norm` too; `None` asks
    /// for it only when there is no certificate (β = 0), with `relative = gap_relative`.
    pub residual: Option<ResidualTolerance>,
    /// Iterations between certificates, ≥ 1. Default 10.
    pub check_every: usize,
    /// Inner iterations at most in one u-step. Default 2,000.
    pub max_inner_iterations: usize,
    /// Seed of the sketches. Default 0.
    pub seed: u64,
    /// Keep the dual point that proves the bound (as large as the slacks). Default false.
    pub keep_dual: bool,
    /// Where the arrays are. Default: the processor.
    pub place: Place,
    /// Who has other rows of the same program. Default: nobody.
    pub team: Team,
    /// Bytes that a device has; features beyond them are sent block by block. `None`: enough.
    pub device_memory_bytes: Option<u64>,
    /// Bytes the run may take; `None` is what the system has.
    pub memory_limit_bytes: Option<u64>,
}

/// Tolerances on the residuals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualTolerance {
    /// Added to the relative part.
    pub absolute: f64,
    /// Times the norm of what the residual compares.
    pub relative: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            solver: Solver::default(),
            split: None,
            rank: Rank::default(),
            refresh_every: 10,
            rho: None,
            adapt_rho: true,
            kappa: None,
            relaxation: 1.9,
            loss_weight: None,
            max_iterations: 10_000,
            time_limit_seconds: None,
            gap_relative: 1e-2,
            gap_absolute: 0.0,
            violation: None,
            residual: None,
            check_every: 10,
            max_inner_iterations: 2_000,
            seed: 0,
            keep_dual: false,
            place: Place::Cpu,
            team: Team::default(),
            device_memory_bytes: None,
            memory_limit_bytes: None,
        }
    }
}

impl Settings {
    /// Refuses values outside their range.
    pub fn check(&self) -> Result<(), Error> {
        let positive = |name, value: Option<f64>| match value {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                Err(Error::setting(name, value, "finite and greater than 0"))
            }
            _ => Ok(()),
        };
        let not_negative = |name, value: f64| {
            if value >= 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(Error::setting(name, value, "finite and not negative"))
            }
        };
        positive("rho", self.rho)?;
        positive("kappa", self.kappa)?;
        positive("loss weight", self.loss_weight)?;
        positive("time limit", self.time_limit_seconds)?;
        not_negative("tolerance", self.gap_relative)?;
        not_negative("absolute gap", self.gap_absolute)?;
        not_negative("violation", self.violation.unwrap_or(0.0))?;
        if let Some(residual) = self.residual {
            not_negative("absolute residual", residual.absolute)?;
            not_negative("relative residual", residual.relative)?;
        }
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            let expected = "greater than 0 and less than 2";
            return Err(Error::setting("relaxation", self.relaxation, expected));
        }
        for (name, value) in [
            ("max iterations", self.max_iterations),
            ("check interval", self.check_every),
            ("preconditioner interval", self.refresh_every),
            ("max inner iterations", self.max_inner_iterations),
        ] {
            if value == 0 {
                return Err(Error::setting(name, value, "at least 1"));
            }
        }
        if !self.team.is_alone() && self.place != Place::Cpu {
            let expected = "cpu while ranks share the rows";
            return Err(Error::setting("device", self.place, expected));
        }
        Ok(())
    }

    /// The gap that is small enough at an objective.
    pub(crate) fn gap_allowed(&self, objective: f64) -> f64 {
        self.gap_absolute + self.gap_relative * objective.abs()
    }

    pub(crate) fn violation_tolerance(&self) -> f64 {
        self.violation.unwrap_or(0.1 * self.gap_relative)
    }

    /// Refuses the paper's split where there is no quadratic model or no solver for it.
    pub(crate) fn split(&self, solver: Solver, loss: Loss) -> Result<Split, Error> {
        let split = self.split.unwrap_or(match solver {
            Solver::PrimalPcg if loss.is_smooth() => Split::Paper,
            _ => Split::Loss,
        });
        let possible = match loss {
            Loss::Squared => true,
            _ => loss.is_smooth() && solver == Solver::PrimalPcg,
        };
        if split == Split::Paper && !possible {
            let expected = "the loss split, or a smooth loss with the solver primal-pcg";
            return Err(Error::setting("split", "paper", expected));
        }
        Ok(split)
    }

    pub(crate) fn rank_limit(&self) -> usize {
        match self.rank {
            Rank::Fixed(rank) => rank,
            Rank::Adaptive { most, .. } => most,
        }
    }
}
