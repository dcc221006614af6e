//! `cronos inspect`

mod importance;
mod layers;

use super::importance::Measured;
use super::labelled::{Labelled, TextPlace, target_column};
use crate::arguments::Inspect;
use crate::failure::Failure;
use crate::report::Measure;
use crate::summary::listed;
use crate::{model_file, output};
use cronos::{Deep, Images, Model, Task};
use cronos_data::labels::{self, Labels};
use cronos_data::{Dataset, Missing, ReadOptions, Target};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// The names of the solvers that learn gates.
const LEARNED: [&str; 2] = ["column-generation", "batches"];

/// Entries that have tables of their own.
const TABLES: [&str; 3] = ["importance", "shuffled", "layers"];

pub fn run(inspect: &Inspect) -> Result<ExitCode, Failure> {
    let mut table = String::new();
    let report = if model_file::looks_like_one(Path::new(&inspect.what)) {
        let model = model_file::read(Path::new(&inspect.what))?;
        let measured = match &inspect.data {
            Some(data) => {
                let data =
                    Labelled::read(&model, data, inspect.target.as_ref(), &TextPlace::default())?;
                let rows = format!("rows of {}", data.name);
                Measured::by_shuffling(&model, &data.x, &data.truth, &rows)?
            }
            None => Measured::by_weights(&model),
        };
        table = layers::table(&model)?;
        table += &importance::table(
            &measured,
            &Measure::of_classes(model.task != Task::Regression),
        );
        describe_model(&model, &measured)?
    } else if inspect.data.is_some() {
        return Err(Failure::Usage(format!(
            "--data is for a model, and {} is none",
            inspect.what
        )));
    } else {
        let options = ReadOptions {
            target: target_column(inspect.target.as_ref()),
            missing: Missing::Keep,
            images: inspect.images.options(),
            ..ReadOptions::default()
        };
        let loaded = cronos_data::read(&inspect.what, &options).map_err(Failure::reading)?;
        let remarks = &loaded.train.remarks;
        remarks.iter().for_each(|text| output::remark(text));
        let mut report = describe_data(&loaded.train)?;
        if let (Some(report), Some(test)) = (report.as_object_mut(), &loaded.test) {
            report.insert("test_rows".into(), json!(test.features.rows));
        }
        report
    };
    if inspect.json {
        output::print_json(&report)?;
    } else {
        output::print(&(text(&report) + &table))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn describe_model(model: &Model, measured: &Measured) -> Result<Value, Failure> {
    let training = &model.training;
    let gates = training.gates * model.network.outputs();
    // fixed gates: one group for each gate, sign and output; learned ones are as many as there are
    let most_neurons = match (&training.solver[..], &training.activation[..]) {
        (solver, _) if LEARNED.contains(&solver) => None,
        (_, "gated") => Some(gates),
        _ => Some(2 * gates),
    };
    Ok(json!({
        "kind": "model",
        "task": match &model.task {
            Task::Classification { .. } => "classification",
            Task::Regression => "regression",
        },
        "classes": match &model.task {
            Task::Classification { classes } => Some(classes),
            Task::Regression => None,
        },
        "features": model.features(),
        "outputs": model.network.outputs(),
        "unused_features": measured.unused,
        "left_out": training.left_out,
        "neurons": model.network.neurons(),
        "most_neurons": most_neurons,
        "activation": training.activation,
        "image": training.images.as_ref().map(|images| {
            let Images { height, width, channels, fit } = images;
            format!("{height}x{width}x{channels}, {fit}")
        }),
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
        "deep": training.deep.as_ref().map(|deep| {
            let Deep { architecture, epochs, optimizer, alternations } = deep;
            json!({
                "architecture": architecture,
                "epochs": epochs,
                "optimizer": optimizer,
                "alternations": alternations,
            })
        }),
        "shuffled": measured.rows_json(),
        "layers": layers::json(model)?,
        "importance": measured.json(),
    }))
}

fn describe_data(data: &Dataset) -> Result<Value, Failure> {
    let features = &data.features;
    let constant = features.varies().iter().filter(|varies| !**varies).count();
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
        "image": data.image_shape.map(|(height, width, channels)| {
            format!("{height}x{width}x{channels}")
        }),
        "left_out": data.counting.iter()
            .filter(|column| column.left_out)
            .map(|column| &column.name)
            .collect::<Vec<_>>(),
        "target": data.target_name,
        "task": task,
        "rows_per_class": classes,
        "missing_values": features.values.missing(),
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
            // in the tables below, or said together with the neurons
            _ if TABLES.contains(&&name[..]) || name == "most_neurons" => continue,
            Value::Null => continue,
            Value::Array(entries) if entries.is_empty() => continue,
            neurons if name == "neurons" => match &report["most_neurons"] {
                Value::Null => neurons.to_string(),
                most => format!("{neurons} of at most {most}"),
            },
            Value::Array(names) if name == "unused_features" => {
                let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                format!("{}: {}", names.len(), listed(&names))
            }
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
