//! Optimizers against each other as a drawing: one SVG file that loads nothing.

use cronos_page::style::{COLOURS, HUES, MARKS};
use cronos_page::svg::{HEIGHT, WIDTH, drawn_legend};
use cronos_page::text::escape;
use cronos_page::trajectories::{Against, Measure, Trajectories, medians};

const STYLE: &str = "\
     .paper { fill: var(--paper); }\n\
     text { font: 9px var(--sans); fill: var(--soft); font-variant-numeric: tabular-nums; }\n\
     .name { fill: var(--ink); }\n\
     .title { font: 600 15px var(--serif); fill: var(--ink); }\n";

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
         width=\"{0}\" height=\"{1}\">\n<style>\n{COLOURS}{MARKS}{HUES}{STYLE}</style>\n\
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
        let x = MARGIN + (at % BESIDE) as f64 * WIDTH / BESIDE as f64;
        let y = MARGIN + TITLE + ENTRY * (at / BESIDE) as f64 + 4.0;
        svg += &drawn_legend(&[contender.key()], x, y);
    }
    if let Some(chart) = medians("compare", contenders, measure, Against::Seconds) {
        svg += &chart.placed(MARGIN, MARGIN + TITLE + legend, chart.left());
    }
    svg + "</svg>\n"
}
