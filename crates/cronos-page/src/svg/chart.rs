//! A chart: two axes and marks between them.
//!
//! Charts are drawn small, for a telephone; the style makes their letters
//! smaller where there is more room (see `style.css`).

use super::at;
use super::axis::Axis;
use super::plot::Plot;
use crate::text::escape;
use crate::thin::Point;
use std::fmt::Write;

/// Size of a chart, in its own units.
pub const WIDTH: f64 = 400.0;
pub const HEIGHT: f64 = 250.0;
/// Room above for the name of the y axis, and below for ticks and the name of the x axis.
const ABOVE: f64 = 30.0;
const BELOW: f64 = 42.0;

/// A chart. `id` must be unique on the page.
pub struct Chart<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub description: String,
    pub x: Axis,
    pub y: Axis,
    pub marks: Vec<Mark>,
}

/// Something drawn; `style` is a class of the style sheet.
pub enum Mark {
    Line {
        style: &'static str,
        points: Vec<Point>,
    },
    /// Between the lower and the upper number at each x.
    Band {
        style: &'static str,
        points: Vec<(f64, f64, f64)>,
    },
    Dots {
        style: &'static str,
        dots: Vec<Dot>,
    },
    /// Many dots, denser where more of them fall together.
    Cloud {
        style: &'static str,
        points: Vec<Point>,
    },
    /// A line across at a y.
    Across {
        style: &'static str,
        y: f64,
    },
    /// A line down at an x.
    Down {
        style: &'static str,
        x: f64,
    },
}

/// A dot with a text that shows when it is pointed at.
pub struct Dot {
    pub x: f64,
    pub y: f64,
    pub radius: f64,
    pub text: String,
}

impl Chart<'_> {
    /// For a page, as large as there is room.
    pub fn svg(&self) -> String {
        self.drawn("", self.left())
    }

    /// For a place in another drawing, in its own units; the y axis is at `left`.
    pub fn placed(&self, x: f64, y: f64, left: f64) -> String {
        let place = format!(
            "x=\"{}\" y=\"{}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" ",
            at(x),
            at(y)
        );
        self.drawn(&place, left)
    }

    fn drawn(&self, place: &str, left: f64) -> String {
        let plot = self.plot(left);
        let id = escape(self.id);
        let mut svg = format!(
            "<svg class=\"chart\" {place}viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\">\n\
             <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n",
            escape(self.title),
            escape(&self.description)
        );
        self.axes(&plot, &mut svg);
        // writing to a string cannot fail
        let _ = writeln!(
            svg,
            "<clipPath id=\"{id}-clip\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\
             </clipPath>",
            at(plot.left),
            at(plot.top - 2.0),
            at(plot.right - plot.left + 2.0),
            at(plot.bottom - plot.top + 4.0)
        );
        let _ = writeln!(svg, "<g clip-path=\"url(#{id}-clip)\">");
        for mark in &self.marks {
            plot.draw(mark, &mut svg);
        }
        svg.push_str("</g>\n");
        for mark in &self.marks {
            if let Mark::Dots { style, dots } = mark {
                plot.dots(style, dots, &mut svg);
            }
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Where the y axis leaves room for its widest tick label.
    pub fn left(&self) -> f64 {
        let widest = self.y.ticks.iter().map(|(_, label)| width(label));
        9.0 + widest.fold(14.0, f64::max)
    }

    fn plot(&self, left: f64) -> Plot<'_> {
        let last = self.x.ticks.last().map_or(0.0, |(_, label)| width(label));
        Plot {
            x: &self.x,
            y: &self.y,
            left,
            right: WIDTH - (last / 2.0 + 2.0).clamp(10.0, 40.0),
            top: ABOVE,
            bottom: HEIGHT - BELOW,
        }
    }

    fn axes(&self, plot: &Plot<'_>, svg: &mut String) {
        let (left, right, bottom) = (at(plot.left), at(plot.right), at(plot.bottom));
        for (value, label) in &self.y.ticks {
            let Some(y) = plot.down(*value) else {
                continue;
            };
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{left} {0}H{right}\"/><text class=\"tick\" x=\"{1}\" \
                 y=\"{2}\" text-anchor=\"end\">{3}</text>",
                at(y),
                at(plot.left - 7.0),
                at(y + 4.0),
                escape(label)
            );
        }
        let placed: Vec<(f64, &str)> = self
            .x
            .ticks
            .iter()
            .filter_map(|(value, label)| Some((plot.across(*value)?, &label[..])))
            .collect();
        let stride = stride(&placed);
        for (i, (x, label)) in placed.iter().enumerate() {
            let _ = writeln!(svg, "<path class=\"axis\" d=\"M{} {bottom}v4\"/>", at(*x));
            if i % stride == 0 {
                let _ = writeln!(
                    svg,
                    "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                    at(*x),
                    at(plot.bottom + 18.0),
                    escape(label)
                );
            }
        }
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{left} {bottom}H{right}\"/>\
             <text class=\"name\" x=\"2\" y=\"14\">{}</text>\
             <text class=\"name\" x=\"{right}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            escape(&self.y.name),
            at(HEIGHT - 6.0),
            escape(&self.x.name)
        );
    }
}

/// Every how many-th label of the x axis has room beside the next.
fn stride(placed: &[(f64, &str)]) -> usize {
    let room = |stride: usize| {
        let labels: Vec<_> = placed.iter().step_by(stride).collect();
        labels.windows(2).all(|two| {
            let apart = two[1].0 - two[0].0;
            apart > (width(two[0].1) + width(two[1].1)) / 2.0 + 4.0
        })
    };
    (1..placed.len().max(2))
        .find(|&n| room(n))
        .unwrap_or(placed.len().max(1))
}

/// Width of a label, at most: the largest size of letters in a wide font.
fn width(label: &str) -> f64 {
    let letter = |letter: char| match letter {
        '.' | ',' | '\u{a0}' => 4.2,
        '0'..='9' => 8.4,
        '%' => 12.4,
        '−' | '×' => 11.0,
        _ => 5.6, // raised digits
    };
    label.chars().map(letter).sum()
}
