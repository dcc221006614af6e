//! Optimizers against each other as a drawing: one SVG file that loads nothing.

use super::curve::Curve;
use super::svg::{Axis, Chart, HEIGHT, Key, Mark, Range, Unit, WIDTH, drawn_legend};
use super::text::escape;
use super::{Measure, Trajectories};

const STYLE: &str = concat!(
    include_str!("colours.css"),
    include_str!("marks.css"),
    include_str!("hues.css"),
    ".paper { fill: var(--paper); }\n\
     text { font: 9px var(--sans); fill: var(--soft); font-variant-numeric: tabular-nums; }\n\
     .name { fill: var(--ink); }\n\
     .title { font: 600 15px var(--serif); fill: var(--ink); }\n"
);

/// A line and a band for every hue.
const HUES: [(&str, &str); 8] = [
    ("line first", "band first"),
    ("line h1", "band h1"),
    ("line h2", "band h2"),
    ("line h3", "band h3"),
    ("line h4", "band h4"),
    ("line h5", "band h5"),
    ("line h6", "band h6"),
    ("line h7", "band h7"),
];

/// Around everything.
const MARGIN: f64 = 18.0;
/// For the title and the line below it.
const TITLE: f64 = 46.0;
/// Entries of the legend beside each other, and how high each is.
const BESIDE: usize = 4;
const ENTRY: f64 = 15.0;

/// Scores on validation rows against seconds: the median over the rates as a line, and a
/// band from the 5 % to the 95 % quantile.
pub fn compare_plot(title: &str, contenders: &[Trajectories], measure: &Measure) -> String {
    let legend = ENTRY * contenders.len().div_ceil(BESIDE) as f64;
    let (width, height) = (WIDTH + 2.0 * MARGIN, 2.0 * MARGIN + TITLE + legend + HEIGHT);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{0}\" height=\"{1}\">\n<style>\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"{2}\">{3}</text>\n\
         <text x=\"{MARGIN}\" y=\"{4}\">Median over the rates, band from 5 to 95 %; \
         raw scores, not best so far.</text>\n",
        2.0 * width,
        2.0 * height,
        MARGIN + 12.0,
        escape(title),
        MARGIN + 29.0
    );
    for (at, contender) in contenders.iter().enumerate() {
        let (line, _) = HUES[contender.hue % HUES.len()];
        let x = MARGIN + (at % BESIDE) as f64 * WIDTH / BESIDE as f64;
        let y = MARGIN + TITLE + ENTRY * (at / BESIDE) as f64 + 4.0;
        svg += &drawn_legend(&[Key::Line(line, contender.name.clone())], x, y);
    }
    if let Some(chart) = chart(contenders, measure) {
        svg += &chart.placed(MARGIN, MARGIN + TITLE + legend, chart.left());
    }
    svg + "</svg>\n"
}

fn chart<'a>(contenders: &[Trajectories], measure: &Measure) -> Option<Chart<'a>> {
    let points = || contenders.iter().flat_map(|c| c.runs.iter().flatten());
    let seconds = Range::of_positive(points().map(|&(seconds, _)| seconds))?;
    let scores = Range::of(points().map(|&(_, score)| score))?;
    // a run that fails can have any R²; below 0 it is worse than a constant
    let floor = match measure.percent {
        true => scores.low,
        false => scores.low.max(0f64.min(scores.high)),
    };
    let unit = match measure.percent {
        true => Unit::Percent,
        false => Unit::Plain,
    };
    let (mut bands, mut lines) = (Vec::new(), Vec::new());
    for contender in contenders {
        let (line, band) = HUES[contender.hue % HUES.len()];
        let curve = Curve::of(&contender.runs, floor);
        lines.push(Mark::Line {
            style: line,
            points: curve.median,
        });
        bands.push(Mark::Band {
            style: band,
            points: curve.band,
        });
    }
    // bands below lines, and what comes first above all
    let marks = bands.into_iter().rev().chain(lines.into_iter().rev());
    Some(Chart {
        id: "compare",
        title: "Validation score against time",
        description: format!(
            "Validation {} against seconds of training for {} ways to train the same network.",
            measure.name,
            contenders.len()
        ),
        x: Axis::log("seconds of training, logarithmic", seconds, Unit::Plain),
        y: Axis::linear(
            &format!("validation {}", measure.name),
            Range {
                low: floor,
                high: scores.high,
            },
            unit,
        ),
        marks: marks.collect(),
    })
}
