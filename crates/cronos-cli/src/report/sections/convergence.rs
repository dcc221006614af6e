//! How the run went: the objective and its bound, the gap and the cones.

use crate::report::{ConvergencePoint, Report};
use cronos_page::frame::Section;
use cronos_page::html::{figure, paragraph, side_by_side};
use cronos_page::svg::{Axis, Chart, Key, Mark, Range, Unit};
use cronos_page::text::{number, percent, whole};
use cronos_page::thin::Point;

pub fn section(report: &Report) -> Option<Section> {
    let points = &report.convergence[..];
    let last = points.last()?;
    let focus = focus(points);
    let figures: Vec<String> = [
        focus.and_then(|(range, _)| objective(points, last, range)),
        gap(points, last, report.tolerance),
    ]
    .into_iter()
    .flatten()
    .collect();
    if figures.is_empty() {
        return None;
    }
    let mut text = String::from(
        "The lower bound is proved: no solution of the convex program has a smaller \
         objective. Until the cones are met the iterate is no solution yet, and its objective may \
         lie below the bound.",
    );
    if focus.is_some_and(|(_, cut)| cut) {
        text += " The first iterations reach beyond the chart.";
    }
    Some(Section {
        id: "convergence",
        title: "Convergence",
        body: paragraph(&text) + &side_by_side(&figures),
    })
}

fn line(points: &[ConvergencePoint], value: fn(&ConvergencePoint) -> f64) -> Vec<Point> {
    points
        .iter()
        .map(|point| (point.iteration as f64, value(point)))
        .collect()
}

fn iterations(points: &[ConvergencePoint]) -> Option<Axis> {
    let range = Range::of(points.iter().map(|point| point.iteration as f64))?.with(0.0);
    Some(Axis::whole("iteration", range))
}

fn objective(points: &[ConvergencePoint], last: &ConvergencePoint, range: Range) -> Option<String> {
    let chart = Chart {
        id: "objective",
        title: "Objective and lower bound",
        description: format!(
            "After {} iterations the objective is {} and the lower bound {}.",
            whole(last.iteration),
            number(last.objective),
            number(last.lower_bound)
        ),
        x: iterations(points)?,
        y: Axis::linear("objective", range, Unit::Plain),
        marks: vec![
            Mark::Line {
                style: "line b dashed",
                points: line(points, |point| point.lower_bound),
            },
            Mark::Line {
                style: "line a",
                points: line(points, |point| point.objective),
            },
        ],
    };
    let keys = [
        Key::Line("line a", "objective".into()),
        Key::Line("line b dashed", "lower bound".into()),
    ];
    Some(figure(&chart, &keys))
}

/// The range of objectives and bounds, and whether it is cut: the first tenth
/// is left out where it would press the rest flat.
fn focus(points: &[ConvergencePoint]) -> Option<(Range, bool)> {
    let range = |points: &[ConvergencePoint]| {
        Range::of(points.iter().flat_map(|p| [p.objective, p.lower_bound]))
    };
    let all = range(points)?;
    let Some(core) = range(&points[points.len() / 10..]) else {
        return Some((all, false));
    };
    let margin = 0.5 * core.span();
    if core.span() == 0.0 || all.span() <= 4.0 * core.span() {
        return Some((all, false));
    }
    let cut = Range {
        low: all.low.max(core.low - margin),
        high: all.high.min(core.high + margin),
    };
    Some((cut, true))
}

fn gap(
    points: &[ConvergencePoint],
    last: &ConvergencePoint,
    tolerance: Option<f64>,
) -> Option<String> {
    let drawn = points.iter().flat_map(|point| [point.gap, point.violation]);
    let mut range = Range::of_positive(drawn.chain(tolerance))?;
    // where the objective crosses its bound the gap is nothing for a moment
    let ends = [last.gap, last.violation].into_iter().chain(tolerance);
    if let Some(ends) = Range::of_positive(ends) {
        range.low = 0.3 * ends.low;
    }
    let description = format!(
        "On a logarithmic scale. After {} iterations the gap is {} and the cone violation {}.",
        whole(last.iteration),
        percent(last.gap),
        percent(last.violation)
    );
    let positive = |value: f64| if value > 0.0 { value } else { f64::NAN };
    let log = |value: fn(&ConvergencePoint) -> f64| -> Vec<Point> {
        let line = line(points, value).into_iter();
        line.map(|(x, y)| (x, positive(y))).collect()
    };
    let mut marks = vec![
        Mark::Line {
            style: "line b dashed",
            points: log(|point| point.violation),
        },
        Mark::Line {
            style: "line a",
            points: log(|point| point.gap),
        },
    ];
    let mut keys = vec![
        Key::Line("line a", "gap".into()),
        Key::Line("line b dashed", "cone violation".into()),
    ];
    if let Some(tolerance) = tolerance.filter(|&tolerance| tolerance > 0.0) {
        marks.insert(
            0,
            Mark::Across {
                style: "rule",
                y: tolerance,
            },
        );
        keys.push(Key::Line(
            "rule",
            format!("gap asked for, {}", percent(tolerance)),
        ));
    }
    let chart = Chart {
        id: "gap",
        title: "Gap and cone violation",
        description,
        x: iterations(points)?,
        y: Axis::log_wide("relative, logarithmic", range, Unit::Percent),
        marks,
    };
    Some(figure(&chart, &keys))
}
