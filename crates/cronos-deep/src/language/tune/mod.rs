//! Training an encoder further: on classes, with a linear layer behind it, or on the texts
//! alone, by the next token.

mod dense;
mod here;
mod there;

use super::encoder::Encoder;
use super::pool::Pool;
use super::transformer::Family;
use cronos::{Error, Place};
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
        let classes = Classes {
            texts,
            labels,
            classes,
            pool,
            length,
        };
        match self.place() {
            Place::Cpu => self.tune_on_classes_here(classes, tuning, watch),
            _ => self.tune_on_classes_there(classes, tuning, watch),
        }
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
        match self.place() {
            Place::Cpu => self.tune_on_texts_here(&texts, tuning, watch),
            _ => self.tune_on_texts_there(&texts, tuning, watch),
        }
    }
}

/// Texts with their classes, and what stands for a text.
struct Classes<'a> {
    texts: &'a [Vec<u32>],
    labels: &'a [usize],
    classes: usize,
    pool: Pool,
    length: usize,
}

impl Classes<'_> {
    /// The texts and the classes of some rows.
    fn of(&self, rows: &[usize]) -> (Vec<Vec<u32>>, Vec<usize>) {
        let texts = rows.iter().map(|&row| self.texts[row].clone());
        let labels = rows.iter().map(|&row| self.labels[row]);
        (texts.collect(), labels.collect())
    }
}

/// Steps over all texts; `step` gets some of them and the share of the highest rate, and returns
/// their mean loss. Returns the mean of the last tenth.
fn course(
    texts: usize,
    tuning: &Tuning,
    watch: &mut dyn Steps,
    mut step: impl FnMut(&[usize], f64) -> Result<f64, Error>,
) -> Result<f64, Error> {
    if texts == 0 {
        return Err(Error::Data("there is no text to train on".into()));
    }
    let mut order: Vec<usize> = (0..texts).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(tuning.seed);
    let steps = tuning.epochs * texts.div_ceil(tuning.batch);
    let mut losses = Vec::with_capacity(steps);
    'all: for _ in 0..tuning.epochs {
        order.shuffle(&mut rng);
        for rows in order.chunks(tuning.batch) {
            let loss = step(rows, schedule(losses.len(), steps))?;
            losses.push(loss);
            if !watch.step(losses.len(), steps, loss) {
                break 'all;
            }
        }
    }
    let last = &losses[losses.len() - losses.len().div_ceil(10)..];
    Ok(last.iter().sum::<f64>() / last.len() as f64)
}

/// Refuses a loss that is no number.
fn check(loss: f64, tuning: &Tuning) -> Result<f64, Error> {
    match loss.is_finite() {
        true => Ok(loss),
        false => Err(Error::Numerical(format!(
            "the loss became {loss}; use a smaller --tune-rate than {}",
            tuning.rate
        ))),
    }
}

/// The share of the highest rate in a step.
fn schedule(step: usize, of: usize) -> f64 {
    let (done, all) = (step as f64 + 1.0, of as f64);
    let rise = (RISE * all).max(1.0);
    (done / rise)
        .min((all - done + 1.0) / (all - rise + 1.0))
        .clamp(0.0, 1.0)
}
