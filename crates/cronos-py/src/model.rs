//! A trained network, as Python holds it.

use crate::arrays::{Features, array};
use crate::failure::exception;
use cronos::{Matrix, Model, Start, Task};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

/// A model and the report of how it came to be.
#[pyclass(frozen, module = "cronos._core", name = "Model")]
pub struct Trained {
    pub model: Model,
    pub report: String,
    /// Where the solver ended, for another fit; files do not keep it.
    pub end: Option<Start>,
}

#[pymethods]
impl Trained {
    /// A model from the bytes of a model file, with what that remembers unless more is known.
    #[staticmethod]
    #[pyo3(signature = (bytes, report = None))]
    fn from_bytes(bytes: &[u8], report: Option<String>) -> PyResult<Self> {
        let model = Model::from_bytes(bytes).map_err(exception)?;
        let report = report.unwrap_or_else(|| remembered(&model));
        Ok(Self {
            model,
            report,
            end: None,
        })
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.model.to_bytes().map_err(exception)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bytes of an ONNX file.
    fn to_onnx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.model.to_onnx().map_err(exception)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The outputs for rows: rows x outputs.
    fn decide<'py>(
        &self,
        py: Python<'py>,
        x: Features<'py>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let decided = x.with(|x| py.detach(|| self.model.decide(x)))?;
        array(py, &decided.map_err(exception)?)
    }

    /// The index of the class of each row.
    fn classify<'py>(
        &self,
        py: Python<'py>,
        x: Features<'py>,
    ) -> PyResult<Bound<'py, PyArray1<usize>>> {
        let chosen = x.with(|x| py.detach(|| self.model.classify(x)))?;
        Ok(PyArray1::from_vec(py, chosen.map_err(exception)?))
    }

    /// The probabilities of the classes, if the outputs are log-odds.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        x: Features<'py>,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let found = x.with(|x| py.detach(|| self.model.probabilities(x)))?;
        let found = found.map_err(exception)?;
        found.map(|found| array(py, &found)).transpose()
    }

    /// What the fit had to say, as JSON.
    #[getter]
    fn report(&self) -> &str {
        &self.report
    }

    /// The names of the classes; none for numbers.
    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        match &self.model.task {
            Task::Classification { classes } => Some(classes.clone()),
            Task::Regression => None,
        }
    }

    #[getter]
    fn feature_names(&self) -> Vec<String> {
        self.model.feature_names.clone()
    }

    #[getter]
    fn features(&self) -> usize {
        self.model.features()
    }

    /// Height, width and channels of the images that the layers in front of the network take;
    /// none without layers, or if they take lists of numbers.
    #[getter]
    fn image(&self) -> Option<[usize; 3]> {
        let shape = self.model.stack.as_ref()?.input;
        let list = shape.height == 1 && shape.width == 1;
        (!list).then_some([shape.height, shape.width, shape.channels])
    }

    /// Whether missing (NaN) features are replaced.
    #[getter]
    fn imputes(&self) -> bool {
        self.model.imputation.is_some()
    }

    /// Whether there are layers in front of the network.
    #[getter]
    fn deep(&self) -> bool {
        self.model.stack.is_some()
    }

    #[getter]
    fn outputs(&self) -> usize {
        self.model.network.outputs()
    }

    #[getter]
    fn log_odds(&self) -> bool {
        self.model.training.log_odds
    }

    /// The weights of both layers, one column for each unit that they lead to.
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray2<f64>>; 2]> {
        let network = &self.model.network;
        let hidden = &network.hidden;
        let turned = Matrix::from_fn(hidden.columns(), hidden.rows(), |i, j| hidden.at(j, i));
        Ok([array(py, &turned)?, array(py, &network.output)?])
    }

    /// The constants of both layers.
    fn intercepts<'py>(&self, py: Python<'py>) -> [Bound<'py, PyArray1<f64>>; 2] {
        let network = &self.model.network;
        [
            PyArray1::from_slice(py, &network.hidden_bias),
            PyArray1::from_slice(py, &network.output_bias),
        ]
    }
}

/// The part of a report that a model file keeps.
fn remembered(model: &Model) -> String {
    let training = &model.training;
    let mut report = json!({
        "status": training.status,
        "iterations": training.iterations,
        "objective": training.objective,
        "network_objective": training.network_objective,
        "solver": training.solver,
        "gates": training.gates,
        "neurons": model.network.neurons(),
        "beta": training.beta,
        "loss": training.loss,
    });
    match &training.deep {
        Some(deep) => report["architecture"] = deep.architecture.clone().into(),
        None => {
            report["lower_bound"] = training.lower_bound.into();
            report["gap"] = training.gap.into();
            report["violation"] = training.violation.into();
        }
    }
    report.to_string()
}
