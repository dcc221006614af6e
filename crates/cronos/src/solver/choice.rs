//! Which u-solver: from the shape of the problem and the memory there is.

use crate::Error;
use crate::admm::Settings;
use crate::memory::{Plan, human};
use crate::real::Real;

/// A way to solve the linear system of the u-step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// The cheaper of `direct` and `sample-pcg` for the shape at hand.
    #[default]
    Auto,
    /// Cholesky of the `n x n` matrix `S`, once.
    Direct,
    /// Conjugate gradients on `S` with a Nyström preconditioner.
    SamplePcg,
    /// The paper's: conjugate gradients in weight space with a Nyström preconditioner.
    PrimalPcg,
}

impl Solver {
    /// The name a user types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Direct => "direct",
            Self::SamplePcg => "sample-pcg",
            Self::PrimalPcg => "primal-pcg",
        }
    }
}

/// The solver that runs, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Never [`Solver::Auto`].
    pub solver: Solver,
    /// One sentence.
    pub reason: String,
}

/// Sizes of a problem: `n, d, P, C` and groups per gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub rows: usize,
    pub features: usize,
    pub gates: usize,
    pub outputs: usize,
    pub signs: usize,
    /// Whether features stay where they are and are read over and over.
    pub streamed: bool,
}

/// Iterations and inner iterations that a run is taken to need when costs are compared.
const OUTER: f64 = 200.0;
const INNER: f64 = 10.0;

/// Picks a solver and checks that its arrays fit into `available` bytes.
pub(crate) fn choose<T: Real>(
    shape: Shape,
    settings: &Settings,
    available: u64,
) -> Result<(Choice, Plan), Error> {
    let plan = |solver| Plan::new::<T>(shape, solver, settings);
    let direct = plan(Solver::Direct);
    let sample = plan(Solver::SamplePcg);
    let shared = !settings.team.is_alone();
    let (solver, reason) = match settings.solver {
        Solver::Auto if shared => (
            Solver::SamplePcg,
            "ranks share the rows, so S is nowhere as a whole".to_string(),
        ),
        Solver::Auto if shape.streamed => (
            Solver::SamplePcg,
            "features stay in their file, so S is nowhere as a whole".to_string(),
        ),
        Solver::Direct if shape.streamed => {
            let expected = "sample-pcg or primal-pcg while features stay in their file";
            return Err(Error::setting("solver", "direct", expected));
        }
        Solver::Direct if shared => {
            let expected = "sample-pcg or primal-pcg while ranks share the rows";
            return Err(Error::setting("solver", "direct", expected));
        }
        Solver::Auto => {
            let (n, d) = (shape.rows as f64, shape.features.min(shape.rows) as f64);
            let (p, c) = (shape.gates as f64, shape.outputs as f64);
            // Cholesky of S and two triangular solves a step, against INNER products with S
            let direct_cost = n * n * n / 3.0 + n * n * d + OUTER * 2.0 * n * n * c;
            let sample_cost = OUTER * INNER * 4.0 * n * d * p * c;
            if direct.total() > available {
                (
                    Solver::SamplePcg,
                    format!(
                        "the {} x {} matrix S does not fit: {} needed, {} available",
                        shape.rows,
                        shape.rows,
                        human(direct.total()),
                        human(available)
                    ),
                )
            } else if direct_cost <= sample_cost {
                (
                    Solver::Direct,
                    format!(
                        "factoring S ({} x {}) once costs less than solving with it by iteration",
                        shape.rows, shape.rows
                    ),
                )
            } else {
                (
                    Solver::SamplePcg,
                    format!(
                        "iterating on S costs less than factoring it ({} x {})",
                        shape.rows, shape.rows
                    ),
                )
            }
        }
        given => (given, "asked for".to_string()),
    };
    let chosen = match solver {
        Solver::Direct => direct,
        Solver::SamplePcg => sample,
        other => plan(other),
    };
    chosen.check(
        available,
        "use fewer gates, fewer rows, a smaller --rank, --precision f32 or --solver sample-pcg",
    )?;
    Ok((Choice { solver, reason }, chosen))
}
