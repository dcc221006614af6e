//! The last two layers as a module.

use super::dense::Dense;
use burn::module::Module;
use burn::nn::{Initializer, Linear, LinearConfig, Relu};
use burn::tensor::{Device, Tensor};

#[derive(Module, Debug)]
pub(super) struct Last {
    hidden: Linear,
    relu: Relu,
    output: Linear,
}

impl Last {
    pub fn new(dense: Dense, device: &Device) -> Self {
        // their parameters are always set
        let linear = |inputs: usize, outputs: usize| {
            let layer = LinearConfig::new(inputs, outputs).with_initializer(Initializer::Zeros);
            layer.init(device)
        };
        Self {
            hidden: linear(dense.features, dense.units),
            relu: Relu::new(),
            output: linear(dense.units, dense.outputs),
        }
    }

    /// rows x features to rows x outputs
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.output
            .forward(self.relu.forward(self.hidden.forward(x)))
    }
}
