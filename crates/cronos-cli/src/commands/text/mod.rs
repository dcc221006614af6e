//! `cronos text`

pub mod bundle;
mod compare;
pub mod features;
mod fit;
mod read;
pub mod sample;
mod tune;

use crate::arguments::Text;
use crate::failure::Failure;
use std::process::ExitCode;

pub fn run(text: &Text) -> Result<ExitCode, Failure> {
    match text {
        Text::Fit(fit) => fit::run(fit),
        Text::Compare(compare) => compare::run(compare),
    }
}
