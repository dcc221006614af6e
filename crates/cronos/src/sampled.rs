//! The convex program of some rows and sampled or given gates, and the network
//! that a solution of it is.

use crate::Error;
use crate::admm::{Seconds, Solution, Status};
use crate::blocks::{Blocks, Streamed};
use crate::certificate::Certificate;
use crate::fit::{Fitted, GateSource, Options};
use crate::gates::Gates;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::memory;
use crate::moments;
use crate::network::{Network, TargetScaling};
use crate::place::Place;
use crate::program::Program;
use crate::real::Real;
use crate::rows::Rows;
use crate::scaling::Scaling;
use crate::solver::{Shape, choose};
use crate::table::Table;
use crate::team::Team;

/// A program and the scaling of what went into it.
pub(crate) struct Sampled<T, X = Matrix<T>> {
    /// Without a penalty yet.
    pub program: Program<T, X>,
    features: Scaling,
    targets: TargetScaling,
    team: Team,
}

impl<T: Real> Sampled<T> {
    /// Scales the rows and draws the gates.
    pub fn new(
        rows: Rows<'_>,
        targets: TargetScaling,
        loss: Loss,
        options: &Options,
    ) -> Result<Self, Error> {
        let shape = shape(rows.x.rows(), rows.x.columns(), rows.y, options, false)?;
        check_memory::<T>(shape, options)?;
        let scaling = match options.standardize {
            true => {
                let team = &options.settings.team;
                Scaling::shared(rows.x, rows.weights, shape.features, team)?
            }
            false => Scaling::identity(rows.x.columns()),
        };
        let seen = scaling.apply(rows.x, options.bias);
        Self::of(
            seen,
            shape,
            scaling,
            (rows.y, rows.weights),
            targets,
            loss,
            options,
        )
    }
}

impl<'a, T: Real> Sampled<T, Streamed<'a, T>> {
    /// The same for rows that stay where they are.
    pub fn streamed(
        table: &'a dyn Table,
        y: &Matrix<f64>,
        weights: Option<&[f64]>,
        targets: TargetScaling,
        loss: Loss,
        options: &Options,
    ) -> Result<Self, Error> {
        let shape = shape(table.rows(), table.columns(), y, options, true)?;
        check_memory::<T>(shape, options)?;
        let scaling = match options.standardize {
            true => moments::standard(table, weights)?,
            false => Scaling::identity(table.columns()),
        };
        let seen = Streamed::new(table, &scaling, options.bias);
        Self::of(seen, shape, scaling, (y, weights), targets, loss, options)
    }
}

/// The sizes of the program of some rows.
fn shape(
    rows: usize,
    columns: usize,
    y: &Matrix<f64>,
    options: &Options,
    streamed: bool,
) -> Result<Shape, Error> {
    Ok(Shape {
        rows,
        features: columns + usize::from(options.bias),
        gates: match &options.gates {
            GateSource::Learned { .. } => {
                let expected = "sampled or given for a convex program";
                return Err(Error::setting("gates", "learned", expected));
            }
            GateSource::Sampled(count) => *count,
            GateSource::Given(directions) => directions.columns(),
        },
        outputs: y.columns(),
        signs: options.activation.signs(),
        streamed,
    })
}

/// Refuses what cannot fit before anything large is made.
fn check_memory<T: Real>(shape: Shape, options: &Options) -> Result<(), Error> {
    let available = memory::limit(&options.settings);
    let chosen = choose::<T>(shape, &options.settings, available);
    options.settings.team.agree(chosen).map(|_| ())
}

impl<T: Real, X: Blocks<T>> Sampled<T, X> {
    /// Draws the gates of features that are scaled.
    fn of(
        seen: X,
        shape: Shape,
        features: Scaling,
        (y, weights): (&Matrix<f64>, Option<&[f64]>),
        targets: TargetScaling,
        loss: Loss,
        options: &Options,
    ) -> Result<Self, Error> {
        let team = &options.settings.team;
        let raw = features.mean.len();
        let gates = match &options.gates {
            GateSource::Given(directions)
                if directions.rows() != raw && !(options.bias && directions.rows() == raw + 1) =>
            {
                return Err(Error::Shape {
                    what: "gate directions",
                    expected: format!("{raw} rows, one for each feature"),
                    found: format!("{} rows", directions.rows()),
                });
            }
            GateSource::Given(directions) => {
                let directions = with_bias_row(directions, raw + usize::from(options.bias));
                Gates::from_directions_shared(&seen, &directions, team)?
            }
            _ => Gates::sample_shared(&seen, shape.gates, options.seed, team)?,
        };
        if let Some(why) = seen.failure() {
            return Err(Error::Data(why));
        }
        let scaled = Matrix::from_fn(y.rows(), y.columns(), |i, c| {
            T::of((y.at(i, c) - targets.mean[c]) / targets.scale[c])
        });
        Ok(Self {
            program: Program {
                x: seen,
                y: scaled,
                gates,
                beta: 0.0,
                activation: options.activation,
                loss,
                weights: weights.map(<[f64]>::to_vec),
            },
            features,
            targets,
            team: team.clone(),
        })
    }

    /// A penalty that is sure to leave nothing.
    pub fn zero_beta(&self) -> Result<f64, Error> {
        self.program.zero_beta_shared(&self.team)
    }

    /// What a penalty comes to that leaves nothing.
    pub fn nothing(&self, beta: f64) -> Result<Fitted, Error> {
        // no solution is better than to predict 0
        let loss = self.program.loss_at_zero(&self.team)?;
        let certificate = Certificate {
            objective: loss,
            lower_bound: loss,
            gap: 0.0,
            violation: 0.0,
            network_objective: loss,
        };
        Ok(self.weighted(beta, &[], certificate))
    }

    /// What a solution for a penalty comes to.
    pub fn fitted(&self, beta: f64, solution: Solution) -> Fitted {
        Fitted {
            status: solution.status,
            iterations: solution.history.len(),
            history: solution.history,
            solver: solution.choice.solver.name(),
            reason: solution.choice.reason,
            place: solution.place,
            residence: solution.residence,
            rank: solution.rank,
            planned_bytes: Some(solution.plan.total()),
            reduced_features: solution.reduced_features,
            seconds: solution.seconds,
            ..self.weighted(beta, &solution.weights, solution.certificate)
        }
    }

    /// The network of some weights, found without a solver.
    fn weighted(&self, beta: f64, weights: &[f64], certificate: Certificate) -> Fitted {
        Fitted {
            network: Network::recover(&self.program, weights, &self.features, &self.targets),
            status: Status::Solved,
            certificate,
            iterations: 0,
            history: Vec::new(),
            solver: "closed-form",
            reason: "at this penalty nothing is worth a neuron".into(),
            place: Place::Cpu,
            residence: None,
            rank: None,
            planned_bytes: None,
            reduced_features: None,
            seconds: Seconds::default(),
            end: None,
            search: None,
            loss: self.program.loss,
            beta,
            gates: self.program.gates.len(),
            feature_scaling: self.features.clone(),
            target_scaling: self.targets.clone(),
        }
    }
}

impl<T: Real> Sampled<T> {
    /// The smallest penalty that leaves nothing; where ranks share the rows, whose cones none of
    /// them knows, one that is sure to.
    pub fn smallest_zero_beta(&self) -> Result<f64, Error> {
        match self.team.is_alone() {
            true => Ok(self.program.smallest_zero_beta()),
            false => self.zero_beta(),
        }
    }
}

/// Gates given without a bias row have no bias.
fn with_bias_row(directions: &Matrix<f64>, features: usize) -> Matrix<f64> {
    let rows = directions.rows();
    Matrix::from_fn(features, directions.columns(), |i, j| {
        if i < rows { directions.at(i, j) } else { 0.0 }
    })
}
