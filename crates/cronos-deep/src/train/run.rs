//! Training under way: steps on the features, and the last two layers.

use super::checkpoint::{Checkpoint, Terms};
use super::dense::{Dense, parameters_of};
use super::direct::Direct;
use super::here::Here;
use super::holder::Holder;
use super::judge::{mean_loss, score};
use super::passes::{Batch, Passes};
use super::taped::Taped;
use super::there::There;
use super::{Epoch, Goal, Options, Rule, Samples};
use crate::features::{Features, draw};
use crate::inputs::{Inputs, Scale};
use crate::optim::there::{self, OptimizerThere};
use crate::optim::{DAdapted, Layout, Optimizer};
use crate::parameters;
use crate::tensors::matrix;
use burn::tensor::Device;
use cronos::{Error, Head, Network, Place};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::time::Instant;

/// The distance to the solution is estimated from this share of the size of the weights on. Behind
/// layers that were just solved for a gradient is mostly noise, in which an estimate that
/// begins at nearly nothing does not grow.
const START: f64 = 0.004;
/// The same where there are convolutions.
const START_OF_CONVOLUTIONS: f64 = 0.008;

/// How rows go through the features: by kernels if they have any, else by Burn.
pub(super) fn passes<'f, F: Features>(
    features: &'f F,
    size: usize,
    device: &Device,
) -> Box<dyn Passes + 'f> {
    let on_cpu = device.clone().inner() == Device::flex();
    match features.kernels().filter(|_| on_cpu) {
        Some(kernels) => Box::new(Direct::new(kernels)),
        None => Box::new(Taped::new(features.clone(), size, device)),
    }
}

/// Training under way.
pub(super) struct Run<'a> {
    holder: Box<dyn Holder + 'a>,
    dense: Dense,
    head: Option<Head>,
    pub of_features: usize,
    pub scale: Scale,
    train: Samples<'a>,
    validation: Option<Samples<'a>>,
    options: &'a Options,
    order: Vec<usize>,
    room: Room,
    start: Instant,
    /// Seconds of training before this run.
    spent: f64,
    step_seconds: f64,
}

/// Room for the rows of a step.
#[derive(Default)]
struct Room {
    x: Vec<f32>,
    y: Vec<f32>,
    weights: Vec<f32>,
}

impl<'a> Run<'a> {
    pub fn new<F: Features>(
        features: &'a F,
        train: Samples<'a>,
        validation: Option<Samples<'a>>,
        options: &'a Options,
        device: &Device,
    ) -> Result<Self, Error> {
        let start = Instant::now();
        let rows = train.inputs.rows();
        if rows == 0 {
            return Err(Error::Data("there are no rows to train on".into()));
        }
        let scale = train.inputs.standard();
        let (mut values, mut layout) = parameters::read(features);
        let of_features = values.len();
        let mut dense = Dense {
            features: width(features, train.inputs, &scale, device)?,
            units: 1,
            outputs: train.y.columns(),
        };
        let moved = Moved {
            rule: options.rule,
            distance: distance(&layout, &values),
            decay: options.decay / rows as f64,
        };
        let head = match options.rule {
            Rule::Alternate => {
                values.resize(of_features + dense.layout().size(), 0.0);
                Some(Head::new(options.head.clone()))
            }
            Rule::Descend { .. } => {
                dense.units = 2 * options.head.gates * train.y.columns();
                layout.shapes.extend(dense.layout().shapes);
                values.extend(draw(&dense.layout(), options.seed ^ 1));
                None
            }
        };
        let trained = layout.size();
        let holder: Box<dyn Holder + 'a> = match options.place {
            Place::Cpu => {
                let passes = passes(features, of_features, device);
                let optimizer = moved.here(&layout);
                Box::new(Here::new(passes, optimizer, values, of_features, trained))
            }
            place => {
                let optimizer = moved.there(&layout, &device.clone().inner());
                let sizes = [of_features, trained];
                Box::new(There::new(
                    features, device, place, optimizer, values, sizes,
                ))
            }
        };
        Ok(Self {
            holder,
            dense,
            head,
            of_features,
            scale,
            train,
            validation,
            options,
            order: Vec::with_capacity(rows),
            room: Room::default(),
            start,
            spent: 0.0,
            step_seconds: 0.0,
        })
    }

    /// One pass over the rows in batches, which may be broken off.
    pub fn epoch(
        &mut self,
        number: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<ControlFlow<()>, Error> {
        let options = self.options;
        // without layers in front there is nothing to step on
        if self.holder.is_idle() {
            return Ok(ControlFlow::Continue(()));
        }
        // an order of its own for every epoch, whatever came before it
        let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
        rng.set_stream(number as u64);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..self.train.inputs.rows());
        order.shuffle(&mut rng);
        let steps = order.len().div_ceil(options.batch);
        let start = Instant::now();
        for (step, rows) in order.chunks(options.batch).enumerate() {
            if stop() {
                return Ok(ControlFlow::Break(()));
            }
            let gone = (number - 1) as f64 + step as f64 / steps as f64;
            let share = self.schedule(gone / options.epochs as f64);
            self.step(rows, number, share)?;
        }
        self.order = order;
        self.step_seconds = start.elapsed().as_secs_f64();
        Ok(ControlFlow::Continue(()))
    }

    /// The rate falls to 0 over the second half; optimizers with a rate of their own keep it.
    fn schedule(&self, gone: f64) -> f64 {
        match self.options.rule {
            Rule::Alternate => (2.0 * (1.0 - gone)).min(1.0),
            Rule::Descend { .. } => 1.0,
        }
    }

    fn step(&mut self, rows: &[usize], epoch: usize, share: f64) -> Result<(), Error> {
        let Room { x, y, weights } = &mut self.room;
        let seed = self.options.seed.wrapping_add(epoch as u64);
        let augment = self.options.augment.map(|augment| (augment, seed));
        self.train.inputs.gather(rows, &self.scale, augment, x);
        y.clear();
        y.extend(rows.iter().flat_map(|&row| self.train.y.row(row)));
        weights.clear();
        if let Some(all) = self.train.weights {
            weights.extend(rows.iter().map(|&row| all[row] as f32));
        }
        let batch = Batch {
            x,
            y,
            weights: self.train.weights.map(|_| &weights[..]),
            loss: self.options.head.loss,
        };
        self.holder.step(self.dense, &batch, share)
    }

    /// Solves for the last layers if they are, and scores.
    pub fn judge(&mut self, number: usize) -> Result<Epoch, Error> {
        self.holder.look(self.train.inputs, &self.scale)?;
        let decay = 0.5 * self.options.decay * self.holder.squared_length()?;
        let (mut before_head, mut objective) = (f64::NAN, f64::NAN);
        if let Some(head) = &mut self.head {
            let Samples { y, weights, .. } = self.train;
            let step = self.holder.solve(head, y, weights)?;
            (before_head, objective) = (decay + step.before, decay + step.after);
            if let Some(network) = head.network() {
                self.dense = Dense::of(&network);
                self.holder.set_last(parameters_of(&network).collect());
            }
        }
        let (train, loss) = self.score(self.train)?;
        let (validation, validation_loss) = match self.validation {
            Some(samples) => {
                self.holder.look(samples.inputs, &self.scale)?;
                self.score(samples)?
            }
            None => (train, loss),
        };
        Ok(Epoch {
            number,
            before_head,
            objective,
            train,
            validation,
            validation_loss,
            seconds: self.spent + self.start.elapsed().as_secs_f64(),
            step_seconds: self.step_seconds,
        })
    }

    /// Score and mean loss of the rows that were looked at last.
    fn score(&mut self, samples: Samples<'_>) -> Result<(f64, f64), Error> {
        let f = self.holder.outputs(self.dense)?;
        let loss = mean_loss(self.options.head.loss, &f, samples.y);
        Ok((score(self.options.goal, &f, samples.y), loss))
    }

    /// All parameters.
    pub fn values(&self) -> Result<Vec<f32>, Error> {
        self.holder.values()
    }

    /// The last layers of some values of all parameters.
    pub fn network(&self, values: &[f32]) -> Network {
        let of_dense = &values[self.of_features..];
        self.dense.sized(of_dense.len()).network(of_dense)
    }

    /// The penalty on the last layers.
    pub fn beta(&self) -> f64 {
        let head = self.head.as_ref().map_or(&self.options.head, Head::options);
        head.beta
    }

    /// Rows that the share of right ones is counted on, if that is the score.
    pub fn counted(&self) -> Option<usize> {
        let samples = self.validation.unwrap_or(self.train);
        (self.options.goal == Goal::Classes).then(|| samples.inputs.rows())
    }

    /// Numbers of the features and the outputs.
    pub fn sizes(&self) -> (usize, usize) {
        (self.dense.features, self.dense.outputs)
    }

    /// The state after an epoch.
    pub fn checkpoint(
        &self,
        terms: &Terms,
        history: &[Epoch],
        best: usize,
        best_values: &[f32],
    ) -> Result<Checkpoint, Error> {
        Ok(Checkpoint {
            terms: terms.clone(),
            history: history.to_vec(),
            best,
            best_values: best_values.to_vec(),
            values: self.holder.values()?,
            memory: self.holder.memory()?,
            head: self.head.as_ref().map(Head::memory).unwrap_or_default(),
        })
    }

    /// Takes on the state of another run.
    pub fn resume(&mut self, from: &Checkpoint, terms: &Terms) -> Result<(), Error> {
        terms.check(&from.terms)?;
        from.check(self.of_features, self.sizes())?;
        if !self.holder.resume(&from.memory) {
            return Err(from.damaged("the memory of the optimizer"));
        }
        if let Some(head) = &mut self.head {
            *head = Head::resume(self.options.head.clone(), from.head.clone())?;
        }
        self.holder.set(from.values.clone());
        self.dense = self.dense.sized(from.values.len() - self.of_features);
        self.spent = from.history.last().map_or(0.0, |epoch| epoch.seconds);
        Ok(())
    }
}

/// How the parameters are moved.
struct Moved {
    rule: Rule,
    /// Where the estimate of the distance to the solution begins.
    distance: f64,
    decay: f64,
}

impl Moved {
    fn here(&self, layout: &Layout) -> Box<dyn Optimizer> {
        match self.rule {
            Rule::Descend { method, rate } => method.build(layout, rate, self.decay),
            Rule::Alternate => {
                let mut adapted = DAdapted::new(layout.size(), 1.0, self.decay, false);
                adapted.distance = self.distance;
                Box::new(adapted)
            }
        }
    }

    fn there(&self, layout: &Layout, device: &Device) -> Box<dyn OptimizerThere> {
        match self.rule {
            Rule::Descend { method, rate } => {
                there::build(method, layout, rate, self.decay, device)
            }
            Rule::Alternate => {
                let size = layout.size().max(1);
                let mut adapted = there::DAdapted::new(size, 1.0, self.decay, false, device);
                adapted.distance = self.distance;
                Box::new(adapted)
            }
        }
    }
}

/// The first estimate of the distance to the solution.
fn distance(layout: &Layout, values: &[f32]) -> f64 {
    let share = match layout.shapes.iter().any(|shape| shape.len() == 4) {
        true => START_OF_CONVOLUTIONS,
        false => START,
    };
    share * size(values).max(f64::MIN_POSITIVE)
}

/// The root of the mean square.
fn size(values: &[f32]) -> f64 {
    let squares = values.iter().map(|&value| f64::from(value).powi(2));
    (squares.sum::<f64>() / values.len().max(1) as f64).sqrt()
}

/// Number of features.
fn width<F: Features>(
    features: &F,
    inputs: Inputs<'_>,
    scale: &Scale,
    device: &Device,
) -> Result<usize, Error> {
    let mut x = Vec::new();
    inputs.gather(&[0], scale, None, &mut x);
    let dims = features
        .valid()
        .forward(matrix(x, inputs.columns(), device))
        .dims();
    match dims {
        [1, columns] if columns > 0 => Ok(columns),
        _ => Err(Error::Shape {
            what: "features",
            expected: "a matrix with one row for each row of the inputs".into(),
            found: format!("{dims:?} for one row"),
        }),
    }
}
