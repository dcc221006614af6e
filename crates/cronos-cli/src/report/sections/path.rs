//! The penalties that were tried.

use crate::report::{Measure, PathPoint, Report};
use cronos_page::frame::Section;
use cronos_page::html::{details, figure, paragraph, side_by_side, table};
use cronos_page::svg::{Axis, Chart, Dot, Key, Mark, Range, Unit};
use cronos_page::text::{number, percent, whole, with_spread};

/// A chart and what its marks mean.
pub struct Panel<'a> {
    pub chart: Chart<'a>,
    pub keys: Vec<Key>,
}

pub fn section(report: &Report) -> Option<Section> {
    let points = shown(&report.path);
    let measure = &report.measure;
    let panels = panels(&points, measure);
    if panels.is_empty() {
        return None;
    }
    let text = match points.iter().find(|point| point.chosen) {
        Some(chosen) => format!(
            "Penalties tried: {}. Chosen: β = {}, with a validation {} of {} and {} neurons. \
             A larger penalty gives a smaller network.",
            points.len(),
            number(chosen.beta),
            measure.name,
            score(measure, chosen.validation_score),
            whole(chosen.neurons)
        ),
        None => format!("Penalties tried: {}.", points.len()),
    };
    let figures: Vec<String> = panels
        .iter()
        .map(|panel| figure(&panel.chart, &panel.keys))
        .collect();
    Some(Section {
        id: "path",
        title: "Path of penalties",
        body: paragraph(&text) + &side_by_side(&figures) + &numbers(&points, measure),
    })
}

/// The points that a logarithmic axis can show, in order.
pub fn shown(points: &[PathPoint]) -> Vec<PathPoint> {
    let mut points = points.to_vec();
    points.retain(|point| point.beta > 0.0 && point.beta.is_finite());
    points.sort_by(|a, b| a.beta.total_cmp(&b.beta));
    points
}

/// Scores, size and objective against the penalty, as far as they are known.
pub fn panels<'a>(points: &[PathPoint], measure: &'a Measure) -> Vec<Panel<'a>> {
    let Some(betas) = Range::of_positive(points.iter().map(|point| point.beta)) else {
        return Vec::new();
    };
    let x = Axis::log("penalty β, logarithmic", betas, Unit::Plain);
    let panels = [
        scores(points, &x, measure),
        neurons(points, &x),
        objectives(points, &x),
    ];
    panels.into_iter().flatten().collect()
}

fn score(measure: &Measure, value: f64) -> String {
    if measure.percent {
        percent(value)
    } else {
        number(value)
    }
}

/// The line through the chosen penalty, and its entry in the legend.
fn chosen(points: &[PathPoint], marks: &mut Vec<Mark>, keys: &mut Vec<Key>) {
    if let Some(point) = points.iter().find(|point| point.chosen) {
        marks.insert(
            0,
            Mark::Down {
                style: "rule",
                x: point.beta,
            },
        );
        let text = format!("chosen, β = {}", number(point.beta));
        keys.push(Key::Line("rule", text));
    }
}

fn dots(
    points: &[PathPoint],
    value: impl Fn(&PathPoint) -> f64,
    text: impl Fn(&PathPoint) -> String,
) -> Vec<Dot> {
    let dot = |point: &PathPoint| Dot {
        x: point.beta,
        y: value(point),
        radius: if point.chosen { 4.5 } else { 2.4 },
        text: format!("β = {}: {}", number(point.beta), text(point)),
    };
    points.iter().map(dot).collect()
}

fn scores<'a>(points: &[PathPoint], x: &Axis, measure: &'a Measure) -> Option<Panel<'a>> {
    let values = |p: &PathPoint| {
        let spread = if p.spread > 0.0 { p.spread } else { 0.0 };
        let (low, high) = (p.validation_score - spread, p.validation_score + spread);
        [p.train_score, p.validation_score, low, high]
    };
    let mut range = Range::of(points.iter().flat_map(values))?;
    let unit = if measure.percent {
        // a band may reach beyond what a score can be
        range.high = range.high.min(1.0);
        Unit::Percent
    } else {
        Unit::Plain
    };
    let train = |p: &PathPoint| p.train_score;
    let validation = |p: &PathPoint| p.validation_score;
    let mut marks = vec![Mark::Line {
        style: "line b dashed",
        points: points.iter().map(|p| (p.beta, train(p))).collect(),
    }];
    let mut keys = vec![Key::Line("line b dashed", "train".into())];
    if points
        .iter()
        .any(|point| point.validation_score.is_finite())
    {
        marks.push(Mark::Line {
            style: "line a",
            points: points.iter().map(|p| (p.beta, validation(p))).collect(),
        });
        marks.push(Mark::Dots {
            style: "dot a",
            dots: dots(points, validation, |p| {
                format!("validation {}", score(measure, p.validation_score))
            }),
        });
        keys.insert(0, Key::Line("line a", "validation".into()));
    }
    if points.iter().any(|point| point.spread > 0.0) {
        let band = |p: &PathPoint| {
            let [.., low, high] = values(p);
            (p.beta, low, high)
        };
        marks.insert(
            0,
            Mark::Band {
                style: "band a",
                points: points.iter().map(band).collect(),
            },
        );
        keys[0] = Key::Line("line a", "validation ± standard error".into());
    }
    chosen(points, &mut marks, &mut keys);
    let chart = Chart {
        id: "path-scores",
        title: "Scores",
        description: format!(
            "{} against the penalty β for {} penalties.",
            measure.name,
            points.len()
        ),
        x: x.clone(),
        y: Axis::linear(&measure.name, range, unit),
        marks,
    };
    Some(Panel { chart, keys })
}

fn neurons<'a>(points: &[PathPoint], x: &Axis) -> Option<Panel<'a>> {
    let count = |p: &PathPoint| p.neurons as f64;
    let range = Range::of(points.iter().map(count))?.with(0.0);
    let mut marks = vec![
        Mark::Line {
            style: "line a",
            points: points.iter().map(|p| (p.beta, count(p))).collect(),
        },
        Mark::Dots {
            style: "dot a",
            dots: dots(points, count, |p| format!("{} neurons", whole(p.neurons))),
        },
    ];
    let mut keys = vec![Key::Line("line a", "neurons".into())];
    chosen(points, &mut marks, &mut keys);
    let chart = Chart {
        id: "path-neurons",
        title: "Size of the network",
        description: format!(
            "Neurons against the penalty β: from {} to {}.",
            number(range.low),
            number(range.high)
        ),
        x: x.clone(),
        y: Axis::linear("neurons", range, Unit::Plain),
        marks,
    };
    Some(Panel { chart, keys })
}

fn objectives<'a>(points: &[PathPoint], x: &Axis) -> Option<Panel<'a>> {
    let range = Range::of(points.iter().flat_map(|p| [p.objective, p.lower_bound]))?;
    let mut marks = vec![
        Mark::Line {
            style: "line a",
            points: points.iter().map(|p| (p.beta, p.objective)).collect(),
        },
        Mark::Dots {
            style: "dot a",
            dots: dots(
                points,
                |p| p.objective,
                |p| format!("objective {}", number(p.objective)),
            ),
        },
    ];
    let mut keys = vec![Key::Line("line a", "objective".into())];
    if points.iter().any(|point| point.lower_bound.is_finite()) {
        marks.push(Mark::Line {
            style: "line b dashed",
            points: points.iter().map(|p| (p.beta, p.lower_bound)).collect(),
        });
        keys.push(Key::Line("line b dashed", "proved bound".into()));
    }
    chosen(points, &mut marks, &mut keys);
    let chart = Chart {
        id: "path-objectives",
        title: "Objective",
        description: format!(
            "Objective of the convex program against the penalty β: from {} to {}.",
            number(range.low),
            number(range.high)
        ),
        x: x.clone(),
        y: Axis::linear("objective", range.with(0.0), Unit::Plain),
        marks,
    };
    Some(Panel { chart, keys })
}

fn numbers(points: &[PathPoint], measure: &Measure) -> String {
    let head = [
        "β",
        "validation",
        "train",
        "neurons",
        "objective",
        "bound",
        "",
    ];
    let rows: Vec<Vec<String>> = points
        .iter()
        .map(|p| {
            vec![
                number(p.beta),
                with_spread(p.validation_score, p.spread, measure.percent),
                score(measure, p.train_score),
                whole(p.neurons),
                number(p.objective),
                number(p.lower_bound),
                if p.chosen { "chosen" } else { "" }.into(),
            ]
        })
        .collect();
    details("The numbers", &table("The path in numbers", &head, &rows))
}
