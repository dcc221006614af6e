//! `cronos eval`

use super::labelled::{Labelled, TextPlace, Truth};
use crate::arguments::Eval;
use crate::failure::Failure;
use crate::{model_file, output};
use cronos::{Model, Table, Task};
use serde_json::json;
use std::fmt::Write;
use std::process::ExitCode;

pub fn run(eval: &Eval) -> Result<ExitCode, Failure> {
    let model = model_file::read(&eval.model)?;
    let place = TextPlace {
        text: eval.text.as_ref(),
        encoder: eval.encoder.as_ref(),
    };
    let Labelled { x, truth, .. } =
        Labelled::read(&model, &eval.data, eval.target.as_ref(), &place)?;
    let score = truth.score(&model, x.as_ref())?;
    let confusion = confusion(&model, &truth, x.as_ref())?;
    if eval.json {
        let mut report = score.json();
        if let (Some(report), Some(confusion)) = (report.as_object_mut(), &confusion) {
            report.insert("confusion".into(), json!(confusion));
            if let Task::Classification { classes } = &model.task {
                report.insert("classes".into(), json!(classes));
            }
        }
        output::print_json(&report)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{}\n", score.text());
    if let (Some(confusion), Task::Classification { classes }) = (&confusion, &model.task) {
        text.push_str(&confusion_text(confusion, classes));
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Rows by true class and predicted class.
fn confusion(
    model: &Model,
    truth: &Truth,
    x: &dyn Table,
) -> Result<Option<Vec<Vec<usize>>>, Failure> {
    let (Truth::Classes(truth), Task::Classification { classes }) = (truth, &model.task) else {
        return Ok(None);
    };
    let mut counts = vec![vec![0; classes.len()]; classes.len()];
    for (predicted, &actual) in model.classify(x)?.into_iter().zip(truth) {
        counts[actual][predicted] += 1;
    }
    Ok(Some(counts))
}

/// A table with one row per true class; left out when there are too many to read.
fn confusion_text(counts: &[Vec<usize>], classes: &[String]) -> String {
    const MOST: usize = 20;
    if classes.len() > MOST {
        return String::new();
    }
    let width = classes
        .iter()
        .map(|class| class.chars().count())
        .chain([5])
        .max()
        .unwrap_or(5);
    let mut text = format!("{:>width$} | predicted\n", "true");
    // writing to a string cannot fail
    let _ = write!(text, "{:>width$} |", "");
    for class in classes {
        let _ = write!(text, " {class:>width$}");
    }
    text.push('\n');
    for (class, row) in classes.iter().zip(counts) {
        let _ = write!(text, "{class:>width$} |");
        for count in row {
            let _ = write!(text, " {count:>width$}");
        }
        text.push('\n');
    }
    text
}
