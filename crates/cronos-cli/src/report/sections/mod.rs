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
use super::svg::{Chart, Key, legend};
use super::text::escape;

/// A part of the page with a heading.
pub struct Section {
    /// Where links lead.
    pub id: &'static str,
    pub title: &'static str,
    /// HTML.
    pub body: String,
}

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

/// A paragraph.
fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// A chart under its title, with what its marks mean.
fn figure(chart: &Chart<'_>, keys: &[Key]) -> String {
    format!(
        "<figure>\n<figcaption>{}</figcaption>\n{}{}</figure>\n",
        escape(chart.title),
        legend(keys),
        chart.svg()
    )
}

/// Figures side by side where there is room.
fn side_by_side(figures: &[String]) -> String {
    format!("<div class=\"pair\">\n{}</div>\n", figures.concat())
}

/// A table that scrolls in a box of its own when it is too wide; `rows` are
/// escaped HTML, the first cell of each names the row.
fn table(label: &str, head: &[&str], rows: &[Vec<String>]) -> String {
    let head: String = head
        .iter()
        .map(|name| format!("<th scope=\"col\">{}</th>", escape(name)))
        .collect();
    let mut body = String::new();
    for row in rows {
        body.push_str("<tr>");
        for (place, cell) in row.iter().enumerate() {
            body.push_str(&match place {
                0 => format!("<th scope=\"row\">{cell}</th>"),
                _ => format!("<td>{cell}</td>"),
            });
        }
        body.push_str("</tr>\n");
    }
    let table = format!("<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>");
    scrolling(label, &table)
}

/// A box that scrolls sideways, also by keyboard.
fn scrolling(label: &str, table: &str) -> String {
    format!(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{table}\n</div>\n",
        escape(label)
    )
}

/// Something that opens when it is asked for.
fn details(summary: &str, body: &str) -> String {
    format!(
        "<details><summary>{}</summary>\n{body}</details>\n",
        escape(summary)
    )
}
