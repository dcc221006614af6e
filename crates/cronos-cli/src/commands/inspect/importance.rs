//! The features that matter most, as a table of text.

use crate::commands::importance::{MOST_SHUFFLED, Measured};
use crate::report::{Importance, Measure, by_importance, percent, shortened, with_spread};
use std::fmt::Write;

/// Features shown, at most.
const MOST: usize = 20;
/// Letters of a name, at most.
const LETTERS: usize = 32;
/// Letters of the longest bar.
const WIDEST: usize = 24;

/// A line for each of the features that matter most, and what the numbers are.
pub fn table(measured: &Measured, measure: &Measure) -> String {
    let has_weights = measured.has_weights();
    if measured.rows.is_none() && !has_weights {
        return format!(
            "\nimportance of features\n  not defined by the weights, which stand behind other \
             layers; --data DATA measures it for up to {MOST_SHUFFLED} features\n"
        );
    }
    let features = by_importance(&measured.features);
    let shown = &features[..features.len().min(MOST)];
    let mut text = String::from("\nimportance of features\n");
    let names: Vec<String> = shown
        .iter()
        .map(|feature| shortened(&feature.feature, LETTERS))
        .collect();
    let shuffled: Vec<String> = shown.iter().map(|f| cost(f, measure)).collect();
    let weights: Vec<String> = shown.iter().map(|f| percent(f.group_norm)).collect();
    let leading = |feature: &Importance| match &measured.rows {
        Some(_) => feature.permutation.map_or(0.0, |cost| cost.mean),
        None => feature.group_norm,
    };
    let longest = shown.iter().map(|f| leading(f)).fold(0.0, f64::max);
    let (name, cost) = (width(&names, "feature"), width(&shuffled, "shuffled"));
    let share = width(&weights, "weights");
    // writing to a string cannot fail
    let _ = write!(text, "  {:<name$}", "feature");
    if measured.rows.is_some() {
        let _ = write!(text, "  {:>cost$}", "shuffled");
    }
    if has_weights {
        let _ = write!(text, "  {:>share$}", "weights");
    }
    text.push('\n');
    for (at, feature) in shown.iter().enumerate() {
        let _ = write!(text, "  {:<name$}", names[at]);
        if measured.rows.is_some() {
            let _ = write!(text, "  {:>cost$}", shuffled[at]);
        }
        if has_weights {
            let _ = write!(text, "  {:>share$}", weights[at]);
        }
        let bar = format!("  {}", bar(leading(feature), longest));
        let _ = writeln!(text, "{}", bar.trim_end());
    }
    if features.len() > MOST {
        let _ = writeln!(text, "  and {} more: see --json", features.len() - MOST);
    }
    text + &legend(measured, measure)
}

/// What the columns are.
fn legend(measured: &Measured, measure: &Measure) -> String {
    let mut text = String::new();
    if let Some(rows) = &measured.rows {
        let score = with_spread(rows.score, 0.0, measure.percent);
        let _ = writeln!(
            text,
            "  shuffled: {} lost when the feature is shuffled, {} times on {} {}; {score} as it is",
            measure.name, rows.repeats, rows.count, rows.of
        );
    }
    if measured.has_weights() {
        text += "  weights: share of the weights that read the feature\n";
    }
    text
}

fn cost(feature: &Importance, measure: &Measure) -> String {
    feature.permutation.map_or("–".into(), |cost| {
        with_spread(cost.mean, cost.spread, measure.percent)
    })
}

fn width(texts: &[String], head: &str) -> usize {
    let lengths = texts.iter().map(|text| text.chars().count());
    lengths.chain([head.len()]).max().unwrap_or(0)
}

/// A bar of a length, to eighths of a letter.
fn bar(value: f64, longest: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = (value / longest).clamp(0.0, 1.0);
    // a cast saturates, and undefined becomes 0
    let eighths = (8.0 * WIDEST as f64 * share).round() as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::importance::Rows;
    use crate::report::Permutation;

    fn measured(count: usize, shuffled: bool) -> Measured {
        let feature = |i: usize| Importance {
            feature: format!("f{i}"),
            group_norm: i as f64 / 100.0,
            permutation: shuffled.then_some(Permutation {
                mean: 0.5 / (i + 1) as f64,
                spread: 0.01,
            }),
        };
        Measured {
            features: (0..count).map(feature).collect(),
            unused: Vec::new(),
            rows: shuffled.then_some(Rows {
                of: "test rows".into(),
                count: 40,
                repeats: 5,
                score: 0.9,
            }),
        }
    }

    #[test]
    fn the_most_important_come_first_with_the_longest_bars() {
        let measure = Measure {
            name: "accuracy".into(),
            percent: true,
        };
        let text = table(&measured(30, false), &measure);
        let lines: Vec<&str> = text.lines().skip(3).collect();
        assert_eq!(lines.len(), 22);
        assert!(lines[0].starts_with("  f29") && lines[0].ends_with(&"█".repeat(24)));
        assert!(lines[19].starts_with("  f10"));
        assert_eq!(lines[20], "  and 10 more: see --json");
        let text = table(&measured(3, true), &measure);
        let legend = "accuracy lost when the feature is shuffled, 5 times on 40 test rows; 90.0";
        assert!(text.contains(legend), "{text}");
        let lines: Vec<&str> = text.lines().skip(3).collect();
        assert!(lines[0].starts_with("  f0") && lines[1].starts_with("  f1"));
        assert!(lines[0].contains("50.0\u{a0}±\u{a0}1.0\u{a0}%"), "{text}");
        assert!(
            lines[1].ends_with(&format!("  {}", "█".repeat(12))),
            "{text}"
        );
        let none = table(&measured(0, false), &measure);
        assert_eq!(none.lines().count(), 4);
    }
}
