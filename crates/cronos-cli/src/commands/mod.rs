//! One file per command.

pub mod eval;
pub mod export;
pub mod fit;
pub mod inspect;
pub mod predict;
mod labelled;
