//! One file per command.

mod checks;
pub mod compare;
pub mod deep;
pub mod devices;
pub mod embed;
pub mod eval;
pub mod export;
pub mod fit;
pub mod importance;
pub mod inspect;
mod job;
mod kept;
mod knobs;
mod labelled;
mod model;
pub mod path;
pub mod place;
pub mod predict;
pub mod ranks;
mod report;
pub mod text;
