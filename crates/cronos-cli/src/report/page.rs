//! The frame of the page: head, headline, links to the sections, sections.

use super::sections::{self, Section};
use super::text::escape;
use super::{Figure, Report};

const STYLE: &str = concat!(
    include_str!("colours.css"),
    include_str!("style.css"),
    include_str!("marks.css")
);

/// The whole page. It loads nothing, and its policy forbids it to.
pub fn render(report: &Report) -> String {
    let sections = sections::all(report);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title} · cronos</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{header}<main>\n{main}</main>\n{footer}\
         </body>\n</html>\n",
        title = escape(&report.title),
        header = header(report, &sections),
        main = sections.iter().map(section).collect::<String>(),
        footer = footer(),
    )
}

fn header(report: &Report, sections: &[Section]) -> String {
    let mut html = format!(
        "<header>\n<p class=\"task\">{}</p>\n<h1>{}</h1>\n",
        escape(&report.task),
        escape(&report.title)
    );
    if !report.outcome.is_empty() {
        html += &format!("<p class=\"outcome\">{}</p>\n", escape(&report.outcome));
    }
    if !report.headline.is_empty() {
        let figures: String = report.headline.iter().map(figure).collect();
        html += &format!("<dl class=\"headline\">\n{figures}</dl>\n");
    }
    if sections.len() > 1 {
        let links: String = sections
            .iter()
            .map(|section| format!("<li><a href=\"#{}\">{}</a></li>", section.id, section.title))
            .collect();
        html += &format!("<nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n");
    }
    html + "</header>\n"
}

fn figure(figure: &Figure) -> String {
    let note = match figure.note.as_str() {
        "" => String::new(),
        note => format!("<dd class=\"note\">{}</dd>", escape(note)),
    };
    format!(
        "<div><dt>{}</dt><dd>{}</dd>{note}</div>\n",
        escape(&figure.label),
        escape(&figure.value)
    )
}

fn section(section: &Section) -> String {
    format!(
        "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n<h2 id=\"{0}-heading\">{1}</h2>\n\
         {2}</section>\n",
        section.id, section.title, section.body
    )
}

fn footer() -> String {
    format!(
        "<footer>\n<p>Made by cronos {}: two-layer networks trained by convex optimisation.</p>\n\
         </footer>\n",
        env!("CARGO_PKG_VERSION")
    )
}
