//! What the marks of a chart stand for.

use super::at;
use crate::text::escape;

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

/// The same, drawn in a line that begins at a point.
pub fn drawn_legend(keys: &[Key], x: f64, y: f64) -> String {
    /// A letter, on average, and what stands beside the letters.
    const LETTER: f64 = 6.1;
    const BESIDE: f64 = 44.0;
    let mut svg = String::new();
    let mut left = x;
    for key in keys {
        let (drawing, text) = match key {
            Key::Line(style, text) => (
                format!(
                    "<path class=\"{style}\" d=\"M{} {}h22\"/>",
                    at(left),
                    at(y - 4.0)
                ),
                text,
            ),
            Key::Dot(style, text) => (
                format!(
                    "<circle class=\"{style}\" cx=\"{}\" cy=\"{}\" r=\"4\"/>",
                    at(left + 11.0),
                    at(y - 4.0)
                ),
                text,
            ),
        };
        svg += &format!(
            "{drawing}<text x=\"{}\" y=\"{}\">{}</text>\n",
            at(left + 28.0),
            at(y),
            escape(text)
        );
        left += BESIDE + LETTER * text.chars().count() as f64;
    }
    svg
}
