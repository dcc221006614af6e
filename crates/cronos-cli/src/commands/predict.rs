//! `cronos predict`

use super::labelled::{images, missing, target_column};
use super::text::bundle;
use crate::arguments::Predict;
use crate::failure::Failure;
use crate::{model_file, output};
use cronos::{Matrix, Model, Task};
use cronos_data::{Dataset, ReadOptions, TargetColumn};
use serde_json::json;
use std::process::ExitCode;

pub fn run(predict: &Predict) -> Result<ExitCode, Failure> {
    if let Some(out) = &predict.out {
        model_file::check_writable(out, predict.force)?;
    }
    let model = model_file::read(&predict.model)?;
    let (x, files) = match &model.training.text {
        Some(input) => {
            let target = TargetColumn::Absent;
            let texts = bundle::read(&predict.data, predict.text.as_ref(), target)?;
            let encoder = predict.encoder.as_ref();
            let x = bundle::features(&model, input, encoder, &texts.texts)?;
            (x, Vec::new())
        }
        None => {
            let data = read(predict, &model)?;
            (model_file::table(data.features)?, data.files)
        }
    };
    let x = x.as_ref();
    let decisions = model.decide(x)?;
    let probabilities = model.probabilities(x)?;
    let labels = match &model.task {
        Task::Classification { classes } => Some(
            model
                .classify(x)?
                .into_iter()
                .map(|class| classes[class].as_str())
                .collect::<Vec<_>>(),
        ),
        Task::Regression => None,
    };
    if predict.json {
        let rows = |matrix: &Matrix<f64>| -> Vec<Vec<f64>> {
            (0..matrix.rows()).map(|i| matrix.row(i).to_vec()).collect()
        };
        output::print_json(&json!({
            "files": (!files.is_empty()).then_some(&files),
            "labels": labels,
            "decisions": rows(&decisions),
            "probabilities": probabilities.as_ref().map(rows),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = csv(
        &model,
        &files,
        &decisions,
        labels.as_deref(),
        probabilities.as_ref(),
    );
    match &predict.out {
        Some(path) => model_file::write(path, text.as_bytes(), predict.force)?,
        None => output::print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The data. A target that is not named is not read, so it may
/// have gaps; only where columns have no names it must be told from the features.
fn read(predict: &Predict, model: &Model) -> Result<Dataset, Failure> {
    let images = images(model)?;
    let options = |target| ReadOptions {
        target,
        missing: missing(model),
        expected_features: Some(&model.feature_names),
        images: images.clone(),
        ..ReadOptions::default()
    };
    let read = |target| cronos_data::read(&predict.data, &options(target));
    let loaded = match &predict.target {
        Some(_) => read(target_column(predict.target.as_ref())),
        None => read(TargetColumn::Absent).or_else(|_| read(TargetColumn::Auto)),
    };
    let data = loaded.map_err(Failure::reading)?.train;
    data.remarks.iter().for_each(|text| output::remark(text));
    Ok(data)
}

/// For images the file, then `prediction`, then for classes the decision values and, if they are known, the
/// probabilities.
fn csv(
    model: &Model,
    files: &[String],
    decisions: &Matrix<f64>,
    labels: Option<&[&str]>,
    probabilities: Option<&Matrix<f64>>,
) -> String {
    let outputs = decisions.columns();
    let mut header: Vec<String> = match &model.task {
        Task::Regression if outputs == 1 => vec!["prediction".into()],
        Task::Regression => (0..outputs).map(|c| format!("prediction_{c}")).collect(),
        Task::Classification { .. } if outputs == 1 => vec!["prediction".into(), "decision".into()],
        Task::Classification { classes } => std::iter::once("prediction".to_string())
            .chain(
                classes
                    .iter()
                    .map(|class| quoted(&format!("decision_{class}"))),
            )
            .collect(),
    };
    if let (Some(_), Task::Classification { classes }) = (probabilities, &model.task) {
        let named = |class: &String| quoted(&format!("probability_{class}"));
        header.extend(classes.iter().map(named));
    }
    if !files.is_empty() {
        header.insert(0, "file".into());
    }
    let mut text = header.join(",");
    text.push('\n');
    for i in 0..decisions.rows() {
        let mut fields: Vec<String> = files.get(i).map(|file| quoted(file)).into_iter().collect();
        fields.extend(labels.map(|labels| quoted(labels[i])));
        fields.extend(decisions.row(i).iter().map(f64::to_string));
        let probabilities = probabilities.map_or(&[][..], |matrix| matrix.row(i));
        fields.extend(probabilities.iter().map(f64::to_string));
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

/// A csv field, in quotes where it needs them.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_string()
    }
}
