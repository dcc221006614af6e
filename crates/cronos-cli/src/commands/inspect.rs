//! `cronos inspect`

use super::labelled::target_column;
use crate::arguments::Inspect;
use crate::failure::Failure;
use crate::{model_file, output};
use cronos::{Model, Task};
use cronos_data::labels::{self, Labels};
use cronos_data::{Dataset, Missing, ReadOptions, Target};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

pub fn run(inspect: &Inspect) -> Result<ExitCode, Failure> {
    let report = if model_file::looks_like_one(Path::new(&inspect.what)) {
        describe_model(&model_file::read(Path::new(&inspect.what))?)
    } else {
        let options = ReadOptions {
            target: target_column(inspect.target.as_ref()),
            missing: Missing::Keep,
            ..ReadOptions::default()
        };
        let loaded = cronos_data::read(&inspect.what, &options).map_err(Failure::reading)?;
        let mut report = describe_data(&loaded.train)?;
        if let (Some(report), Some(test)) = (report.as_object_mut(), &loaded.test) {
            report.insert("test_rows".into(), json!(test.features.rows));
        }
        report
    };
    if inspect.json {
        output::print_json(&report)?;
    } else {
        output::print(&text(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn describe_model(model: &Model) -> Value {
    let training = &model.training;
    json!({
        "kind": "model",
        "task": match &model.task {
            Task::Classification { .. } => "classification",
            Task::Regression => "regression",
        },
        "classes": match &model.task {
            Task::Classification { classes } => Some(classes),
            Task::Regression => None,
        },
        "features": model.network.features(),
        "outputs": model.network.outputs(),
        "neurons": model.network.neurons(),
        "activation": training.activation,
        "target": model.target_name,
        "imputes_missing": model.imputation.is_some(),
        "status": training.status,
        "iterations": training.iterations,
        "solver": training.solver,
        "loss": training.loss,
        "beta": training.beta,
        "gates": training.gates,
        "precision": training.precision,
        "seed": training.seed,
        "training_rows": training.rows,
        "data_fingerprint": training.data_fingerprint,
        "objective": training.objective,
        "lower_bound": training.lower_bound,
        "gap": training.gap,
        "violation": training.violation,
        "network_objective": training.network_objective,
        "train_score": training.train_score,
        "test_score": training.test_score,
    })
}

fn describe_data(data: &Dataset) -> Result<Value, Failure> {
    let features = &data.features;
    let missing = features
        .values
        .iter()
        .filter(|value| value.is_nan())
        .count();
    let constant = (0..features.columns)
        .filter(|&j| {
            let column = || (0..features.rows).map(move |i| features.row(i)[j]);
            let first = column().next();
            column().all(|value| Some(value) == first)
        })
        .count();
    let (task, classes) = match &data.target {
        None => (None, None),
        Some(target) => match labels::infer_task(target) {
            cronos_data::Task::Regression => (Some("regression"), None),
            cronos_data::Task::Classification => {
                let labels = labels::encode(target).unwrap_or_else(|_| only_class(target));
                let mut counts = vec![0usize; labels.classes.len()];
                for &index in &labels.indices {
                    counts[index] += 1;
                }
                let counts: serde_json::Map<String, Value> = labels
                    .classes
                    .into_iter()
                    .zip(counts.into_iter().map(Value::from))
                    .collect();
                (Some("classification"), Some(counts))
            }
        },
    };
    Ok(json!({
        "kind": "data",
        "name": data.name,
        "rows": features.rows,
        "features": features.columns,
        "target": data.target_name,
        "task": task,
        "rows_per_class": classes,
        "missing_values": missing,
        "constant_features": constant,
        "fingerprint": data.fingerprint(),
    }))
}

/// A target that is not refused although there is nothing to tell apart in it.
fn only_class(target: &Target) -> Labels {
    let name = match target {
        Target::Text(texts) => texts.first().cloned(),
        Target::Numbers { values, .. } => values.first().map(f64::to_string),
    };
    Labels {
        classes: name.into_iter().collect(),
        indices: vec![0; target.len()],
    }
}

/// One line per entry that says something.
fn text(report: &Value) -> String {
    let mut text = String::new();
    for (name, value) in report.as_object().into_iter().flatten() {
        let value = match value {
            Value::Null => continue,
            Value::String(value) => value.clone(),
            Value::Object(entries) => entries
                .iter()
                .map(|(name, value)| format!("{name}: {value}"))
                .collect::<Vec<_>>()
                .join(", "),
            Value::Array(entries) => entries
                .iter()
                .map(|entry| entry.as_str().map_or(entry.to_string(), str::to_string))
                .collect::<Vec<_>>()
                .join(", "),
            other => other.to_string(),
        };
        text.push_str(&format!("{:<20}{value}\n", name.replace('_', " ")));
    }
    text
}
