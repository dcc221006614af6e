//! The last two layers of a deeper network: a convex program whose features change
//! from step to step, while the layers in front of it are trained.
//!
//! The objective is that of the two layers as a network on the features `x̃` of the rows,
//!
//! ```text
//! Σ_i loss( Σ_j a_j max(w_j·x̃_i, 0), y_i ) + ½ β Σ_j (‖w_j‖² + ‖a_j‖²)
//! ```
//!
//! and a step never raises it: what it finds is kept only if the objective falls.

mod ground;

pub(crate) use ground::Ground;
use ground::Here;

use crate::Error;
use crate::admm::{Settings, Warm};
use crate::blocks::Blocks;
use crate::encoding::Encoding;
use crate::gates::Gates;
use crate::inner::norm;
use crate::learn::{Hidden, PART, Patience};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::memory::Plan;
use crate::network::Network;
#[cfg(feature = "device")]
use crate::place::Place;
use crate::program::{Activation, Program};
use crate::solver::{Shape, Solver};
use crate::team::Team;
use std::ops::ControlFlow;

/// Steps that a descent remembers.
const PAIRS: usize = 10;
/// How stiffly groups are held: a few steps settle most when they are soft.
pub(crate) const KAPPA: f64 = 1.0;
/// A penalty is lowered to this share of itself at most.
const LOWEST: f64 = 1e-12;

/// Where the gates of a head come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeadGates {
    /// Directions drawn once, from the seed.
    Seed,
    /// Directions drawn anew for every step.
    Redrawn,
    /// Drawn for the first step; from then on the units turn their gates with them.
    #[default]
    Learned,
}

/// What a head is and how it is solved for.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadOptions {
    /// The loss. Default: squared.
    pub loss: Loss,
    /// Penalty on the norms of the units. Default 1e-3.
    pub beta: f64,
    /// Whether the penalty is lowered where it leaves no unit at the first step. Default: no,
    /// it is refused.
    pub lower: bool,
    /// Gates for each output. Default 32.
    pub gates: usize,
    /// Where they come from. Default: learned.
    pub source: HeadGates,
    /// Iterations of a step. Default 5.
    pub iterations: usize,
    /// Seed of gates and sketches. Default 0.
    pub seed: u64,
}

impl Default for HeadOptions {
    fn default() -> Self {
        Self {
            loss: Loss::default(),
            beta: 1e-3,
            lower: false,
            gates: 32,
            source: HeadGates::default(),
            iterations: 5,
            seed: 0,
        }
    }
}

impl HeadOptions {
    /// Bytes that the first step takes on so many rows, features and outputs; features are counted as
    /// one copy, which is made where rows have weights.
    pub fn first_bytes(&self, rows: usize, features: usize, outputs: usize) -> u64 {
        let shape = Shape {
            rows,
            features,
            gates: self.gates,
            outputs,
            signs: 2,
            streamed: false,
        };
        Plan::new::<f32>(shape, Solver::SamplePcg, &self.settings()).total()
    }

    /// The same for those that follow it.
    pub fn later_bytes(&self, rows: usize, features: usize, outputs: usize) -> u64 {
        if self.source != HeadGates::Learned {
            return self.first_bytes(rows, features, outputs);
        }
        // units, slopes and steps; parts of the rows have slopes of their own
        let copies = 6 + 2 * self.iterations.min(PAIRS) + rows.div_ceil(PART);
        let units = self.gates.saturating_mul(2 * outputs);
        let numbers = features.saturating_add(outputs);
        [units, numbers, copies, size_of::<f32>()]
            .iter()
            .fold(1, |bytes: u64, &factor| bytes.saturating_mul(factor as u64))
    }

    fn settings(&self) -> Settings {
        Settings {
            solver: Solver::SamplePcg,
            max_iterations: self.iterations,
            check_every: self.iterations,
            gap_relative: 0.0,
            seed: self.seed,
            kappa: Some(KAPPA),
            relaxation: 1.6,
            ..Settings::default()
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadStep {
    /// The objective on the features of this step before it; infinite without units.
    pub before: f64,
    /// The objective after it, at most `before`.
    pub after: f64,
}

/// The units of a head between two steps, all it needs to go on with learned or redrawn gates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadMemory {
    /// Columns of the features.
    pub features: usize,
    /// Outputs.
    pub outputs: usize,
    /// The inner weights of all units, then their outer weights; empty before the first step.
    pub units: Vec<f32>,
    /// Steps made.
    pub steps: u64,
    /// The penalty, which may have been lowered.
    pub beta: f64,
}

/// Two layers, and where the last step on them ended.
pub struct Head {
    options: HeadOptions,
    units: Option<Hidden<f32>>,
    warm: Option<Warm<f32>>,
    steps: u64,
}

impl Head {
    /// A head without units.
    pub fn new(options: HeadOptions) -> Self {
        Self {
            options,
            units: None,
            warm: None,
            steps: 0,
        }
    }

    /// What it remembers. Fixed gates also start from where ADMM ended, which is not in here.
    pub fn memory(&self) -> HeadMemory {
        let mut memory = HeadMemory {
            steps: self.steps,
            beta: self.options.beta,
            ..HeadMemory::default()
        };
        if let Some(units) = &self.units {
            (memory.features, memory.outputs) = (units.features, units.outputs);
            memory.units.clone_from(&units.values);
        }
        memory
    }

    /// A head that goes on from there.
    pub fn resume(mut options: HeadOptions, memory: HeadMemory) -> Result<Self, Error> {
        let HeadMemory {
            features,
            outputs,
            units,
            steps,
            beta,
        } = memory;
        options.beta = beta;
        let size = features.saturating_add(outputs);
        let whole = match size {
            0 => units.is_empty(),
            _ => units.len().is_multiple_of(size),
        };
        if !whole {
            return Err(Error::Shape {
                what: "units of a head",
                expected: format!("{size} numbers each"),
                found: format!("{} numbers", units.len()),
            });
        }
        Ok(Self {
            options,
            units: (size > 0).then_some(Hidden {
                features,
                outputs,
                values: units,
            }),
            warm: None,
            steps,
        })
    }

    /// The options it was made with, and the penalty as it is.
    pub fn options(&self) -> &HeadOptions {
        &self.options
    }

    /// Solves for the layers on features `x` (n x d; a column of ones is the bias) and
    /// targets `y` (n x C), where a row of weight `w` counts as `w` equal rows.
    pub fn step(
        &mut self,
        x: &Matrix<f32>,
        y: &Matrix<f32>,
        weights: Option<&[f64]>,
    ) -> Result<HeadStep, Error> {
        let loss = self.options.loss;
        self.step_on(&Here {
            x,
            y,
            weights,
            loss,
        })
    }

    /// The same on features that are on a device, in blocks of rows. Gates, sums and sketches are made
    /// there, too, unless the sums need more than single precision or there are fewer rows than
    /// features.
    #[cfg(feature = "device")]
    pub fn step_there(
        &mut self,
        x: &[burn::tensor::Tensor<2>],
        y: &Matrix<f32>,
        weights: Option<&[f64]>,
        place: Place,
    ) -> Result<HeadStep, Error> {
        let there = crate::device::There::new(x, y, weights, self.options.loss, place)?;
        self.step_on(&there)
    }

    pub(crate) fn step_on(&mut self, ground: &dyn Ground) -> Result<HeadStep, Error> {
        let before = match &self.units {
            None => f64::INFINITY,
            Some(units) => ground.value(units, self.options.beta),
        };
        let (found, after) = match (&self.units, self.options.source) {
            (Some(units), HeadGates::Learned) => {
                let mut units = units.clone();
                let last = ground.descend(&mut units, self.options.beta, self.patience());
                (units, last)
            }
            _ => {
                let mut units = self.solve(ground)?;
                let least = LOWEST * self.options.beta;
                while self.units.is_none()
                    && units.is_empty()
                    && self.options.lower
                    && self.options.beta > least
                {
                    self.options.beta /= 4.0;
                    self.warm = None;
                    units = self.solve(ground)?;
                }
                let after = match units.is_empty() {
                    true => f64::INFINITY,
                    false => ground.value(&units, self.options.beta),
                };
                (units, after)
            }
        };
        ground.check()?;
        self.steps += 1;
        let better = !found.is_empty() && (self.units.is_none() || after < before);
        if better {
            self.units = Some(found);
        }
        if self.units.is_none() {
            return Err(self.nothing());
        }
        Ok(HeadStep {
            before,
            after: if better { after } else { before },
        })
    }

    /// Why there is no unit.
    fn nothing(&self) -> Error {
        match self.options.lower {
            true => Error::Data(
                "no unit of the last two layers brings the outputs nearer to the targets, which \
                 may all be alike; use other targets"
                    .into(),
            ),
            false => {
                let expected = "small enough to leave a unit in the last two layers";
                Error::setting("beta", self.options.beta, expected)
            }
        }
    }

    /// The units of a few iterations of ADMM, where the features are if that can be done there.
    fn solve(&mut self, ground: &dyn Ground) -> Result<Hidden<f32>, Error> {
        if let Some(x) = ground.features() {
            let found = self.admm(ground, x);
            // a device that fails makes numbers that are none
            ground.check()?;
            if found.is_ok() {
                return found;
            }
        }
        self.admm(ground, ground.fetched()?)
    }

    fn admm(&mut self, ground: &dyn Ground, x: &dyn Blocks<f32>) -> Result<Hidden<f32>, Error> {
        let options = &self.options;
        let seed = match options.source {
            HeadGates::Redrawn => options.seed.wrapping_add(self.steps),
            _ => options.seed,
        };
        let program = Program {
            x,
            y: ground.targets().clone(),
            gates: Gates::sample_shared(x, options.gates, seed, &Team::default())?,
            beta: options.beta,
            activation: Activation::Relu,
            loss: options.loss,
            weights: ground.weights().map(<[f64]>::to_vec),
        };
        let settings = Settings {
            place: ground.place(),
            loss_weight: Some(match x.rows() >= 4 * x.columns() {
                true => 0.2,
                false => 0.5,
            }),
            ..options.settings()
        };
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        // where a run ended is n x 2PC numbers; other gates have nothing to go on from
        let solution = match options.source {
            HeadGates::Seed => program.solve_warm(&settings, &mut self.warm, go_on)?,
            _ => program.solve(&settings, go_on)?,
        };
        Ok(units(&program, &solution.weights))
    }

    fn patience(&self) -> Patience {
        Patience {
            iterations: self.options.iterations,
            memory: PAIRS,
            window: self.options.iterations,
            progress: 0.0,
        }
    }

    /// The two layers as a network on features without the column of ones; none before
    /// the first step.
    pub fn network(&self) -> Option<Network> {
        let hidden = self.units.as_ref()?;
        let units: Vec<(&[f32], &[f32])> = hidden.units().collect();
        let (last, outputs) = (hidden.features - 1, hidden.outputs);
        Some(Network {
            encoding: Encoding::default(),
            hidden: Matrix::from_fn(units.len(), last, |i, j| f64::from(units[i].0[j])),
            hidden_bias: units.iter().map(|(w, _)| f64::from(w[last])).collect(),
            output: Matrix::from_fn(units.len(), outputs, |i, c| f64::from(units[i].1[c])),
            output_bias: vec![0.0; outputs],
            gating: None,
        })
    }
}

/// `v` as a unit `v/√‖v‖` with outer weight `√‖v‖`, `−√‖w‖` for `w`.
fn units(program: &Program<f32, &dyn Blocks<f32>>, weights: &[f64]) -> Hidden<f32> {
    let (d, outputs) = (program.x.columns(), program.y.columns());
    let gates = program.gates.len();
    let groups = weights.chunks(d).enumerate();
    let found: Vec<(Vec<f32>, Vec<f32>)> = groups
        .filter_map(|(group, v)| {
            let root = norm(v).sqrt();
            let sign = if (group / gates).is_multiple_of(2) {
                1.0
            } else {
                -1.0
            };
            let mut outer = vec![0.0; outputs];
            outer[group / (2 * gates)] = (sign * root) as f32;
            let inner = v.iter().map(|v| (v / root) as f32).collect();
            (root > 0.0).then_some((inner, outer))
        })
        .collect();
    let pairs = found.iter().map(|(w, a)| (w.as_slice(), a.as_slice()));
    Hidden::from_units(d, outputs, pairs)
}
