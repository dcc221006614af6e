//! Predictions against the truth, for numbers.

use crate::report::{Report, Residuals};
use cronos_page::frame::Section;
use cronos_page::html::{figure, paragraph, side_by_side};
use cronos_page::svg::{Axis, Chart, Key, Mark, Range, Unit};
use cronos_page::text::{escape, number, whole};
use cronos_page::thin::Point;

/// Outputs shown, at most.
const MOST_OUTPUTS: usize = 4;

pub fn section(report: &Report) -> Option<Section> {
    let several = report.residuals.len() > 1;
    let mut body = String::new();
    for (place, residuals) in report.residuals.iter().take(MOST_OUTPUTS).enumerate() {
        if let Some(part) = output(residuals, place) {
            if several {
                body += &format!("<h3>{}</h3>\n", escape(&residuals.output));
            }
            body += &part;
        }
    }
    if body.is_empty() {
        return None;
    }
    if report.residuals.len() > MOST_OUTPUTS {
        body += &paragraph(&format!(
            "Of {} outputs the first {MOST_OUTPUTS} are shown.",
            report.residuals.len()
        ));
    }
    Some(Section {
        id: "residuals",
        title: "Predictions and residuals",
        body,
    })
}

fn output(residuals: &Residuals, place: usize) -> Option<String> {
    let pairs: Vec<Point> = residuals
        .predicted
        .iter()
        .zip(&residuals.actual)
        .map(|(&predicted, &actual)| (predicted, actual))
        .filter(|(predicted, actual)| predicted.is_finite() && actual.is_finite())
        .collect();
    let figures = [
        against_truth(residuals, &pairs, place)?,
        left_over(residuals, &pairs, place)?,
    ];
    Some(paragraph(&errors(residuals, &pairs)) + &side_by_side(&figures))
}

/// How large the errors are, in words.
fn errors(residuals: &Residuals, pairs: &[Point]) -> String {
    let mut sizes: Vec<f64> = pairs.iter().map(|(p, a)| (a - p).abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let below = |share: f64| {
        let place = (share * sizes.len() as f64).ceil() as usize;
        sizes.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
    };
    if sizes.len() < 4 {
        return format!(
            "Of {}, the largest error is {}.",
            residuals.of,
            number(below(1.0))
        );
    }
    format!(
        "Of {}, half are predicted to within ±{}, nine tenths to within ±{}; the largest error is {}.",
        residuals.of,
        number(below(0.5)),
        number(below(0.9)),
        number(below(1.0))
    )
}

fn against_truth(residuals: &Residuals, pairs: &[Point], place: usize) -> Option<String> {
    let range = Range::of(pairs.iter().flat_map(|&(p, a)| [p, a]))?;
    let id = format!("truth-{place}");
    let chart = Chart {
        id: &id,
        title: "Truth against prediction",
        description: format!(
            "{} points of {}; a perfect prediction lies on the diagonal.",
            whole(pairs.len()),
            residuals.output
        ),
        x: Axis::linear("predicted", range, Unit::Plain),
        y: Axis::linear("true", range, Unit::Plain),
        marks: vec![
            Mark::Line {
                style: "rule",
                points: vec![(range.low, range.low), (range.high, range.high)],
            },
            Mark::Cloud {
                style: "cloud a",
                points: pairs.to_vec(),
            },
        ],
    };
    let keys = [
        Key::Dot("dot a", "a row".into()),
        Key::Line("rule", "perfect prediction".into()),
    ];
    Some(figure(&chart, &keys))
}

fn left_over(residuals: &Residuals, pairs: &[Point], place: usize) -> Option<String> {
    let predictions = Range::of(pairs.iter().map(|&(p, _)| p))?;
    let errors: Vec<Point> = pairs.iter().map(|&(p, a)| (p, a - p)).collect();
    let range = Range::of(errors.iter().map(|&(_, error)| error))?.with(0.0);
    let id = format!("residuals-{place}");
    let chart = Chart {
        id: &id,
        title: "Residual against prediction",
        description: format!(
            "Truth minus prediction of {}, from {} to {}; a trend would show what the network misses.",
            residuals.output,
            number(range.low),
            number(range.high)
        ),
        x: Axis::linear("predicted", predictions, Unit::Plain),
        y: Axis::linear("true − predicted", range, Unit::Plain),
        marks: vec![
            Mark::Across {
                style: "rule",
                y: 0.0,
            },
            Mark::Cloud {
                style: "cloud b",
                points: errors,
            },
        ],
    };
    let keys = [
        Key::Dot("dot b", "a row".into()),
        Key::Line("rule", "no error".into()),
    ];
    Some(figure(&chart, &keys))
}
