//! The last two layers as a module.

use super::dense::Dense;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig, Relu};
use burn::tensor::{Device, Tensor};

#[derive(Module, Debug)]
pub(super) struct Last {
    hidden: Linear,
    relu: Relu,
    output: Linear,
}

impl Last {
    pub fn new(dense: Dense, device: &Device) -> Self {
        Self {
            hidden: LinearConfig::new(dense.features, dense.units).init(device),
            relu: Relu::new(),
            output: LinearConfig::new(dense.units, dense.outputs).init(device),
        }
    }

    /// rows x features to rows x outputs
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.output
            .forward(self.relu.forward(self.hidden.forward(x)))
    }
}
