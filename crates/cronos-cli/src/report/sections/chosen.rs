//! Everything that was chosen, and why.

use crate::report::Report;
use cronos_page::frame::Section;
use cronos_page::text::escape;

pub fn section(report: &Report) -> Option<Section> {
    if report.chosen.is_empty() {
        return None;
    }
    let rows: String = report
        .chosen
        .iter()
        .map(|choice| {
            format!(
                "<div><dt>{}</dt><dd class=\"value\">{}</dd><dd class=\"why\">{}</dd></div>\n",
                escape(&choice.what),
                escape(&choice.value),
                escape(&choice.why)
            )
        })
        .collect();
    Some(Section {
        id: "chosen",
        title: "What was chosen, and why",
        body: format!("<dl class=\"rows chosen\">\n{rows}</dl>\n"),
    })
}
