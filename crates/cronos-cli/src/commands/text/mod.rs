//! `cronos text`

pub mod bundle;
pub mod features;
mod fit;
pub mod sample;
mod tune;

use crate::arguments::Text;
use crate::failure::Failure;
use std::process::ExitCode;

pub fn run(text: &Text) -> Result<ExitCode, Failure> {
    match text {
        Text::Fit(fit) => fit::run(fit),
    }
}
