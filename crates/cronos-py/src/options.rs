//! Keywords as the library takes them. They have the names and the meaning of the flags of the
//! command.

use crate::failure::refused;
use cronos::auto::Preset;
use cronos::nystrom::Rank;
use cronos::{Activation, GateSource, Loss, Matrix, Options, Precision, Settings, Solver};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// Gates that are drawn when their number is not given.
const GATES: usize = 100;

/// All keywords, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Keywords<'py> {
    loss: Option<String>,
    huber_delta: f64,
    quantile: f64,
    beta: Option<f64>,
    fast: bool,
    best: bool,
    networks: Option<usize>,
    gates: Option<usize>,
    learn_gates: bool,
    gate_directions: Option<PyReadonlyArray2<'py, f64>>,
    activation: String,
    solver: Option<String>,
    rank: Option<usize>,
    rho: Option<f64>,
    fixed_rho: bool,
    max_iterations: Option<usize>,
    tolerance: Option<f64>,
    time_limit: Option<f64>,
    no_bias: bool,
    no_standardize: bool,
    precision: String,
    seed: u64,
}

impl Keywords<'_> {
    /// What they mean to the library.
    pub fn options(&self) -> PyResult<Options> {
        let usual = Settings::default();
        Ok(Options {
            beta: self.beta,
            gates: self.gates()?,
            networks: self.networks,
            preset: match (self.fast, self.best) {
                (true, true) => return Err(refused("fast and best exclude each other")),
                (true, false) => Preset::Fast,
                (false, true) => Preset::Best,
                (false, false) => Preset::Standard,
            },
            activation: self.activation()?,
            loss: match &self.loss {
                None => None,
                Some(name) => Some(self.loss(name)?),
            },
            bias: !self.no_bias,
            standardize: !self.no_standardize,
            precision: named(
                "precision",
                &self.precision,
                &[("f32", Precision::F32), ("f64", Precision::F64)],
            )?,
            seed: self.seed,
            settings: Settings {
                solver: named(
                    "solver",
                    self.solver.as_deref().unwrap_or("auto"),
                    &[
                        ("auto", Solver::Auto),
                        ("direct", Solver::Direct),
                        ("sample-pcg", Solver::SamplePcg),
                        ("primal-pcg", Solver::PrimalPcg),
                    ],
                )?,
                rank: self.rank.map_or(usual.rank, Rank::Fixed),
                rho: self.rho,
                adapt_rho: !self.fixed_rho,
                max_iterations: self.max_iterations.unwrap_or(usual.max_iterations),
                gap_relative: self.tolerance.unwrap_or(usual.gap_relative),
                time_limit_seconds: self.time_limit,
                ..usual
            },
        })
    }

    fn activation(&self) -> PyResult<Activation> {
        let known = [("relu", Activation::Relu), ("gated", Activation::Gated)];
        named("activation", &self.activation, &known)
    }

    fn loss(&self, name: &str) -> PyResult<Loss> {
        let delta = self.huber_delta;
        let level = self.quantile;
        named(
            "loss",
            name,
            &[
                ("squared", Loss::Squared),
                ("logistic", Loss::Logistic),
                ("softmax", Loss::Softmax),
                ("huber", Loss::Huber { delta }),
                ("squared-hinge", Loss::SquaredHinge),
                ("quantile", Loss::Quantile { level }),
            ],
        )
    }

    /// Gates are learned unless something asks for the convex program itself.
    fn gates(&self) -> PyResult<GateSource> {
        if let Some(directions) = &self.gate_directions {
            let &[rows, columns] = directions.shape() else {
                return Err(refused("gate_directions: features x gates are expected"));
            };
            let directions = directions.as_array();
            let matrix = Matrix::from_fn(rows, columns, |i, j| directions[[i, j]]);
            return Ok(GateSource::Given(matrix));
        }
        let convex = self.gates.is_some()
            || self.solver.is_some()
            || self.rank.is_some()
            || self.rho.is_some()
            || self.max_iterations.is_some()
            || self.tolerance.is_some()
            || self.activation()? == Activation::Gated;
        Ok(match convex && !self.learn_gates {
            true => GateSource::Sampled(self.gates.unwrap_or(GATES)),
            false => GateSource::Learned { most: self.gates },
        })
    }
}

/// The value of a name, or a sentence with all names.
fn named<T: Copy>(keyword: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    match known.iter().find(|(known, _)| *known == name) {
        Some((_, value)) => Ok(*value),
        None => {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            Err(refused(&format!(
                "{keyword} = {name:?} is not known; use one of {}",
                names.join(", ")
            )))
        }
    }
}
