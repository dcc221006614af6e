//! The files of the report, and how to make it again.

use crate::report::Report;
use cronos_page::frame::Section;
use cronos_page::text::{escape, link};

pub fn section(report: &Report) -> Option<Section> {
    if report.files.is_empty() && report.command.is_none() {
        return None;
    }
    let mut body = String::new();
    if !report.files.is_empty() {
        let rows: String = report
            .files
            .iter()
            .map(|file| {
                let name = format!("<code>{}</code>", escape(&file.name));
                let name = match file.beside {
                    true => format!("<a href=\"{}\">{name}</a>", link(&file.name)),
                    false => name,
                };
                format!(
                    "<div><dt>{name}</dt><dd>{}</dd></div>\n",
                    escape(&file.about)
                )
            })
            .collect();
        body += &format!("<dl class=\"rows files\">\n{rows}</dl>\n");
    }
    if let Some(command) = &report.command {
        body += &format!(
            "<p>Made by:</p>\n<pre><code>{}</code></pre>\n",
            escape(command)
        );
    }
    Some(Section {
        id: "files",
        title: "Files",
        body,
    })
}
