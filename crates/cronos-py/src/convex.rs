//! The convex program itself, for those who study it.

use crate::arrays::{array, matrix};
use crate::failure::{exception, refused};
use crate::options::Keywords;
use crate::work::run;
use cronos::{Error, Gates, Matrix, Options, Precision, Program, Real, Solution};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Directions of gates, features x gates, and their patterns, rows x gates.
type Drawn<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<bool>>);

/// Draws gates whose patterns on the rows are distinct and not empty.
#[pyfunction]
pub fn sample_gates<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    count: usize,
    seed: u64,
) -> PyResult<Drawn<'py>> {
    let x = matrix(&x);
    let gates = py
        .detach(|| Gates::sample(&x, count, seed))
        .map_err(exception)?;
    let (rows, count) = (gates.rows(), gates.len());
    let active = (0..rows * count).map(|at| gates.active(at % count, at / count));
    let patterns = PyArray1::from_iter(py, active);
    Ok((directions(py, &gates)?, patterns.reshape([rows, count])?))
}

/// What a program is made of.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Parts<'py> {
    x: PyReadonlyArray2<'py, f64>,
    y: PyReadonlyArray2<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
}

impl Parts<'_> {
    fn program<T: Real>(&self, options: &Options) -> Result<Program<T>, Error> {
        let cronos::GateSource::Given(directions) = &options.gates else {
            return Err(Error::Data(
                "the directions of the gates are missing".into(),
            ));
        };
        let x = matrix(&self.x).cast();
        Ok(Program {
            gates: Gates::from_directions(&x, directions)?,
            x,
            y: matrix(&self.y).cast(),
            beta: options.beta.unwrap_or(0.0),
            activation: options.activation,
            loss: options.loss.unwrap_or_default(),
            weights: (self.weights.as_ref()).map(|weights| weights.as_array().to_vec()),
        })
    }
}

/// Solves the program of gates that are given. The gates that were used come back: those whose
/// pattern is empty or stands twice are dropped.
#[pyfunction]
pub fn solve_convex<'py>(
    py: Python<'py>,
    parts: Parts<'py>,
    keywords: Keywords<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = keywords.options()?;
    match options.precision {
        Precision::F32 => solve::<f32>(py, &parts, &options),
        Precision::F64 => solve::<f64>(py, &parts, &options),
    }
}

fn solve<'py, T: Real>(
    py: Python<'py>,
    parts: &Parts<'py>,
    options: &Options,
) -> PyResult<Bound<'py, PyDict>> {
    let program = parts.program::<T>(options).map_err(exception)?;
    let mut settings = options.settings.clone();
    (settings.seed, settings.keep_dual) = (options.seed, true);
    let solution = run(py, parts.threads, parts.progress.as_ref(), |watch| {
        program.solve(&settings, &mut |iteration| {
            cronos::Observer::iteration(watch, iteration)
        })
    })?;
    let found = PyDict::new(py);
    let sizes = [
        program.y.columns(),
        program.activation.signs(),
        program.gates.len(),
    ];
    let (n, d) = (program.x.rows(), program.x.columns());
    let [outputs, signs, gates] = sizes;
    let weights = PyArray1::from_slice(py, &solution.weights);
    found.set_item("weights", weights.reshape([outputs, signs, gates, d])?)?;
    if let Some(dual) = &solution.dual {
        let z = PyArray1::from_slice(py, &dual.loss);
        found.set_item("loss_dual", z.reshape([outputs, n])?)?;
        if !dual.cone.is_empty() {
            let alpha = PyArray1::from_slice(py, &dual.cone);
            found.set_item("cone_dual", alpha.reshape([outputs, signs, gates, n])?)?;
        }
    }
    found.set_item("directions", directions(py, &program.gates)?)?;
    found.set_item("status", solution.status.name())?;
    found.set_item("solver", solution.choice.solver.name())?;
    found.set_item("solver_reason", &solution.choice.reason)?;
    set_certificate(&found, &solution.certificate)?;
    found.set_item("history", history(py, &solution)?)?;
    Ok(found)
}

/// What weights are worth, and what no weights can beat. They are ordered output, sign, gate.
#[pyfunction]
pub fn certificate<'py>(
    py: Python<'py>,
    parts: Parts<'py>,
    weights: PyReadonlyArray1<'py, f64>,
    keywords: Keywords<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = keywords.options()?;
    let program = parts.program::<f64>(&options).map_err(exception)?;
    match program.gates.dropped() {
        0 => {}
        dropped => {
            return Err(refused(&format!(
                "{dropped} of the gates are active on no row or have the pattern of another; \
                 leave them out, with their weights"
            )));
        }
    }
    let weights = weights.as_slice()?;
    let certificate = py.detach(|| program.certify(weights)).map_err(exception)?;
    let found = PyDict::new(py);
    set_certificate(&found, &certificate)?;
    Ok(found)
}

fn set_certificate(found: &Bound<'_, PyDict>, certificate: &cronos::Certificate) -> PyResult<()> {
    found.set_item("objective", certificate.objective)?;
    found.set_item("lower_bound", certificate.lower_bound)?;
    found.set_item("gap", certificate.gap)?;
    found.set_item("violation", certificate.violation)?;
    found.set_item("network_objective", certificate.network_objective)
}

/// One array for each thing that is known of every iteration.
fn history<'py>(py: Python<'py>, solution: &Solution) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    let column = |name: &str, of: &dyn Fn(&cronos::Iteration) -> f64| {
        let values = solution.history.iter().map(of);
        found.set_item(name, PyArray1::from_iter(py, values))
    };
    column("objective", &|iteration| iteration.objective)?;
    column("violation", &|iteration| iteration.violation)?;
    column("primal_residual", &|iteration| iteration.primal_residual)?;
    column("dual_residual", &|iteration| iteration.dual_residual)?;
    column("lower_bound", &|iteration| iteration.lower_bound)?;
    column("gap", &|iteration| iteration.gap)?;
    column("rho", &|iteration| iteration.rho)?;
    column("inner_iterations", &|iteration| {
        iteration.inner_iterations as f64
    })?;
    column("seconds", &|iteration| iteration.seconds.total())?;
    Ok(found)
}

/// Features x gates.
fn directions<'py>(py: Python<'py>, gates: &Gates) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows = gates.direction(0).len();
    array(
        py,
        &Matrix::from_fn(rows, gates.len(), |i, j| gates.direction(j)[i]),
    )
}
