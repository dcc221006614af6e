//! An encoder whose layers are on a device.

use super::encoder::Encoder;
use super::pool::Pool;
use super::transformer::{Batch, TransformerModule};
use crate::tensors::numbers;
use burn::tensor::{Tensor, TensorData};
use cronos::{Error, Place};

/// The layers on a device.
#[derive(Clone, Debug)]
pub(super) struct There {
    place: Place,
    module: TransformerModule,
}

/// Makes batches as a device takes them: texts of one length.
#[derive(Clone, Copy)]
pub(super) struct Batches {
    filler: u32,
}

impl Batches {
    /// Filled up to the longest of them.
    pub fn longest(self, texts: &[Vec<u32>]) -> Result<Batch, Error> {
        let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
        self.filled(texts, longest)
    }

    /// As a pooling needs them: all tokens are kept by some.
    pub fn of(self, texts: &[Vec<u32>], pool: Pool, length: usize) -> Result<Batch, Error> {
        match pool {
            Pool::Flat => self.filled(texts, length),
            _ => self.longest(texts),
        }
    }

    fn filled(self, texts: &[Vec<u32>], length: usize) -> Result<Batch, Error> {
        Batch::filled(texts.iter().map(Vec::as_slice), length, self.filler)
    }
}

impl Encoder {
    /// Encodes and is trained on a device from now on, or on the processor again.
    pub fn to(&mut self, place: Place) -> Result<(), Error> {
        let device = place.open()?;
        self.there = place.guard(|| {
            Ok(device.map(|device| There {
                place,
                module: self.transformer.module(&self.parameters, &device),
            }))
        })?;
        Ok(())
    }

    /// Where it encodes.
    pub fn place(&self) -> Place {
        self.there.as_ref().map_or(Place::Cpu, |there| there.place)
    }

    pub(super) fn batches(&self) -> Batches {
        Batches {
            filler: self.filler(),
        }
    }

    /// Takes on other parameters, as many.
    pub(super) fn set_parameters(&mut self, parameters: Vec<f32>) -> Result<(), Error> {
        self.parameters = parameters;
        self.to(self.place())
    }
}

impl There {
    /// A row of features for each text.
    pub fn features(&self, batch: &Batch, pool: Pool) -> Result<Vec<f32>, Error> {
        self.place.guard(|| {
            let states = self.module.forward(&self.module.pad(batch)?);
            numbers(pool.apply_there(batch, states))
        })
    }
}

impl Pool {
    /// A row for each text of a batch whose texts have one length, from states: texts x length x
    /// width.
    pub(super) fn apply_there(self, batch: &Batch, states: Tensor<3>) -> Tensor<2> {
        let [count, length, width] = states.dims();
        let device = states.device();
        // the weight of each token of a text
        let weights = |weight: &dyn Fn(usize, usize) -> f32| {
            let reals = batch.texts().map(|(_, real)| real);
            let all = reals.flat_map(|real| (0..length).map(move |at| (at, real)));
            let all: Vec<f32> = all.map(|(at, real)| weight(at, real)).collect();
            Tensor::<3>::from_data(TensorData::new(all, [count, 1, length]), &device)
        };
        let mean = |at: usize, real: usize| if at < real { 1.0 / real as f32 } else { 0.0 };
        let weights = match self {
            Self::Flat => return states.reshape([count, length * width]),
            Self::First => weights(&|at, _| if at == 0 { 1.0 } else { 0.0 }),
            Self::Last => weights(&|at, real| if at + 1 == real { 1.0 } else { 0.0 }),
            Self::Mean => weights(&mean),
            Self::Attention => {
                let even = weights(&mean);
                let mean = even.clone().matmul(states.clone());
                let long = |x: Tensor<3>| x.square().sum_dim(2).sqrt();
                let lengths = long(states.clone()) * long(mean.clone());
                let none = lengths.clone().equal_elem(0.0);
                let dots = (states.clone() * mean).sum_dim(2);
                let cosines = (dots / lengths.mask_fill(none.clone(), 1.0)).mask_fill(none, 0.0);
                let scale = (width as f64).sqrt();
                let like = cosines.sub_scalar(1.0).mul_scalar(scale).exp();
                let like = like.swap_dims(1, 2) * even.greater_elem(0.0).float();
                like.clone() / like.sum_dim(2)
            }
        };
        weights.matmul(states).reshape([count, width])
    }
}
