//! The same optimizers where parameters and gradients are on a device: one long tensor each.

mod adam;
mod adapted;
mod fetched;
mod sgd;
#[cfg(test)]
mod tests;
mod yogi;

pub(crate) use adam::Adam;
pub(crate) use adapted::DAdapted;

use super::{Layout, Memory, Method, Shampoo};
use crate::tensors::numbers;
use burn::tensor::{Device, Tensor, TensorData};
use cronos::Error;
use fetched::Fetched;
use sgd::Sgd;
use yogi::Yogi;

/// A rule that moves parameters against their gradient.
pub(crate) trait OptimizerThere {
    /// The parameters after a step.
    fn step(&mut self, parameters: Tensor<1>, gradient: Tensor<1>) -> Result<Tensor<1>, Error>;

    /// Scales the learning rate; 1 to begin with.
    fn set_scale(&mut self, scale: f64);

    /// All that the next step depends on, as the optimizer of that name has it on the processor.
    fn memory(&self) -> Result<Memory, Error>;

    /// Goes on from there; tells whether it could.
    fn resume(&mut self, memory: &Memory) -> bool;
}

/// The optimizer of a name with its usual settings.
pub(crate) fn build(
    method: Method,
    layout: &Layout,
    rate: f64,
    decay: f64,
    device: &Device,
) -> Box<dyn OptimizerThere> {
    let size = layout.size();
    match method {
        Method::Sgd => Box::new(Sgd::new(size, rate, decay, device)),
        Method::Adam => Box::new(Adam::new(size, rate, decay, false, device)),
        Method::AdamW => Box::new(Adam::new(size, rate, decay, true, device)),
        Method::Yogi => Box::new(Yogi::new(size, rate, decay, device)),
        // needs roots of matrices, which devices do not have
        Method::Shampoo => Box::new(Fetched::new(Shampoo::new(layout, rate, decay, 1e-6))),
        Method::DAdaptedAdam => Box::new(DAdapted::new(size, rate, decay, false, device)),
        Method::DAdaptedAdamW => Box::new(DAdapted::new(size, rate, decay, true, device)),
    }
}

fn zeros(size: usize, device: &Device) -> Tensor<1> {
    Tensor::zeros([size], device)
}

/// Numbers for all parameters, from a memory; tells whether there are as many.
fn replace(memory: &Memory, numbers: &mut [&mut f64], arrays: &mut [&mut Tensor<1>]) -> bool {
    let fits = memory.numbers.len() == numbers.len()
        && memory.arrays.len() == arrays.len()
        && (memory.arrays.iter().zip(&*arrays)).all(|(new, old)| new.len() == old.dims()[0]);
    if fits {
        (numbers.iter_mut().zip(&memory.numbers)).for_each(|(old, new)| **old = *new);
        for (old, new) in arrays.iter_mut().zip(&memory.arrays) {
            let data = TensorData::new(new.clone(), [new.len()]);
            **old = Tensor::from_data(data, &old.device());
        }
    }
    fits
}

/// What is remembered of numbers and arrays.
fn remember(single: &[f64], arrays: &[&Tensor<1>]) -> Result<Memory, Error> {
    let arrays = arrays.iter().map(|&array| numbers(array.clone()));
    Ok(Memory {
        numbers: single.to_vec(),
        arrays: arrays.collect::<Result<_, _>>()?,
    })
}
