//! On a device: parameters, means of AdamW and texts of a step are there, and only losses and lengths
//! of gradients come back.

use super::{Classes, DECAY, LONGEST, Steps, Tuning, check, course};
use crate::language::encoder::Encoder;
use crate::language::there::Batches;
use crate::language::transformer::TransformerModule;
use crate::optim::there::{Adam, OptimizerThere};
use crate::parameters;
use crate::tensors::{number, numbers};
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Gradients, Int, Tensor, TensorData};
use cronos::Error;

/// A linear layer from features to classes, `features x classes` and a constant for each, in one long
/// tensor, and its optimizer.
struct Dense {
    features: usize,
    classes: usize,
    values: Tensor<1>,
    adam: Adam,
}

/// What is to be learned.
trait Lesson {
    /// The mean loss of some texts.
    fn loss(&mut self, module: &TransformerModule, rows: &[usize]) -> Result<Tensor<1>, Error>;

    /// Learns from its gradient what is not in the module, at a share of the rate.
    fn step(&mut self, _gradients: &mut Gradients, _share: f64) -> Result<(), Error> {
        Ok(())
    }
}

/// Classes, by a linear layer.
struct OnClasses<'a> {
    on: Classes<'a>,
    batches: Batches,
    dense: Dense,
    /// The layer of the last loss, which its gradient is asked of.
    leaf: Option<Tensor<1>>,
}

/// The next token.
struct OnTexts<'a> {
    texts: &'a [Vec<u32>],
    batches: Batches,
}

impl Lesson for OnClasses<'_> {
    fn loss(&mut self, module: &TransformerModule, rows: &[usize]) -> Result<Tensor<1>, Error> {
        let (texts, labels) = self.on.of(rows);
        let batch = self.batches.of(&texts, self.on.pool, self.on.length)?;
        let states = module.forward(&module.pad(&batch)?);
        let pooled = self.on.pool.apply_there(&batch, states);
        let (loss, leaf) = self.dense.loss(pooled, &labels);
        self.leaf = Some(leaf);
        Ok(loss)
    }

    fn step(&mut self, gradients: &mut Gradients, share: f64) -> Result<(), Error> {
        let slope = self
            .leaf
            .take()
            .and_then(|leaf| leaf.grad_remove(gradients));
        match slope {
            Some(slope) => self.dense.step(slope, share),
            None => Ok(()),
        }
    }
}

impl Lesson for OnTexts<'_> {
    fn loss(&mut self, module: &TransformerModule, rows: &[usize]) -> Result<Tensor<1>, Error> {
        let own: Vec<Vec<u32>> = rows.iter().map(|&row| self.texts[row].clone()).collect();
        let batch = module.pad(&self.batches.longest(&own)?)?;
        Ok(module.next_token_loss(module.forward(&batch), &batch))
    }
}

impl Encoder {
    pub(super) fn tune_on_classes_there(
        &mut self,
        on: Classes<'_>,
        tuning: &Tuning,
        watch: &mut dyn Steps,
    ) -> Result<f64, Error> {
        let device = self.device()?;
        let features = on.pool.features(self.transformer.config().width, on.length);
        let lesson = OnClasses {
            batches: self.batches(),
            dense: Dense::new(features, on.classes, tuning, &device),
            leaf: None,
            on,
        };
        let texts = lesson.on.texts.len();
        let place = self.place();
        place.guard(|| self.train_there(texts, lesson, tuning, watch, &device))
    }

    pub(super) fn tune_on_texts_there(
        &mut self,
        texts: &[Vec<u32>],
        tuning: &Tuning,
        watch: &mut dyn Steps,
    ) -> Result<f64, Error> {
        let device = self.device()?;
        let batches = self.batches();
        let lesson = OnTexts { texts, batches };
        let place = self.place();
        place.guard(|| self.train_there(texts.len(), lesson, tuning, watch, &device))
    }

    /// The device of gradients.
    fn device(&self) -> Result<Device, Error> {
        Ok(self.place().open()?.unwrap_or_else(Device::flex).autodiff())
    }

    /// Steps over so many texts.
    fn train_there(
        &mut self,
        texts: usize,
        mut lesson: impl Lesson,
        tuning: &Tuning,
        watch: &mut dyn Steps,
        device: &Device,
    ) -> Result<f64, Error> {
        let first = self.first_trained(tuning);
        let size = self.parameters.len();
        let mut module = self.transformer.module(&self.parameters, device);
        module = parameters::freeze(module, first);
        let there = device.clone().inner();
        let mut values =
            Tensor::from_data(TensorData::new(self.parameters.clone(), [size]), &there);
        let mut adam = Adam::new(size - first, tuning.rate, DECAY, true, &there);
        let ended = course(texts, tuning, watch, |rows, share| {
            let loss = lesson.loss(&module, rows)?;
            let mut gradients = loss.backward();
            let loss = check(number(loss.inner())?, tuning)?;
            lesson.step(&mut gradients, share)?;
            let slopes = parameters::gradient_there(&module, &mut gradients);
            let slope = Tensor::cat(slopes, 0).slice(first..size);
            adam.set_scale(share);
            let moved = adam.step(values.clone().slice(first..size), shorten(slope)?)?;
            values = match first {
                0 => moved,
                _ => Tensor::cat(vec![values.clone().slice(0..first), moved], 0),
            };
            module = parameters::write_there(module.clone(), &values);
            Ok(loss)
        })?;
        self.set_parameters(numbers(values)?)?;
        Ok(ended)
    }
}

impl Dense {
    fn new(features: usize, classes: usize, tuning: &Tuning, device: &Device) -> Self {
        let (size, device) = ((features + 1) * classes, &device.clone().inner());
        Self {
            features,
            classes,
            values: Tensor::zeros([size], device),
            adam: Adam::new(size, tuning.rate.max(1e-3), DECAY, true, device),
        }
    }

    /// The mean cross-entropy of a batch, and the leaf that its gradient is asked of.
    fn loss(&self, x: Tensor<2>, labels: &[usize]) -> (Tensor<1>, Tensor<1>) {
        let (rows, weights) = (labels.len(), self.features * self.classes);
        let leaf = Tensor::from_inner(self.values.clone()).require_grad();
        let weight = leaf
            .clone()
            .slice(0..weights)
            .reshape([self.features, self.classes]);
        let constants = leaf.clone().slice(weights..weights + self.classes);
        let scores = x.matmul(weight) + constants.reshape([1, self.classes]);
        let labels: Vec<i64> = labels.iter().map(|&label| label as i64).collect();
        let data = TensorData::new(labels, [rows, 1]);
        let labels = Tensor::<2, Int>::from_data(data, &scores.device());
        let chances = log_softmax(scores, 1).gather(1, labels);
        (chances.sum().neg().div_scalar(rows as f64), leaf)
    }

    fn step(&mut self, slope: Tensor<1>, share: f64) -> Result<(), Error> {
        self.adam.set_scale(share);
        self.values = self.adam.step(self.values.clone(), slope)?;
        Ok(())
    }
}

/// Brings a gradient that is too long to the longest allowed.
fn shorten(gradient: Tensor<1>) -> Result<Tensor<1>, Error> {
    let length = number(gradient.clone().square().sum())?.sqrt();
    Ok(match length > LONGEST {
        true => gradient.mul_scalar(LONGEST / length),
        false => gradient,
    })
}
