//! The rounds in which gates were learned.

use crate::report::{Report, RoundPoint};
use cronos_page::frame::Section;
use cronos_page::html::{details, figure, paragraph, side_by_side, table};
use cronos_page::svg::{Axis, Chart, Dot, Key, Mark, Range, Unit};
use cronos_page::text::{number, whole};

pub fn section(report: &Report) -> Option<Section> {
    let points = &report.rounds[..];
    let (first, last) = (points.first()?, points.last()?);
    let text = format!(
        "Between rounds the neurons of the network become the gates of the next program. From \
         round {} to round {} the objective of the network went from {} to {}, its size from {} \
         to {} neurons.",
        first.round,
        last.round,
        number(first.network_objective),
        number(last.network_objective),
        whole(first.neurons),
        whole(last.neurons)
    );
    let objective = Drawn {
        id: "rounds-objective",
        title: "Objective of the network",
        name: "objective",
        value: |point| point.network_objective,
        from_zero: false,
    };
    let neurons = Drawn {
        id: "rounds-neurons",
        title: "Size of the network",
        name: "neurons",
        value: |point| point.neurons as f64,
        from_zero: true,
    };
    let figures: Vec<String> = [objective, neurons]
        .iter()
        .filter_map(|drawn| drawn.figure(points))
        .collect();
    let rows: Vec<Vec<String>> = points
        .iter()
        .map(|p| {
            vec![
                p.round.to_string(),
                number(p.network_objective),
                whole(p.neurons),
            ]
        })
        .collect();
    let head = ["round", "objective", "neurons"];
    let numbers = details("The numbers", &table("The rounds in numbers", &head, &rows));
    Some(Section {
        id: "gates",
        title: "Learned gates",
        body: paragraph(&text) + &side_by_side(&figures) + &numbers,
    })
}

/// One number per round.
struct Drawn {
    id: &'static str,
    title: &'static str,
    name: &'static str,
    value: fn(&RoundPoint) -> f64,
    from_zero: bool,
}

impl Drawn {
    fn figure(&self, points: &[RoundPoint]) -> Option<String> {
        let value = self.value;
        let mut range = Range::of(points.iter().map(value))?;
        if self.from_zero {
            range = range.with(0.0);
        }
        let rounds = Range::of(points.iter().map(|point| point.round as f64))?;
        let line: Vec<_> = points.iter().map(|p| (p.round as f64, value(p))).collect();
        let dot = |p: &RoundPoint| Dot {
            x: p.round as f64,
            y: value(p),
            radius: 3.0,
            text: format!("round {}: {} {}", p.round, self.name, number(value(p))),
        };
        let chart = Chart {
            id: self.id,
            title: self.title,
            description: format!(
                "{} by round, between {} and {}.",
                self.name,
                number(range.low),
                number(range.high)
            ),
            x: Axis::whole("round", rounds),
            y: Axis::linear(self.name, range, Unit::Plain),
            marks: vec![
                Mark::Line {
                    style: "line a",
                    points: line,
                },
                Mark::Dots {
                    style: "dot a",
                    dots: points.iter().map(dot).collect(),
                },
            ],
        };
        Some(figure(&chart, &[Key::Line("line a", self.name.into())]))
    }
}
