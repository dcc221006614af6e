//! The path as a drawing of its own: one SVG file that loads nothing.

use super::sections::path::{panels, shown};
use super::{Measure, PathPoint};
use cronos_page::style::{COLOURS, MARKS};
use cronos_page::svg::{HEIGHT, WIDTH, drawn_legend};
use cronos_page::text::escape;

const STYLE: &str = "\
     .paper { fill: var(--paper); }\n\
     text { font: 11px var(--sans); fill: var(--soft); font-variant-numeric: tabular-nums; }\n\
     .name { fill: var(--ink); }\n\
     .heading { font: 600 13px var(--sans); fill: var(--ink); }\n\
     .title { font: 600 18px var(--serif); fill: var(--ink); }\n";

/// Around everything.
const MARGIN: f64 = 20.0;
/// For the title, and for the heading and legend of a chart.
const TITLE: f64 = 44.0;
const HEAD: f64 = 38.0;
/// Between charts.
const APART: f64 = 14.0;

/// Scores, neurons and objective against the penalty, one chart under the other.
pub fn path_plot(title: &str, points: &[PathPoint], measure: &Measure) -> String {
    let points = shown(points);
    let panels = panels(&points, measure);
    let width = WIDTH + 2.0 * MARGIN;
    let each = HEAD + HEIGHT + APART;
    let height = MARGIN + TITLE + each * panels.len() as f64 + MARGIN - APART;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{0}\" height=\"{1}\">\n<style>\n{COLOURS}{MARKS}{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"{2}\">{3}</text>\n",
        1.5 * width,
        1.5 * height,
        MARGIN + 18.0,
        escape(title)
    );
    // one y axis above the other
    let left = panels
        .iter()
        .map(|panel| panel.chart.left())
        .fold(0.0, f64::max);
    for (at, panel) in panels.iter().enumerate() {
        let top = MARGIN + TITLE + each * at as f64;
        svg += &format!(
            "<text class=\"heading\" x=\"{MARGIN}\" y=\"{}\">{}</text>\n{}{}",
            top + 8.0,
            escape(panel.chart.title),
            drawn_legend(&panel.keys, MARGIN, top + 28.0),
            panel.chart.placed(MARGIN, top + HEAD, left)
        );
    }
    svg + "</svg>\n"
}
