//! Optimizers that step on the processor.

use super::{Memory, OptimizerThere};
use crate::optim::Optimizer;
use crate::tensors::numbers;
use burn::tensor::{Tensor, TensorData};
use cronos::Error;

/// Fetches parameters and gradient for every step, and sends the parameters back.
pub(super) struct Fetched<O>(O);

impl<O: Optimizer> Fetched<O> {
    pub fn new(optimizer: O) -> Self {
        Self(optimizer)
    }
}

impl<O: Optimizer> OptimizerThere for Fetched<O> {
    fn step(&mut self, parameters: Tensor<1>, gradient: Tensor<1>) -> Result<Tensor<1>, Error> {
        let device = parameters.device();
        let (mut values, mut gradient) = (numbers(parameters)?, numbers(gradient)?);
        self.0.step(&mut values, &mut gradient);
        let shape = [values.len()];
        Ok(Tensor::from_data(TensorData::new(values, shape), &device))
    }

    fn set_scale(&mut self, scale: f64) {
        self.0.set_scale(scale);
    }

    fn memory(&self) -> Result<Memory, Error> {
        Ok(self.0.memory())
    }

    fn resume(&mut self, memory: &Memory) -> bool {
        self.0.resume(memory)
    }
}
