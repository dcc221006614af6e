//! The frame of a page: head, headline, links to the sections, sections.

use crate::style::{COLOURS, HUES, MARKS, PAGE};
use crate::text::escape;

/// A page.
pub struct Page<'a> {
    /// Its name.
    pub title: &'a str,
    /// What it is about, in a few words above the name.
    pub about: &'a str,
    /// A sentence below the name; may be empty.
    pub outcome: &'a str,
    /// The few numbers that matter most.
    pub headline: &'a [Figure],
    /// Its parts.
    pub sections: &'a [Section],
    /// A sentence at its end.
    pub end: &'a str,
}

/// A number in large type.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is.
    pub label: String,
    /// The number.
    pub value: String,
    /// What else there is to know, in small type; may be empty.
    pub note: String,
}

/// A part of the page with a heading.
pub struct Section {
    /// Where links lead.
    pub id: &'static str,
    /// The heading.
    pub title: &'static str,
    /// HTML.
    pub body: String,
}

impl Page<'_> {
    /// The whole page. It loads nothing, and its policy forbids it to.
    pub fn html(&self) -> String {
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'; img-src data:\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{title} · cronos</title>\n\
             <style>\n{COLOURS}{PAGE}{MARKS}{HUES}</style>\n</head>\n<body>\n{header}<main>\n\
             {main}</main>\n<footer>\n<p>{end}</p>\n</footer>\n</body>\n</html>\n",
            title = escape(self.title),
            header = self.header(),
            main = self.sections.iter().map(section).collect::<String>(),
            end = escape(self.end),
        )
    }

    fn header(&self) -> String {
        let mut html = format!(
            "<header>\n<p class=\"task\">{}</p>\n<h1>{}</h1>\n",
            escape(self.about),
            escape(self.title)
        );
        if !self.outcome.is_empty() {
            html += &format!("<p class=\"outcome\">{}</p>\n", escape(self.outcome));
        }
        if !self.headline.is_empty() {
            let figures: String = self.headline.iter().map(figure).collect();
            html += &format!("<dl class=\"headline\">\n{figures}</dl>\n");
        }
        if self.sections.len() > 1 {
            let link = |part: &Section| {
                let title = escape(part.title);
                format!("<li><a href=\"#{}\">{title}</a></li>", part.id)
            };
            let links: String = self.sections.iter().map(link).collect();
            html += &format!("<nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n");
        }
        html + "</header>\n"
    }
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
        section.id,
        escape(section.title),
        section.body
    )
}
