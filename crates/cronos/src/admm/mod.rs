//! ADMM on the sampled convex program.
//!
//! ```text
//! u-step   (I ⊗ M + c FᵀF) u = (v − λ) + Gᵀ(s − ν) + c Fᵀ(f − μ)
//! v = shrink(u + λ, β/ρ)      s = (Gu + ν)_+      f = prox_{loss/(ρc)}(Fu + μ)
//! λ += u − v                  ν += Gu − s         μ += Fu − f
//! ```
//!
//! Each split variable and its multiplier are kept as one array, their sum:
//! `b = v + λ`, `a = s + ν`, `e = f + μ`.

mod checkpoint;
mod closing;
mod history;
mod host;
mod judge;
mod machine;
mod rho;
mod run;
mod settings;
mod shrink;
mod solve;
mod status;
mod stiffness;
mod warm;

pub use checkpoint::{Checkpoint, Keeper};
pub use history::{Iteration, Seconds};
pub use machine::Residence;
#[cfg(feature = "device")]
pub(crate) use machine::{Machine, Point, Start as MachineStart};
pub use settings::{ResidualTolerance, Settings, Split};
#[cfg(feature = "device")]
pub(crate) use shrink::{Groups, ShrinkSums, shrunk};
pub use solve::Solution;
#[cfg(test)]
pub(crate) use solve::solve_as_it_is;
pub use status::Status;
pub use warm::{Start, Warm};
