//! Training an encoder further: on classes, with a linear layer behind it, or on the texts
//! alone, by the next token.

use super::encoder::Encoder;
use super::pool::Pool;
use super::transformer::{Batch, Family, Tape};
use crate::optim::{Adam, Optimizer};
use cronos::Error;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The decay of AdamW.
const DECAY: f64 = 0.01;
/// The share of the steps in which the rate rises; afterwards it falls to 0.
const RISE: f64 = 0.1;
/// A gradient that is longer is shortened to this.
const LONGEST: f64 = 1.0;

/// How an encoder is trained further: AdamW, whose rate rises and then falls to 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// Passes over all texts.
    pub epochs: usize,
    /// Texts of a step.
    pub batch: usize,
    /// The highest rate.
    pub rate: f64,
    /// Blocks that are trained, the last so many; all parameters if `None`.
    pub blocks: Option<usize>,
    /// Orders the texts.
    pub seed: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            epochs: 1,
            batch: 16,
            rate: 5e-5,
            blocks: None,
            seed: 0,
        }
    }
}

/// What a training sees and may stop.
pub trait Steps {
    /// After a step: which one, of how many, and its mean loss. `false` ends the training.
    fn step(&mut self, step: usize, of: usize, loss: f64) -> bool;
}

impl<F: FnMut(usize, usize, f64) -> bool> Steps for F {
    fn step(&mut self, step: usize, of: usize, loss: f64) -> bool {
        self(step, of, loss)
    }
}

/// A linear layer from features to classes, `features x outputs` and a constant for each.
struct Dense {
    outputs: usize,
    features: usize,
}

impl Encoder {
    /// Bytes that a training of these sizes takes: gradient, two means, and what is kept of
    /// a batch.
    pub fn tuning_bytes(&self, tuning: &Tuning, length: usize) -> u64 {
        let size = self.transformer.parameters();
        let trained = size - self.first_trained(tuning);
        let kept = tuning
            .batch
            .saturating_mul(length)
            .saturating_mul(self.transformer.kept());
        let scores = 128 * self.transformer.config().vocabulary;
        (4 * (size + 3 * trained + kept + scores)) as u64
    }

    fn first_trained(&self, tuning: &Tuning) -> usize {
        match tuning.blocks {
            None => 0,
            Some(blocks) => self.transformer.first_of_last(blocks),
        }
    }

    /// Trains on classes: a linear layer stands behind the encoder, and both are trained.
    /// The layer is dropped in the end. Returns the mean loss of the last tenth of the steps.
    pub fn tune_on_classes(
        &mut self,
        texts: &[Vec<u32>],
        (labels, classes): (&[usize], usize),
        (pool, length): (Pool, usize),
        tuning: &Tuning,
        watch: &mut dyn Steps,
    ) -> Result<f64, Error> {
        if pool == Pool::Attention {
            return Err(Error::Data(
                "attention pooling cannot be trained through; use mean, last, first or flat".into(),
            ));
        }
        if texts.len() != labels.len() {
            return Err(Error::Shape {
                what: "labels",
                expected: texts.len().to_string(),
                found: labels.len().to_string(),
            });
        }
        let width = self.transformer.config().width;
        let dense = Dense {
            outputs: classes,
            features: pool.features(width, length),
        };
        let mut last = vec![0.0; dense.size()];
        let mut adam = Adam::new(last.len(), tuning.rate.max(1e-3), DECAY, true);
        let mut pooled = Vec::new();
        self.train(
            texts,
            tuning,
            watch,
            |encoder, rows, tape, gradient, scale| {
                let chosen: Vec<Vec<u32>> = rows.iter().map(|&row| texts[row].clone()).collect();
                let batch = encoder.batch(&chosen, pool, length)?;
                encoder.run(&batch, tape, tuning);
                pooled.clear();
                pool.apply(&batch, tape.states(), width, &mut pooled);
                let labels: Vec<usize> = rows.iter().map(|&row| labels[row]).collect();
                let (loss, mut slope, pull) = dense.slope(&last, &pooled, &labels);
                adam.set_scale(scale);
                adam.step(&mut last, &mut slope);
                let mut pull = pool.back(&batch, &pull, width);
                encoder.back(&batch, tape, &mut pull, gradient, tuning);
                Ok(loss)
            },
        )
    }

    /// Trains on texts alone: the next token is to be told from those before it.
    pub fn tune_on_texts(
        &mut self,
        texts: &[Vec<u32>],
        tuning: &Tuning,
        watch: &mut dyn Steps,
    ) -> Result<f64, Error> {
        if self.transformer.config().family == Family::Bert {
            return Err(Error::Data(
                "an encoder that looks both ways cannot tell the next token; use a GPT-2 or a \
                 Llama for training on texts alone"
                    .into(),
            ));
        }
        let long: Vec<usize> = (0..texts.len())
            .filter(|&row| texts[row].len() > 1)
            .collect();
        let texts: Vec<Vec<u32>> = long.iter().map(|&row| texts[row].clone()).collect();
        self.train(&texts, tuning, watch, |encoder, rows, tape, gradient, _| {
            let batch = Batch::new(rows.iter().map(|&row| &texts[row][..]))?;
            encoder.run(&batch, tape, tuning);
            let (loss, mut pull) = encoder.transformer.next_token_loss(
                &encoder.parameters,
                &batch,
                tape.states(),
                Some(gradient),
            );
            encoder.back(&batch, tape, &mut pull, gradient, tuning);
            Ok(loss)
        })
    }

    fn run(&self, batch: &Batch, tape: &mut Tape, tuning: &Tuning) {
        let from = self.transformer.config().blocks - tuned(self, tuning);
        self.transformer
            .forward_from(&self.parameters, batch, tape, from);
    }

    fn back(
        &self,
        batch: &Batch,
        tape: &mut Tape,
        pull: &mut Vec<f32>,
        gradient: &mut [f32],
        tuning: &Tuning,
    ) {
        let from = self.transformer.config().blocks - tuned(self, tuning);
        self.transformer
            .backward_from(&self.parameters, batch, tape, pull, gradient, from);
    }

    /// Steps over all texts; `slope` computes the gradient of some of them.
    fn train(
        &mut self,
        texts: &[Vec<u32>],
        tuning: &Tuning,
        watch: &mut dyn Steps,
        mut slope: impl FnMut(&Self, &[usize], &mut Tape, &mut [f32], f64) -> Result<f64, Error>,
    ) -> Result<f64, Error> {
        if texts.is_empty() {
            return Err(Error::Data("there is no text to train on".into()));
        }
        let first = self.first_trained(tuning);
        let mut gradient = vec![0.0; self.parameters.len()];
        let mut adam = Adam::new(self.parameters.len() - first, tuning.rate, DECAY, true);
        let mut tape = Tape::default();
        let mut order: Vec<usize> = (0..texts.len()).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(tuning.seed);
        let steps = tuning.epochs * texts.len().div_ceil(tuning.batch);
        let (mut step, mut losses) = (0, Vec::with_capacity(steps));
        'all: for _ in 0..tuning.epochs {
            order.shuffle(&mut rng);
            for rows in order.chunks(tuning.batch) {
                let scale = schedule(step, steps);
                self.transformer.clear(&mut gradient);
                let loss = slope(self, rows, &mut tape, &mut gradient, scale)?;
                if !loss.is_finite() {
                    return Err(Error::Numerical(format!(
                        "the loss became {loss} in step {step}; use a smaller --tune-rate than {}",
                        tuning.rate
                    )));
                }
                shorten(&mut gradient[first..]);
                adam.set_scale(scale);
                adam.step(&mut self.parameters[first..], &mut gradient[first..]);
                losses.push(loss);
                step += 1;
                if !watch.step(step, steps, loss) {
                    break 'all;
                }
            }
        }
        let last = &losses[losses.len() - losses.len().div_ceil(10)..];
        Ok(last.iter().sum::<f64>() / last.len() as f64)
    }
}

/// Blocks that are trained.
fn tuned(encoder: &Encoder, tuning: &Tuning) -> usize {
    let all = encoder.transformer.config().blocks;
    tuning.blocks.map_or(all, |blocks| blocks.min(all))
}

/// The share of the highest rate in a step.
fn schedule(step: usize, of: usize) -> f64 {
    let (done, all) = (step as f64 + 1.0, of as f64);
    let rise = (RISE * all).max(1.0);
    (done / rise)
        .min((all - done + 1.0) / (all - rise + 1.0))
        .clamp(0.0, 1.0)
}

/// Brings a gradient that is too long to the longest allowed.
fn shorten(gradient: &mut [f32]) {
    let squares: f64 = gradient.iter().map(|&g| f64::from(g) * f64::from(g)).sum();
    let length = squares.sqrt();
    if length > LONGEST {
        let factor = (LONGEST / length) as f32;
        gradient.iter_mut().for_each(|g| *g *= factor);
    }
}

impl Dense {
    fn size(&self) -> usize {
        (self.features + 1) * self.outputs
    }

    /// The mean cross-entropy of a batch, its gradient in the layer and in the features.
    fn slope(&self, layer: &[f32], x: &[f32], labels: &[usize]) -> (f64, Vec<f32>, Vec<f32>) {
        let (rows, features, outputs) = (labels.len(), self.features, self.outputs);
        let (weight, constants) = layer.split_at(features * outputs);
        let weight = MatRef::from_row_major_slice(weight, features, outputs);
        let x = MatRef::from_row_major_slice(x, rows, features);
        let mut scores: Vec<f32> = (0..rows).flat_map(|_| constants).copied().collect();
        let product = |out: &mut [f32], shape: [usize; 2], how, a, b| {
            let out = MatMut::from_row_major_slice_mut(out, shape[0], shape[1]);
            matmul(out, how, a, b, 1.0, Par::Seq);
        };
        product(&mut scores, [rows, outputs], Accum::Add, x, weight);
        let mut loss = 0.0;
        for (scores, &label) in scores.chunks_mut(outputs).zip(labels) {
            let most = scores
                .iter()
                .fold(f32::NEG_INFINITY, |most, &s| most.max(s));
            let sum: f32 = scores.iter().map(|s| (s - most).exp()).sum();
            loss += f64::from(most + sum.ln() - scores[label]);
            // (p − 1 at the label) / rows
            for (class, score) in scores.iter_mut().enumerate() {
                let own = if class == label { 1.0 } else { 0.0 };
                *score = ((*score - most).exp() / sum - own) / rows as f32;
            }
        }
        let slopes = MatRef::from_row_major_slice(&scores, rows, outputs);
        let mut gradient = vec![0.0; self.size()];
        let (of_weight, of_constants) = gradient.split_at_mut(features * outputs);
        let shape = [features, outputs];
        product(of_weight, shape, Accum::Replace, x.transpose(), slopes);
        for row in scores.chunks(outputs) {
            of_constants.iter_mut().zip(row).for_each(|(c, s)| *c += s);
        }
        let mut back = vec![0.0; rows * features];
        let shape = [rows, features];
        product(&mut back, shape, Accum::Replace, slopes, weight.transpose());
        (loss / rows as f64, gradient, back)
    }
}
