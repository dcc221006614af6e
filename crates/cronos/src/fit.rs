//! From raw features and targets to a network: scale, draw gates, solve, recover.

use crate::Error;
use crate::admm::{Iteration, Settings, Solution};
use crate::gates::Gates;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::memory;
use crate::network::{Network, TargetScaling};
use crate::program::{Activation, Program};
use crate::real::Real;
use crate::scaling::Scaling;
use crate::solver::{Shape, choose};
use std::ops::ControlFlow;

/// Penalty relative to the smallest one that is sure to give the zero network.
const BETA_FRACTION: f64 = 1e-3;

/// Precision of the arrays of the solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Half the memory of `f64`, and faster.
    #[default]
    F32,
    /// For tight tolerances.
    F64,
}

impl Precision {
    /// The name a user types.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => f32::NAME,
            Self::F64 => f64::NAME,
        }
    }
}

/// Where the gates come from.
#[derive(Clone, Debug, PartialEq)]
pub enum GateSource {
    /// This many Gaussian directions, drawn from the seed.
    Sampled(usize),
    /// These directions, one per column, one row per feature without the bias.
    /// They act on the features as the program sees them: standardised, unless
    /// that is switched off.
    Given(Matrix<f64>),
}

/// Everything that can be chosen about a fit. The default needs no change.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Penalty on the norms of the groups; `None` chooses it from the data.
    pub beta: Option<f64>,
    /// Default: 100 sampled gates.
    pub gates: GateSource,
    /// Default: ReLU.
    pub activation: Activation,
    /// Default: squared.
    pub loss: Loss,
    /// Whether a column of ones is appended. Default true.
    pub bias: bool,
    /// Whether features are standardised by their training statistics. Default true.
    pub standardize: bool,
    /// Default: `f32`.
    pub precision: Precision,
    /// Seed of gates and sketches. Default 0.
    pub seed: u64,
    /// Settings of the solver.
    pub settings: Settings,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            beta: None,
            gates: GateSource::Sampled(100),
            activation: Activation::default(),
            loss: Loss::default(),
            bias: true,
            standardize: true,
            precision: Precision::default(),
            seed: 0,
            settings: Settings::default(),
        }
    }
}

/// A trained network and how it came to be.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The network, on raw features.
    pub network: Network,
    /// The solution of the convex program it was recovered from.
    pub solution: Solution,
    /// Penalty that was used.
    pub beta: f64,
    /// Distinct gates that were used.
    pub gates: usize,
    /// Scaling of the features.
    pub feature_scaling: Scaling,
    /// Scaling of the targets.
    pub target_scaling: TargetScaling,
}

/// Trains a network on raw features (`n x d`) and targets (`n x C`).
pub fn fit(
    x: &Matrix<f64>,
    y: &Matrix<f64>,
    targets: TargetScaling,
    options: &Options,
    observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Fitted, Error> {
    match options.precision {
        Precision::F32 => fit_in::<f32>(x, y, targets, options, observe),
        Precision::F64 => fit_in::<f64>(x, y, targets, options, observe),
    }
}

fn fit_in<T: Real>(
    x: &Matrix<f64>,
    y: &Matrix<f64>,
    target_scaling: TargetScaling,
    options: &Options,
    observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Fitted, Error> {
    if x.rows() < 2 {
        return Err(Error::Data(format!(
            "the training data has {} row(s); at least 2 are needed",
            x.rows()
        )));
    }
    if y.rows() != x.rows() {
        return Err(Error::Shape {
            what: "targets",
            expected: format!("{} rows, as many as the features", x.rows()),
            found: format!("{} rows", y.rows()),
        });
    }
    if x.columns() == 0 || y.columns() == 0 || target_scaling.mean.len() != y.columns() {
        return Err(Error::Shape {
            what: "data",
            expected: "at least one feature, one target, and a scaling for each target".into(),
            found: format!(
                "{} features, {} targets, {} scalings",
                x.columns(),
                y.columns(),
                target_scaling.mean.len()
            ),
        });
    }
    x.check_finite("features")?;
    y.check_finite("targets")?;
    // refuse what cannot fit before anything large is made
    let shape = Shape {
        rows: x.rows(),
        features: x.columns() + usize::from(options.bias),
        gates: match &options.gates {
            GateSource::Sampled(count) => *count,
            GateSource::Given(directions) => directions.columns(),
        },
        outputs: y.columns(),
        signs: options.activation.signs(),
    };
    choose::<T>(shape, &options.settings, memory::limit(&options.settings))?;
    let feature_scaling = if options.standardize {
        Scaling::standard(x)
    } else {
        Scaling::identity(x.columns())
    };
    let seen: Matrix<T> = feature_scaling.apply(x, options.bias);
    let gates = match &options.gates {
        GateSource::Sampled(count) => Gates::sample(&seen, *count, options.seed)?,
        GateSource::Given(directions) if directions.rows() != x.columns() => {
            return Err(Error::Shape {
                what: "gate directions",
                expected: format!("{} rows, one for each feature", x.columns()),
                found: format!("{} rows", directions.rows()),
            });
        }
        GateSource::Given(directions) => {
            Gates::from_directions(&seen, &with_bias_row(directions, options.bias))?
        }
    };
    let scaled = Matrix::from_fn(y.rows(), y.columns(), |i, c| {
        T::of((y.at(i, c) - target_scaling.mean[c]) / target_scaling.scale[c])
    });
    let mut program = Program {
        x: seen,
        y: scaled,
        gates,
        beta: 0.0,
        activation: options.activation,
        loss: options.loss,
    };
    program.beta = options
        .beta
        .unwrap_or_else(|| BETA_FRACTION * program.zero_beta());
    let settings = Settings {
        seed: options.seed,
        ..options.settings.clone()
    };
    let solution = program.solve(&settings, observe)?;
    Ok(Fitted {
        network: Network::recover(&program, &solution, &feature_scaling, &target_scaling),
        beta: program.beta,
        gates: program.gates.len(),
        solution,
        feature_scaling,
        target_scaling,
    })
}

/// Gates given without a bias row have no bias.
fn with_bias_row(directions: &Matrix<f64>, bias: bool) -> Matrix<f64> {
    let rows = directions.rows();
    Matrix::from_fn(rows + usize::from(bias), directions.columns(), |i, j| {
        if i < rows { directions.at(i, j) } else { 0.0 }
    })
}
