//! Ways to train a network against each other: charts of their scores while they train.

use crate::curve::Curve;
use crate::svg::{Axis, Chart, Key, Mark, Range, Unit};

/// The name of a score and how it is written; larger is better.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Such as accuracy.
    pub name: String,
    /// Whether 1 is written as 100 %.
    pub percent: bool,
}

impl Measure {
    /// Accuracy for classes, R² for numbers.
    pub fn of_classes(classes: bool) -> Self {
        Self {
            name: if classes { "accuracy" } else { "R²" }.into(),
            percent: classes,
        }
    }
}

impl Default for Measure {
    fn default() -> Self {
        Self {
            name: "score".into(),
            percent: false,
        }
    }
}

/// Runs of one optimizer that differ in their rates.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectories {
    /// Name of the optimizer.
    pub name: String,
    /// Its colour, which stays the same whoever else is compared; 0 stands out.
    pub hue: usize,
    /// Seconds, or the number, and score of every epoch, for each run.
    pub runs: Vec<Vec<(f64, f64)>>,
}

/// What scores are drawn against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Against {
    /// Seconds of training, on a logarithmic axis.
    Seconds,
    /// Numbers of epochs.
    Epochs,
}

/// A line, a band and the line of one run of many, for every hue.
const HUES: [[&str; 3]; 8] = [
    ["line first", "band first", "line thin first"],
    ["line h1", "band h1", "line thin h1"],
    ["line h2", "band h2", "line thin h2"],
    ["line h3", "band h3", "line thin h3"],
    ["line h4", "band h4", "line thin h4"],
    ["line h5", "band h5", "line thin h5"],
    ["line h6", "band h6", "line thin h6"],
    ["line h7", "band h7", "line thin h7"],
];

impl Trajectories {
    /// How the lines of this optimizer are drawn, for a legend.
    pub fn key(&self) -> Key {
        Key::Line(self.styles()[0], self.name.clone())
    }

    fn styles(&self) -> [&'static str; 3] {
        HUES[self.hue % HUES.len()]
    }
}

/// The median over the runs as a line, and a band from the 5 % to the 95 % quantile;
/// `None` if there is nothing to draw.
pub fn medians<'a>(
    id: &'a str,
    contenders: &[Trajectories],
    measure: &Measure,
    against: Against,
) -> Option<Chart<'a>> {
    let scale = Scale::of(contenders, measure)?;
    let (mut bands, mut lines) = (Vec::new(), Vec::new());
    for contender in contenders {
        let [line, band, _] = contender.styles();
        let curve = Curve::of(&contender.runs, scale.floor);
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
    let title = match against {
        Against::Seconds => "Validation score against time",
        Against::Epochs => "Validation score against epochs",
    };
    Some(scale.chart(
        id,
        title,
        contenders.len(),
        measure,
        against,
        marks.collect(),
    ))
}

/// Every run as a line; those of the first contender above all.
pub fn every_run<'a>(
    id: &'a str,
    contenders: &[Trajectories],
    measure: &Measure,
    against: Against,
) -> Option<Chart<'a>> {
    let scale = Scale::of(contenders, measure)?;
    let lines = |contender: &Trajectories| {
        let [thick, _, thin] = contender.styles();
        let style = if contender.hue == 0 { thick } else { thin };
        let runs = contender.runs.iter().map(|run| Mark::Line {
            style,
            points: (run.iter())
                .map(|&(x, score)| (x, score.max(scale.floor)))
                .collect(),
        });
        runs.collect::<Vec<_>>()
    };
    let marks = contenders.iter().rev().flat_map(lines).collect();
    let title = "Every learning rate";
    Some(scale.chart(id, title, contenders.len(), measure, against, marks))
}

/// The ranges of both axes.
struct Scale {
    x: Range,
    floor: f64,
    high: f64,
}

impl Scale {
    fn of(contenders: &[Trajectories], measure: &Measure) -> Option<Self> {
        let points = || contenders.iter().flat_map(|c| c.runs.iter().flatten());
        let x = Range::of_positive(points().map(|&(x, _)| x))?;
        let scores = Range::of(points().map(|&(_, score)| score))?;
        // a run that fails can have any R²; below 0 it is worse than a constant
        let floor = match measure.percent {
            true => scores.low,
            false => scores.low.max(0f64.min(scores.high)),
        };
        Some(Self {
            x,
            floor,
            high: scores.high,
        })
    }

    fn chart<'a>(
        &self,
        id: &'a str,
        title: &'a str,
        ways: usize,
        measure: &Measure,
        against: Against,
        marks: Vec<Mark>,
    ) -> Chart<'a> {
        let unit = match measure.percent {
            true => Unit::Percent,
            false => Unit::Plain,
        };
        let (x, what) = match against {
            Against::Seconds => (
                Axis::log("seconds of training, logarithmic", self.x, Unit::Plain),
                "seconds of training",
            ),
            Against::Epochs => (Axis::whole("epochs", self.x), "epochs"),
        };
        let scores = Range {
            low: self.floor,
            high: self.high,
        };
        Chart {
            id,
            title,
            description: format!(
                "Validation {} against {what} for {ways} ways to train the same network.",
                measure.name
            ),
            x,
            y: Axis::linear(&format!("validation {}", measure.name), scores, unit),
            marks,
        }
    }
}
