//! Plots as SVG text.

mod axis;
mod bar;
mod chart;
mod legend;
mod plot;

pub use axis::{Axis, Range, Unit};
pub use bar::Bars;
pub use chart::{Chart, Dot, HEIGHT, Mark, WIDTH};
pub use legend::{Key, drawn_legend, legend};

/// A coordinate with one decimal.
fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".into(),
        Some(whole) => whole.into(),
        None => text,
    }
}
