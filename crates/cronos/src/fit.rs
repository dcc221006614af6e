//! From raw features and targets to a network: scale, draw gates, solve, recover.

use crate::Error;
use crate::admm::{Iteration, Residence, Seconds, Settings, Start, Status};
use crate::auto::{self, Preset, Search};
use crate::blocks::Blocks;
use crate::certificate::Certificate;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::network::{Network, TargetScaling};
use crate::observe::{Observer, Watch};
use crate::place::Place;
use crate::program::Activation;
use crate::real::Real;
use crate::rows::Rows;
use crate::sampled::Sampled;
use crate::scaling::Scaling;
use crate::scout;
use std::time::Instant;

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
    /// Learned from the data; `most` bounds their number in each network.
    Learned {
        /// Units at most; `None` leaves it to the search, and is 100 when β is given.
        most: Option<usize>,
    },
    /// This many Gaussian directions, drawn from the seed.
    Sampled(usize),
    /// These directions, one per column: one row per feature, and one for the bias if they have one
    /// and there are at least as many rows of data as features. They act on the features as the program sees them: standardised, unless
    /// that is switched off.
    Given(Matrix<f64>),
}

/// Gates that are drawn when their number is not given.
const GATES: usize = 100;

impl GateSource {
    /// Gates are learned, unless their number is given or `convex` says that something else asks for the
    /// convex program itself, such as a setting of its solver; `learn` overrules both.
    pub fn of(number: Option<usize>, learn: bool, convex: bool) -> Self {
        match (number.is_some() || convex) && !learn {
            true => Self::Sampled(number.unwrap_or(GATES)),
            false => Self::Learned { most: number },
        }
    }
}

/// Everything that can be chosen about a fit. The default needs no change: gates
/// are learned, and everything else is chosen on held-out rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Penalty on the norms of the groups; `None` chooses it from the data.
    pub beta: Option<f64>,
    /// Default: learned.
    pub gates: GateSource,
    /// Networks of each kind in the average of the automatic choice, at least 1;
    /// `None` chooses. Fewer make a smaller network.
    pub networks: Option<usize>,
    /// How hard the automatic choice tries. Default: standard.
    pub preset: Preset,
    /// Default: ReLU.
    pub activation: Activation,
    /// Default: squared; for classes with learned gates the better of it and the
    /// likelihood (logistic, softmax), or both averaged.
    pub loss: Option<Loss>,
    /// Whether a column of ones is appended. Default true.
    pub bias: bool,
    /// Whether features are standardised by their training statistics. Default true.
    pub standardize: bool,
    /// Default: `f32`.
    pub precision: Precision,
    /// Seed of gates and sketches. Default 0.
    pub seed: u64,
    /// Where the solver of drawn or given gates starts, if it should keep where it ends too; a
    /// state of other shape is not looked at. Default: from nothing, and nothing is kept.
    pub start: Option<Start>,
    /// Settings of the solver.
    pub settings: Settings,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            beta: None,
            gates: GateSource::Learned { most: None },
            networks: None,
            preset: Preset::default(),
            activation: Activation::default(),
            loss: None,
            bias: true,
            standardize: true,
            precision: Precision::default(),
            seed: 0,
            start: None,
            settings: Settings::default(),
        }
    }
}

impl Options {
    /// The settings of the solver, with the seed of everything.
    pub(crate) fn seeded_settings(&self) -> Settings {
        Settings {
            seed: self.seed,
            ..self.settings.clone()
        }
    }
}

/// A trained network and how it came to be.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The network, on raw features.
    pub network: Network,
    /// How the fit ended.
    pub status: Status,
    /// How close to the optimum for its gates it is. Of an average, that of the
    /// heaviest network.
    pub certificate: Certificate,
    /// Iterations of the solver, or steps of the last path.
    pub iterations: usize,
    /// One record per iteration of the convex solver.
    pub history: Vec<Iteration>,
    /// What solved, and why.
    pub solver: &'static str,
    /// See `solver`.
    pub reason: String,
    /// Where the convex program was solved.
    pub place: Place,
    /// What a device held, if it was one.
    pub residence: Option<Residence>,
    /// Rank of the Nyström preconditioner, if there was one.
    pub rank: Option<usize>,
    /// Bytes that were planned for, with the data as it was given, where they were.
    pub planned_bytes: Option<u64>,
    /// Columns that were solved for after the thin factorisation, when `d > n`.
    pub reduced_features: Option<usize>,
    /// Wall-clock seconds by phase.
    pub seconds: Seconds,
    /// Where the solver ended, if that was to be kept.
    pub end: Option<Start>,
    /// What the automatic mode tried and chose.
    pub search: Option<Search>,
    /// Loss that was used.
    pub loss: Loss,
    /// Penalty that was used; of an average, that of the heaviest network.
    pub beta: f64,
    /// Distinct gates that were used.
    pub gates: usize,
    /// Scaling of the features.
    pub feature_scaling: Scaling,
    /// Scaling of the targets.
    pub target_scaling: TargetScaling,
}

impl Fitted {
    /// Whether the outputs for classes are log-odds: by the loss, or because they
    /// were calibrated on held-out rows.
    pub fn log_odds(&self) -> bool {
        let calibrated = self.search.as_ref().is_some_and(|search| search.folds > 0);
        calibrated || self.loss == likelihood(self.network.outputs())
    }
}

/// Trains a network. Rows of weight 0 are left out before anything else.
pub fn fit(
    rows: Rows<'_>,
    targets: TargetScaling,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Fitted, Error> {
    rows.check_shared(&options.settings.team)?;
    rows.counting(|rows| fit_counting(rows, targets, options, observer))
}

/// Trains on rows that all count.
fn fit_counting(
    rows: Rows<'_>,
    targets: TargetScaling,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Fitted, Error> {
    rows.check_targets(&targets)?;
    let loss = options.loss.unwrap_or_default();
    loss.check(rows.y)?;
    let learned = matches!(options.gates, GateSource::Learned { .. });
    if learned && !options.settings.team.is_alone() {
        let found = scout::shared(rows, &targets, loss, options, observer)?;
        return match options.precision {
            Precision::F32 => solve::<f32>(rows, targets, loss, &found, observer),
            Precision::F64 => solve::<f64>(rows, targets, loss, &found, observer),
        };
    }
    let search = match options.precision {
        Precision::F32 => auto::search::<f32>,
        Precision::F64 => auto::search::<f64>,
    };
    match (learned, options.precision) {
        (true, _) => learn(rows, targets, options, observer, search),
        (false, Precision::F32) => solve::<f32>(rows, targets, loss, options, observer),
        (false, Precision::F64) => solve::<f64>(rows, targets, loss, options, observer),
    }
}

/// Refuses what learned gates have no use for.
pub(crate) fn check_learned(options: &Options) -> Result<(), Error> {
    options.settings.check()?;
    if let Some(beta) = options.beta
        && !(beta > 0.0 && beta.is_finite())
    {
        let expected = "finite and greater than 0 while gates are learned";
        return Err(Error::setting("beta", beta, expected));
    }
    if options.networks == Some(0) {
        return Err(Error::setting("networks", 0, "at least 1"));
    }
    if options.activation == Activation::Gated {
        let expected = "relu while gates are learned; fix their number to use gated";
        return Err(Error::setting("activation", "gated", expected));
    }
    if options.settings.place != Place::Cpu {
        let expected = "cpu while gates are learned; fix their number to use another";
        return Err(Error::setting("device", options.settings.place, expected));
    }
    Ok(())
}

/// Learns gates and chooses everything that is not given, as `search` does it.
pub(crate) fn learn<X>(
    rows: Rows<'_, X>,
    target_scaling: TargetScaling,
    options: &Options,
    observer: &dyn Observer,
    search: fn(&auto::Task<'_, X>, &Watch<'_>) -> Result<auto::Found, Error>,
) -> Result<Fitted, Error> {
    check_learned(options)?;
    let most = match options.gates {
        GateSource::Learned { most } => most,
        _ => None,
    };
    let losses: Vec<Loss> = match (options.loss, rows.labels) {
        (None, Some(_)) => vec![likelihood(rows.y.columns()), Loss::Squared],
        _ => vec![options.loss.unwrap_or_default()],
    };
    let task = auto::Task {
        x: rows.x,
        y: rows.y,
        weights: rows.weights,
        labels: rows.labels,
        losses: &losses,
        targets: &target_scaling,
        bias: options.bias,
        standardize: options.standardize,
        encode: true,
        networks: options.networks,
        preset: options.preset,
        beta: options.beta,
        most,
        tolerance: options.settings.gap_relative,
        memory: crate::memory::limit(&options.settings),
        seed: options.seed,
    };
    let watch = Watch::new(
        observer,
        Instant::now(),
        options.settings.time_limit_seconds,
    );
    let found = search(&task, &watch)?;
    let Some(lead) = found.search.members.first() else {
        return Err(Error::Data(
            "nothing could be learned in the time given".into(),
        ));
    };
    let gates = found.search.members.iter().map(|member| member.neurons);
    let (solver, reason) = match found.search.sample {
        None => (
            "column-generation",
            "gates are learned, each where it lowers the objective most",
        ),
        Some(_) => (
            "batches",
            "rows are many: all weights, and with them the gates, are learned from batches of them",
        ),
    };
    Ok(Fitted {
        status: found.status,
        certificate: lead.certificate,
        iterations: lead.rounds.len(),
        history: Vec::new(),
        solver,
        reason: reason.into(),
        place: Place::Cpu,
        residence: None,
        rank: None,
        planned_bytes: found.planned_bytes,
        reduced_features: None,
        seconds: found.seconds,
        loss: lead.loss,
        beta: lead.beta,
        gates: gates.sum(),
        network: found.network,
        feature_scaling: found.scaling,
        target_scaling,
        end: None,
        search: Some(found.search),
    })
}

/// Solves the convex program of sampled or given gates.
fn solve<T: Real>(
    rows: Rows<'_>,
    targets: TargetScaling,
    loss: Loss,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Fitted, Error> {
    solve_sampled(
        Sampled::<T>::new(rows, targets, loss, options)?,
        options,
        observer,
    )
}

/// The same, once gates are drawn.
pub(crate) fn solve_sampled<T: Real, X: Blocks<T>>(
    mut sampled: Sampled<T, X>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Fitted, Error> {
    sampled.program.beta = match options.beta {
        Some(beta) => beta,
        None => BETA_FRACTION * sampled.zero_beta()?,
    };
    let settings = options.seeded_settings();
    let mut observe = |iteration: &Iteration| observer.watch(iteration);
    if options.start.is_some() && observer.keeper().is_some() {
        let expected = "nowhere while the state of the run is kept";
        return Err(Error::setting("start", "given", expected));
    }
    let Some(start) = &options.start else {
        let program = &sampled.program;
        let solution = match observer.keeper() {
            Some(keeper) => program.solve_kept(&settings, keeper, &mut observe)?,
            None => program.solve(&settings, &mut observe)?,
        };
        return Ok(sampled.fitted(sampled.program.beta, solution));
    };
    let mut warm = start.state::<T>();
    let solution = match sampled
        .program
        .solve_warm(&settings, &mut warm, &mut observe)
    {
        // the matrices of where it was to start could not be made
        Err(Error::Numerical(_)) if start.is_somewhere() => {
            warm = None;
            sampled
                .program
                .solve_warm(&settings, &mut warm, &mut observe)?
        }
        solution => solution?,
    };
    Ok(Fitted {
        end: Some(Start::keep(warm)),
        ..sampled.fitted(sampled.program.beta, solution)
    })
}

/// The likelihood of classes that make this many outputs.
pub(crate) fn likelihood(outputs: usize) -> Loss {
    match outputs {
        1 => Loss::Logistic,
        _ => Loss::Softmax,
    }
}
