//! A report as a page.

use super::{Report, sections};
use cronos_page::frame::Page;

/// The whole page.
pub fn render(report: &Report) -> String {
    let end = format!(
        "Made by cronos {}: two-layer networks trained by convex optimisation.",
        env!("CARGO_PKG_VERSION")
    );
    let page = Page {
        title: &report.title,
        about: &report.task,
        outcome: &report.outcome,
        headline: &report.headline,
        sections: &sections::all(report),
        end: &end,
    };
    page.html()
}
