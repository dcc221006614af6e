//! The sections of the page, one file each; a section without data is `None`.

mod chosen;
mod confusion;
mod convergence;
mod files;
mod gates;
mod importance;
mod mistakes;
pub mod path;
mod residuals;
mod summary;

pub use importance::by_importance;

use super::Report;
use cronos_page::frame::Section;

/// The sections that have something to show, in order.
pub fn all(report: &Report) -> Vec<Section> {
    [
        summary::section(report),
        chosen::section(report),
        convergence::section(report),
        path::section(report),
        gates::section(report),
        confusion::section(report),
        residuals::section(report),
        importance::section(report),
        mistakes::section(report),
        files::section(report),
    ]
    .into_iter()
    .flatten()
    .collect()
}
