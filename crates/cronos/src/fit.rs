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

/// Training rows: raw features, targets, and what each row counts for.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// n x d
    pub x: &'a Matrix<f64>,
    /// n x C
    pub y: &'a Matrix<f64>,
    /// A row of weight `w` counts as `w` equal rows; `None` is 1 for every row.
    pub weights: Option<&'a [f64]>,
}

/// Trains a network. Rows of weight 0 are left out before anything else.
pub fn fit(
    rows: Rows<'_>,
    targets: TargetScaling,
    options: &Options,
    observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Fitted, Error> {
    rows.check()?;
    if let Some(weights) = rows.weights.filter(|weights| weights.contains(&0.0)) {
        let kept: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
        let weights: Vec<f64> = kept.iter().map(|&i| weights[i]).collect();
        let rows = Rows {
            x: &rows.x.select(&kept),
            y: &rows.y.select(&kept),
            weights: Some(&weights),
        };
        return fit(rows, targets, options, observe);
    }
    match options.precision {
        Precision::F32 => fit_in::<f32>(rows, targets, options, observe),
        Precision::F64 => fit_in::<f64>(rows, targets, options, observe),
    }
}

impl Rows<'_> {
    /// Refuses shapes that do not fit together and numbers that are not finite.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let n = self.x.rows();
        if n < 2 {
            return Err(Error::Data(format!(
                "the training data has {n} row(s); at least 2 are needed"
            )));
        }
        let weights = self.weights.map_or(n, <[f64]>::len);
        if self.y.rows() != n || weights != n {
            return Err(Error::Shape {
                what: "targets and weights",
                expected: format!("{n} rows, as many as the features"),
                found: format!("{} targets and {weights} weights", self.y.rows()),
            });
        }
        let wrong = |weight: &f64| !(*weight >= 0.0 && weight.is_finite());
        let weights = self.weights.unwrap_or_default();
        if let Some(row) = weights.iter().position(wrong) {
            return Err(Error::Data(format!(
                "row {} has the weight {}; weights must be finite and not negative",
                row + 1,
                weights[row]
            )));
        }
        self.x.check_finite("features")?;
        self.y.check_finite("targets")
    }
}

fn fit_in<T: Real>(
    rows: Rows<'_>,
    target_scaling: TargetScaling,
    options: &Options,
    observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Fitted, Error> {
    let Rows { x, y, weights } = rows;
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
        Scaling::standard(x, weights)
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
        weights: weights.map(<[f64]>::to_vec),
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
