//! The summary: what the command prints.

use crate::report::Report;
use cronos_page::frame::Section;
use cronos_page::text::escape;

pub fn section(report: &Report) -> Option<Section> {
    if report.summary.is_empty() {
        return None;
    }
    let rows: String = report
        .summary
        .iter()
        .map(|(name, text)| {
            format!(
                "<div><dt>{}</dt><dd>{}</dd></div>\n",
                escape(name),
                escape(text)
            )
        })
        .collect();
    Some(Section {
        id: "summary",
        title: "Summary",
        body: format!("<dl class=\"rows\">\n{rows}</dl>\n"),
    })
}
