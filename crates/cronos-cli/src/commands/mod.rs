//! One file per command.

pub mod eval;
pub mod export;
pub mod fit;
pub mod inspect;
mod job;
mod labelled;
pub mod predict;
mod report;
