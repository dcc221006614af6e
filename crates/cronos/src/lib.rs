//! Two-layer ReLU networks trained by convex optimisation, with a certificate of
//! how close to the optimum the result is.

pub mod admm;
mod certificate;
mod cholesky;
mod dense;
mod engine;
mod error;
mod gates;
mod inner;
mod loss;
mod matrix;
pub mod memory;
pub mod nystrom;
mod pcg;
mod program;
mod real;
mod reduction;
mod scaling;
pub mod solver;

pub use admm::{Iteration, Settings, Solution, Split, Status};
pub use certificate::{Certificate, Dual};
pub use error::Error;
pub use gates::Gates;
pub use loss::Loss;
pub use matrix::Matrix;
pub use program::{Activation, Program};
pub use real::Real;
pub use scaling::Scaling;
pub use solver::Solver;
