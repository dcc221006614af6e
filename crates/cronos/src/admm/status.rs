//! How a run ended.

/// How a run ended. Every status comes with the best iterate found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Gap, violation and residuals met their tolerances.
    Solved,
    /// The network that did best on held-out rows was learned again on all rows;
    /// it stops where validation said, which need not be at the optimum.
    Validated,
    /// The iteration limit came first.
    IterationLimit,
    /// The time limit came first.
    TimeLimit,
    /// The caller asked to stop.
    Interrupted,
    /// The residuals reached the rounding error of the precision in use, so more
    /// iterations cannot help; use `f64` or a looser tolerance.
    Stalled,
    /// A number became infinite or undefined; the last good iterate is returned.
    NumericalFailure,
}

impl Status {
    /// The name in reports and model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Validated => "validated",
            Self::IterationLimit => "iteration-limit",
            Self::TimeLimit => "time-limit",
            Self::Interrupted => "interrupted",
            Self::Stalled => "stalled",
            Self::NumericalFailure => "numerical-failure",
        }
    }

    /// Whether the run ended in the middle of something.
    pub(crate) fn is_cut_short(self) -> bool {
        matches!(
            self,
            Self::Interrupted | Self::TimeLimit | Self::NumericalFailure
        )
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
