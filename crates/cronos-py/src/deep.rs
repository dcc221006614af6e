//! Deep networks.

use crate::arrays::Features;
use crate::failure::{exception, refused};
use crate::model::Trained;
use crate::options::{SIMPLE_LOSSES, named, place};
use crate::rows::{Job, Target, Truth, on_rows};
use cronos::{HeadGates, Observer, Team};
use cronos_deep::{About, Data, Moves, Recipe, Rule, Watch};
use pyo3::prelude::*;
use std::ops::ControlFlow;

/// All keywords, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct DeepKeywords {
    arch: String,
    epochs: Option<usize>,
    batch: usize,
    loss: Option<String>,
    alpha: f64,
    beta: Option<f64>,
    gates: usize,
    head_gates: String,
    head_iterations: usize,
    augment: Option<String>,
    device: Option<String>,
    time_limit: Option<f64>,
    seed: u64,
}

impl DeepKeywords {
    /// What they mean to the library.
    fn recipe(&self) -> PyResult<Recipe> {
        if let Some(seconds) = self.time_limit
            && (seconds.is_nan() || seconds <= 0.0)
        {
            let sentence = format!("time_limit is {seconds}; it must be above 0");
            return Err(refused(&sentence));
        }
        let recipe = Recipe {
            architecture: (self.arch.parse()).map_err(|sentence: String| refused(&sentence))?,
            epochs: self.epochs,
            batch: self.batch,
            loss: match &self.loss {
                None => None,
                Some(name) => Some(named("loss", name, &SIMPLE_LOSSES)?),
            },
            alpha: self.alpha,
            beta: self.beta,
            gates: self.gates,
            head_gates: named(
                "head_gates",
                &self.head_gates,
                &[
                    ("seed", HeadGates::Seed),
                    ("redrawn", HeadGates::Redrawn),
                    ("learned", HeadGates::Learned),
                ],
            )?,
            head_iterations: self.head_iterations,
            moves: match &self.augment {
                None => None,
                Some(name) => Some(named(
                    "augment",
                    name,
                    &[
                        ("none", Moves::None),
                        ("shift", Moves::Shift),
                        ("mirror", Moves::Mirror),
                    ],
                )?),
            },
            place: place(self.device.as_deref().unwrap_or("cpu"))?,
            seed: self.seed,
        };
        recipe.check().map_err(exception)?;
        Ok(recipe)
    }
}

/// Trains a deep network; `image` is the height, width and number of channels of rows that are
/// images.
#[pyfunction]
pub fn fit_deep(
    py: Python<'_>,
    x: Features<'_>,
    y: Target<'_>,
    image: Option<[usize; 3]>,
    job: Job<'_>,
    keywords: DeepKeywords,
) -> PyResult<Trained> {
    let recipe = keywords.recipe()?;
    let (about, limit) = (job.about(&x), keywords.time_limit);
    on_rows(py, &x, &y, &job, (&Team::default(), true), |rows, watch| {
        let truth = match &rows.truth {
            Truth::Classes(indices) => cronos_deep::Truth::Classes {
                indices,
                count: about.classes(),
            },
            Truth::Numbers(y) => cronos_deep::Truth::Numbers(y),
        };
        let data = Data::new(&rows.table, image, truth, rows.weights.as_deref(), &recipe)?;
        let planned_bytes = recipe.memory(&data)?;
        let options = recipe.options(&data, Rule::Alternate);
        let late = || limit.is_some_and(|most| about.start.elapsed().as_secs_f64() >= most);
        let beside = Watch {
            observe: &mut |epoch| match late() {
                true => ControlFlow::Break(()),
                false => watch.step(epoch.number, options.epochs),
            },
            stop: &|| watch.stop() || late(),
            keep: None,
            from: None,
        };
        let trained = recipe.train(&data, &options, beside)?;
        let parts = About {
            task: about.task.clone(),
            feature_names: about.feature_names.clone(),
            broken_off: "time-limit",
        };
        let mut model = recipe.model(&data, &options, &trained, parts)?;
        model.training.rows = about.rows;
        let mut report = recipe.report(&data, &options, &trained, &model);
        report["seconds"]["total"] = about.start.elapsed().as_secs_f64().into();
        report["planned_memory_bytes"] = planned_bytes.into();
        Ok(Trained {
            model,
            report: report.to_string(),
            end: None,
        })
    })
}
