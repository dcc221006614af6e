//! The features that matter most.

use super::{Section, paragraph, table};
use crate::report::svg::Bars;
use crate::report::text::{escape, number, whole, with_spread};
use crate::report::{Importance, Measure, Permutation, Report};

/// Features shown, at most.
const MOST: usize = 30;

pub fn section(report: &Report) -> Option<Section> {
    let mut features: Vec<&Importance> = report.importance.iter().collect();
    if features.is_empty() {
        return None;
    }
    let shuffled = features.iter().any(|f| f.permutation.is_some());
    // by what shuffling costs if that was measured, else by the weights
    let key = |f: &Importance| match f.permutation {
        Some(permutation) => permutation.mean,
        None if shuffled => f64::NEG_INFINITY,
        None => f.group_norm,
    };
    features.sort_by(|a, b| {
        let norms = b.group_norm.total_cmp(&a.group_norm);
        key(b).total_cmp(&key(a)).then(norms)
    });
    features.truncate(MOST);
    let mut text = String::new();
    if report.importance.len() > MOST {
        text = format!(
            "The {MOST} most important of {} features. ",
            whole(report.importance.len())
        );
    }
    if shuffled {
        text += &format!(
            "Shuffled: how much {} is lost when the values of the feature are mixed among the \
             rows; the line shows the spread over repetitions. ",
            report.measure.name
        );
    }
    text += "Weights: the norm of all weights that read the feature.";
    Some(Section {
        id: "importance",
        title: "Importance of features",
        body: paragraph(&text) + &bars(&features, shuffled, &report.measure),
    })
}

fn bars(features: &[&Importance], shuffled: bool, measure: &Measure) -> String {
    let norms = Bars::new(features.iter().map(|f| (f.group_norm, 0.0)));
    let costs = Bars::new(
        features
            .iter()
            .filter_map(|f| f.permutation)
            .map(|p| (p.mean, p.spread)),
    );
    let rows: Vec<Vec<String>> = features
        .iter()
        .map(|feature| {
            let mut row = vec![escape(&feature.feature)];
            if shuffled {
                row.push(feature.permutation.map_or("–".into(), |permutation| {
                    let Permutation { mean, spread } = permutation;
                    cell(
                        &costs.svg("a", mean, spread),
                        &with_spread(mean, spread, measure.percent),
                    )
                }));
            }
            let norm = feature.group_norm;
            row.push(cell(&norms.svg("b", norm, 0.0), &number(norm)));
            row
        })
        .collect();
    let mut head = vec!["feature"];
    if shuffled {
        head.push("shuffled");
    }
    head.push("weights");
    format!(
        "<div class=\"bars\">\n{}</div>\n",
        table("Importance of features", &head, &rows)
    )
}

fn cell(bar: &str, text: &str) -> String {
    format!("<div>{bar}<span>{}</span></div>", escape(text))
}
