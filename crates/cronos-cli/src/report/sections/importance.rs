//! The features that matter most.

use crate::report::png::Image;
use crate::report::{Importance, Measure, Permutation, PixelMap, Report};
use cronos_page::frame::Section;
use cronos_page::html::{details, paragraph, table};
use cronos_page::svg::Bars;
use cronos_page::text::{escape, percent, whole, with_spread};

/// Features shown, at most.
const MOST: usize = 30;

pub fn section(report: &Report) -> Option<Section> {
    let mut features = by_importance(&report.importance);
    if features.is_empty() {
        return None;
    }
    let shuffled = features.iter().any(|f| f.permutation.is_some());
    let weights = features.iter().any(|f| f.group_norm.is_finite());
    if !shuffled && !weights {
        return None;
    }
    features.truncate(MOST);
    let map = report.pixels.as_ref().and_then(map).unwrap_or_default();
    let mut text = String::new();
    if report.importance.len() > MOST && map.is_empty() {
        text = format!(
            "The {MOST} most important of {} features. ",
            whole(report.importance.len())
        );
    }
    if shuffled {
        let on = match report.shuffled_on.as_str() {
            "" => String::new(),
            on => format!(" ({on})"),
        };
        text += &format!(
            "Shuffled: how much {} is lost when the values of the feature are mixed among the \
             rows{on}; the line shows the spread over repetitions. ",
            report.measure.name
        );
    }
    if weights {
        text += "Weights: the share of the weights that read the feature, on the scale that \
                 features had in training.";
    }
    let bars = bars(&features, (shuffled, weights), &report.measure);
    let body = match map.is_empty() {
        true => paragraph(&text) + &bars,
        false => {
            let count = features.len();
            let open = format!("The {count} most important pixels");
            map + &details(&open, &(paragraph(&text) + &bars))
        }
    };
    Some(Section {
        id: "importance",
        title: "Importance of features",
        body,
    })
}

/// The most important first: by what shuffling costs if that was measured, else
/// by the weights.
pub fn by_importance(features: &[Importance]) -> Vec<&Importance> {
    let mut features: Vec<&Importance> = features.iter().collect();
    let shuffled = features.iter().any(|f| f.permutation.is_some());
    let key = |f: &Importance| match f.permutation {
        Some(permutation) => permutation.mean,
        None if shuffled => f64::NEG_INFINITY,
        None => f.group_norm,
    };
    features.sort_by(|a, b| {
        let norms = b.group_norm.total_cmp(&a.group_norm);
        key(b).total_cmp(&key(a)).then(norms)
    });
    features
}

/// The shares of pixels as an image: ink where they are large.
fn map(pixels: &PixelMap) -> Option<String> {
    let largest = pixels.shares.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return None;
    }
    let size = (pixels.width, pixels.height, 1);
    let image = Image::new(&pixels.shares, size, (largest, 0.0))?;
    let unread = pixels.shares.iter().filter(|&&share| share == 0.0).count();
    let text = format!(
        "Paper where nothing reads the pixel, ink where the share of the weights that do is \
         largest, {}. {} of {} pixels are not read.",
        percent(largest),
        whole(unread),
        whole(pixels.shares.len())
    );
    Some(format!(
        "<figure class=\"map\">\n<figcaption>Weights by pixel</figcaption>\n\
         <img class=\"ink\" width=\"{}\" height=\"{}\" src=\"{}\" alt=\"Share of the weights that \
         read each pixel\">\n{}</figure>\n",
        image.width,
        image.height,
        image.data_uri().ok()?,
        paragraph(&text),
    ))
}

/// A table of those columns that are there: `shuffled` and `weights`.
fn bars(features: &[&Importance], (shuffled, weights): (bool, bool), measure: &Measure) -> String {
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
            if weights {
                let norm = feature.group_norm;
                row.push(cell(&norms.svg("b", norm, 0.0), &percent(norm)));
            }
            row
        })
        .collect();
    let mut head = vec!["feature"];
    if shuffled {
        head.push("shuffled");
    }
    if weights {
        head.push("weights");
    }
    format!(
        "<div class=\"bars\">\n{}</div>\n",
        table("Importance of features", &head, &rows)
    )
}

fn cell(bar: &str, text: &str) -> String {
    format!("<div>{bar}<span>{}</span></div>", escape(text))
}
