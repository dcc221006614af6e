//! Keywords as the library takes them. They have the names and the meaning of the flags of the
//! command.

use crate::arrays::matrix;
use crate::failure::{exception, refused};
use cronos::auto::Preset;
use cronos::nystrom::Rank;
use cronos::{Activation, GateSource, Loss, Options, Place, Precision, Settings, Solver};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

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
    device: Option<String>,
    rank: Option<Sketch>,
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
            start: None,
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
                place: self.place()?,
                rank: match &self.rank {
                    None => usual.rank,
                    Some(rank) => rank.rank()?,
                },
                rho: self.rho,
                adapt_rho: !self.fixed_rho,
                max_iterations: self.max_iterations.unwrap_or(usual.max_iterations),
                gap_relative: self.tolerance.unwrap_or(usual.gap_relative),
                time_limit_seconds: self.time_limit,
                ..usual
            },
        })
    }

    /// The same for a path: gates are drawn unless they are given.
    pub fn path_options(&self) -> PyResult<Options> {
        let mut options = self.options()?;
        if let GateSource::Learned { .. } = options.gates {
            options.gates = GateSource::of(self.gates, false, true);
        }
        Ok(options)
    }

    fn activation(&self) -> PyResult<Activation> {
        let known = [("relu", Activation::Relu), ("gated", Activation::Gated)];
        named("activation", &self.activation, &known)
    }

    fn device(&self) -> &str {
        self.device.as_deref().unwrap_or("cpu")
    }

    /// The device that is asked for, which must be there.
    fn place(&self) -> PyResult<Place> {
        let place = place(self.device())?;
        let learned = matches!(self.gates()?, GateSource::Learned { .. });
        Ok(match self.device() {
            "auto" if learned => Place::Cpu,
            _ => place,
        })
    }

    fn loss(&self, name: &str) -> PyResult<Loss> {
        let (delta, level) = (self.huber_delta, self.quantile);
        let more = [
            ("huber", Loss::Huber { delta }),
            ("quantile", Loss::Quantile { level }),
        ];
        named("loss", name, &[&SIMPLE_LOSSES[..], &more].concat())
    }

    /// Gates that are given, or as many as are asked for.
    fn gates(&self) -> PyResult<GateSource> {
        if let Some(directions) = &self.gate_directions {
            return Ok(GateSource::Given(matrix(directions)));
        }
        if self.gates == Some(0) {
            return Err(refused("gates is 0; it must be at least 1"));
        }
        let convex = self.solver.is_some()
            || !matches!(self.device(), "cpu" | "auto")
            || self.rank.is_some()
            || self.rho.is_some()
            || self.max_iterations.is_some()
            || self.tolerance.is_some()
            || self.activation()? == Activation::Gated;
        Ok(GateSource::of(self.gates, self.learn_gates, convex))
    }
}

/// Losses without a parameter.
pub const SIMPLE_LOSSES: [(&str, Loss); 4] = [
    ("squared", Loss::Squared),
    ("logistic", Loss::Logistic),
    ("softmax", Loss::Softmax),
    ("squared-hinge", Loss::SquaredHinge),
];

/// A number, or `adaptive`.
#[derive(FromPyObject)]
pub enum Sketch {
    Fixed(usize),
    Named(String),
}

impl Sketch {
    pub fn rank(&self) -> PyResult<Rank> {
        let adaptive = Rank::Adaptive {
            first: 20,
            most: 400,
        };
        match self {
            Self::Fixed(0) => Err(refused("rank is 0; it must be at least 1, or \"adaptive\"")),
            Self::Fixed(rank) => Ok(Rank::Fixed(*rank)),
            Self::Named(name) => named("rank", name, &[("adaptive", adaptive)]),
        }
    }
}

/// The value of a name, or a sentence with all names.
pub fn named<T: Copy>(keyword: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
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

/// The device of a name, which must be there.
pub fn place(name: &str) -> PyResult<Place> {
    let place = Place::named(name).map_err(|why| refused(&format!("device: {why}")))?;
    place.check().map_err(exception)?;
    Ok(place)
}
