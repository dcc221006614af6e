//! What the marks of a chart stand for.

use crate::report::text::escape;

/// One mark and its meaning; `style` is the mark's class.
pub enum Key {
    Line(&'static str, String),
    Dot(&'static str, String),
}

/// A list of marks with their meanings, for above a chart.
pub fn legend(keys: &[Key]) -> String {
    let mut html = String::from("<ul class=\"legend\">");
    for key in keys {
        let (drawing, text) = match key {
            Key::Line(style, text) => (format!("<path class=\"{style}\" d=\"M1 5H23\"/>"), text),
            Key::Dot(style, text) => (
                format!("<circle class=\"{style}\" cx=\"12\" cy=\"5\" r=\"4\"/>"),
                text,
            ),
        };
        html.push_str(&format!(
            "<li><svg class=\"key\" viewBox=\"0 0 24 10\" aria-hidden=\"true\">{drawing}</svg>{}\
             </li>",
            escape(text)
        ));
    }
    html.push_str("</ul>\n");
    html
}
