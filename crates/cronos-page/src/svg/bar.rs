//! Bars in the cells of a table, all on one scale.

use super::at;
use super::axis::Range;

/// The scale of a column of bars; 0 is always on it.
pub struct Bars(Range);

impl Bars {
    /// A scale for numbers and their spreads.
    pub fn new(numbers: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let ends = numbers
            .into_iter()
            .flat_map(|(value, spread)| [value - spread, value + spread]);
        let range = Range::of(ends).map_or(
            Range {
                low: 0.0,
                high: 1.0,
            },
            |range| range.with(0.0),
        );
        Self(if range.span() > 0.0 {
            range
        } else {
            Range {
                low: 0.0,
                high: 1.0,
            }
        })
    }

    /// A bar from 0 to a number, with a line over its spread.
    pub fn svg(&self, style: &str, value: f64, spread: f64) -> String {
        let place = |value: f64| (100.0 * (value - self.0.low) / self.0.span()).clamp(0.0, 100.0);
        let mut marks = String::new();
        if value.is_finite() {
            let (zero, end) = (place(0.0), place(value));
            marks = format!(
                "<rect class=\"{style}\" x=\"{}\" y=\"1\" width=\"{}\" height=\"8\"/>",
                at(zero.min(end)),
                at((zero - end).abs())
            );
            if spread.is_finite() && spread > 0.0 {
                marks += &format!(
                    "<path class=\"spread\" d=\"M{} 5H{}\"/>",
                    at(place(value - spread)),
                    at(place(value + spread))
                );
            }
        }
        format!(
            "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" \
             aria-hidden=\"true\"><path class=\"axis\" d=\"M{0} 0V10\"/>{marks}</svg>",
            at(place(0.0))
        )
    }
}
