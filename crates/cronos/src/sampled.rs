//! The convex program of some rows and sampled or given gates, and the network
//! that a solution of it is.

use crate::Error;
use crate::admm::{Seconds, Solution, Status};
use crate::certificate::Certificate;
use crate::fit::{Fitted, GateSource, Options};
use crate::gates::Gates;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::memory;
use crate::network::{Network, TargetScaling};
use crate::place::Place;
use crate::program::Program;
use crate::real::Real;
use crate::rows::Rows;
use crate::scaling::Scaling;
use crate::solver::{Shape, choose};
use crate::team::Team;

/// A program and the scaling of what went into it.
pub(crate) struct Sampled<T> {
    /// Without a penalty yet.
    pub program: Program<T>,
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
        let Rows { x, y, weights, .. } = rows;
        let team = &options.settings.team;
        // refuse what cannot fit before anything large is made
        let shape = Shape {
            rows: x.rows(),
            features: x.columns() + usize::from(options.bias),
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
        };
        let available = memory::limit(&options.settings);
        team.agree(choose::<T>(shape, &options.settings, available))?;
        let feature_scaling = if options.standardize {
            Scaling::shared(x, weights, shape.features, team)?
        } else {
            Scaling::identity(x.columns())
        };
        let seen: Matrix<T> = feature_scaling.apply(x, options.bias);
        let gates = match &options.gates {
            GateSource::Given(directions) if directions.rows() != x.columns() => {
                return Err(Error::Shape {
                    what: "gate directions",
                    expected: format!("{} rows, one for each feature", x.columns()),
                    found: format!("{} rows", directions.rows()),
                });
            }
            GateSource::Given(directions) => {
                let directions = with_bias_row(directions, options.bias);
                Gates::from_directions_shared(&seen, &directions, team)?
            }
            _ => Gates::sample_shared(&seen, shape.gates, options.seed, team)?,
        };
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
            features: feature_scaling,
            targets,
            team: team.clone(),
        })
    }

    /// A penalty that is sure to leave nothing.
    pub fn zero_beta(&self) -> Result<f64, Error> {
        self.program.zero_beta_shared(&self.team)
    }

    /// The smallest penalty that leaves nothing; where ranks share the rows, whose cones none of
    /// them knows, one that is sure to.
    pub fn smallest_zero_beta(&self) -> Result<f64, Error> {
        match self.team.is_alone() {
            true => Ok(self.program.smallest_zero_beta()),
            false => self.zero_beta(),
        }
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

/// Gates given without a bias row have no bias.
fn with_bias_row(directions: &Matrix<f64>, bias: bool) -> Matrix<f64> {
    let rows = directions.rows();
    Matrix::from_fn(rows + usize::from(bias), directions.columns(), |i, j| {
        if i < rows { directions.at(i, j) } else { 0.0 }
    })
}
