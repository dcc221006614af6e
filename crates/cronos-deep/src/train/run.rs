//! The loop over epochs.

use super::dense::Dense;
use super::judge::{features_of, mean_loss, outputs_of, score};
use super::{Epoch, Options, Rule, Samples, Trained};
use crate::features::{Features, draw};
use crate::inputs::Scale;
use crate::loss::loss_of_batch;
use crate::optim::{Layout, Method, Optimizer};
use crate::parameters;
use crate::tensors::{matrix, rows_of};
use burn::tensor::Device;
use cronos::{Error, Head, Matrix, Network};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::time::Instant;

/// Trains `features` and the two layers behind them. After every epoch `observe` sees its
/// record and may break off.
pub fn train<F: Features>(
    features: F,
    train: Samples<'_>,
    validation: Option<Samples<'_>>,
    options: &Options,
    device: &Device,
    observe: &mut dyn FnMut(&Epoch) -> ControlFlow<()>,
) -> Result<Trained<F>, Error> {
    let mut run = Run::new(features, train, validation, options, device)?;
    let mut history: Vec<Epoch> = Vec::new();
    let mut best = (0, run.kept());
    let mut interrupted = false;
    for number in 0..=options.epochs {
        if number > 0 {
            run.epoch(number)?;
        }
        let epoch = run.judge(number)?;
        let better = history.get(best.0).is_none_or(|best| epoch.beats(best));
        if better {
            best = (number, run.kept());
        }
        let wants_more = observe(&epoch).is_continue();
        history.push(epoch);
        if !wants_more {
            interrupted = true;
            break;
        }
        if options
            .patience
            .is_some_and(|patience| number >= best.0 + patience)
        {
            break;
        }
    }
    let (best, (values, network)) = best;
    Ok(Trained {
        features: parameters::write(run.features, &values),
        network,
        scale: run.scale,
        history,
        best,
        interrupted,
    })
}

/// Training under way.
struct Run<'a, F> {
    features: F,
    dense: Dense,
    head: Option<Head>,
    optimizer: Box<dyn Optimizer>,
    /// The parameters that are trained: those of the features, then those of the last layers
    /// unless they are solved for.
    values: Vec<f32>,
    gradient: Vec<f32>,
    of_features: usize,
    network: Network,
    scale: Scale,
    train: Samples<'a>,
    validation: Option<Samples<'a>>,
    options: &'a Options,
    device: Device,
    order: Vec<usize>,
    rng: ChaCha8Rng,
    start: Instant,
}

impl<'a, F: Features> Run<'a, F> {
    fn new(
        features: F,
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
        let (mut values, mut layout) = parameters::read(&features);
        let of_features = values.len();
        let width = width(&features, train, &scale, device)?;
        let (head, optimizer, dense);
        match options.rule {
            Rule::Alternate => {
                head = Some(Head::new(options.head.clone()));
                dense = Dense::new(width, 1, train.y.columns(), device);
                optimizer = Method::DAdaptedAdam.build(&layout, 1.0, options.decay / rows as f64);
            }
            Rule::Descend { method, rate } => {
                head = None;
                let units = 2 * options.head.gates * train.y.columns();
                let layers = Dense::new(width, units, train.y.columns(), device);
                let (_, own): (_, Layout) = parameters::read(&layers);
                let drawn = draw(&own, options.seed ^ 1);
                dense = parameters::write(layers, &drawn);
                values.extend(drawn);
                layout.shapes.extend(own.shapes);
                optimizer = method.build(&layout, rate, options.decay / rows as f64);
            }
        }
        Ok(Self {
            network: dense.network(),
            features,
            dense,
            head,
            optimizer,
            gradient: Vec::with_capacity(values.len()),
            values,
            of_features,
            scale,
            train,
            validation,
            options,
            device: device.clone(),
            order: (0..rows).collect(),
            rng: ChaCha8Rng::seed_from_u64(options.seed),
            start,
        })
    }

    /// One pass over the rows in batches.
    fn epoch(&mut self, number: usize) -> Result<(), Error> {
        let options = self.options;
        self.order.shuffle(&mut self.rng);
        let order = std::mem::take(&mut self.order);
        let steps = order.len().div_ceil(options.batch);
        for (step, rows) in order.chunks(options.batch).enumerate() {
            let gone = (number - 1) as f64 + step as f64 / steps as f64;
            self.optimizer
                .set_scale(self.schedule(gone / options.epochs as f64));
            self.step(rows, number)?;
        }
        self.order = order;
        Ok(())
    }

    /// The rate falls to 0 over the second half; optimizers with a rate of their own keep it.
    fn schedule(&self, gone: f64) -> f64 {
        match self.options.rule {
            Rule::Alternate => (2.0 * (1.0 - gone)).min(1.0),
            Rule::Descend { .. } => 1.0,
        }
    }

    fn step(&mut self, rows: &[usize], epoch: usize) -> Result<(), Error> {
        let inputs = self.train.inputs;
        let seed = self.options.seed.wrapping_add(epoch as u64);
        let augment = self.options.augment.map(|augment| (augment, seed));
        let x = inputs.gather(rows, &self.scale, augment);
        let x = matrix(x, inputs.columns(), &self.device);
        let y = rows_of(self.train.y, rows, &self.device);
        let f = self.dense.forward(self.features.forward(x));
        let weights = self.train.weights.map(|weights| {
            let own = rows.iter().map(|&row| weights[row] as f32).collect();
            matrix(own, 1, &self.device)
        });
        let loss = loss_of_batch(self.options.head.loss, f, y, weights)?;
        let mut gradients = loss.backward();
        self.gradient.clear();
        parameters::gradient(&self.features, &mut gradients, &mut self.gradient);
        if self.head.is_none() {
            parameters::gradient(&self.dense, &mut gradients, &mut self.gradient);
        }
        self.optimizer.step(&mut self.values, &mut self.gradient);
        let (of_features, of_dense) = self.values.split_at(self.of_features);
        self.features = parameters::write(self.features.clone(), of_features);
        if self.head.is_none() {
            self.dense = parameters::write(self.dense.clone(), of_dense);
        }
        Ok(())
    }

    /// Solves for the last layers if they are, and scores.
    fn judge(&mut self, number: usize) -> Result<Epoch, Error> {
        let h = self.features_of(self.train)?;
        let length = self.values[..self.of_features]
            .iter()
            .map(|&p| f64::from(p).powi(2));
        let decay = 0.5 * self.options.decay * length.sum::<f64>();
        let (mut before_head, mut objective) = (f64::NAN, f64::NAN);
        if let Some(head) = &mut self.head {
            let step = head.step(&h, self.train.y, self.train.weights)?;
            (before_head, objective) = (decay + step.before, decay + step.after);
            if let Some(network) = head.network() {
                self.dense = Dense::of(&network, &self.device);
                self.network = network;
            }
        } else {
            self.network = self.dense.network();
        }
        let (train, loss) = self.score(&h, self.train)?;
        let (validation, validation_loss) = match self.validation {
            Some(samples) => self.score(&self.features_of(samples)?, samples)?,
            None => (train, loss),
        };
        Ok(Epoch {
            number,
            before_head,
            objective,
            train,
            validation,
            validation_loss,
            seconds: self.start.elapsed().as_secs_f64(),
        })
    }

    fn features_of(&self, samples: Samples<'_>) -> Result<Matrix<f32>, Error> {
        features_of(&self.features, samples.inputs, &self.scale, &self.device)
    }

    /// Score and mean loss.
    fn score(&self, h: &Matrix<f32>, samples: Samples<'_>) -> Result<(f64, f64), Error> {
        let f = outputs_of(&self.network, h)?;
        let loss = mean_loss(self.options.head.loss, &f, samples.y);
        Ok((score(self.options.goal, &f, samples.y), loss))
    }

    /// What would have to be kept of this epoch.
    fn kept(&self) -> (Vec<f32>, Network) {
        (
            self.values[..self.of_features].to_vec(),
            self.network.clone(),
        )
    }
}

/// Number of features.
fn width<F: Features>(
    features: &F,
    samples: Samples<'_>,
    scale: &Scale,
    device: &Device,
) -> Result<usize, Error> {
    let inputs = samples.inputs;
    let x = matrix(inputs.gather(&[0], scale, None), inputs.columns(), device);
    let dims = features.valid().forward(x).dims();
    match dims {
        [1, columns] if columns > 0 => Ok(columns),
        _ => Err(Error::Shape {
            what: "features",
            expected: "a matrix with one row for each row of the inputs".into(),
            found: format!("{dims:?} for one row"),
        }),
    }
}
