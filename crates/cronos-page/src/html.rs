//! The parts of a section.

use crate::svg::{Chart, Key, legend};
use crate::text::escape;

/// A paragraph.
pub fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// A chart under its title, with what its marks mean.
pub fn figure(chart: &Chart<'_>, keys: &[Key]) -> String {
    format!(
        "<figure>\n<figcaption>{}</figcaption>\n{}{}</figure>\n",
        escape(chart.title),
        legend(keys),
        chart.svg()
    )
}

/// Figures side by side where there is room.
pub fn side_by_side(figures: &[String]) -> String {
    format!("<div class=\"pair\">\n{}</div>\n", figures.concat())
}

/// A table that scrolls in a box of its own when it is too wide; `rows` are
/// escaped HTML, the first cell of each names the row.
pub fn table(label: &str, head: &[&str], rows: &[Vec<String>]) -> String {
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
pub fn scrolling(label: &str, table: &str) -> String {
    format!(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{table}\n</div>\n",
        escape(label)
    )
}

/// Something that opens when it is asked for.
pub fn details(summary: &str, body: &str) -> String {
    format!(
        "<details><summary>{}</summary>\n{body}</details>\n",
        escape(summary)
    )
}
