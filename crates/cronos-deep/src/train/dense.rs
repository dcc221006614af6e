//! The last two layers as a module: what the features are trained against.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig, Relu};
use burn::tensor::{Device, Tensor};
use cronos::{Encoding, Matrix, Network};

use crate::parameters;
use crate::tensors::numbers;

/// `a · max(W x + b, 0) + c`
#[derive(Module, Debug)]
pub(crate) struct Dense {
    hidden: Linear,
    relu: Relu,
    output: Linear,
}

impl Dense {
    /// Layers of these sizes.
    pub fn new(features: usize, units: usize, outputs: usize, device: &Device) -> Self {
        Self {
            hidden: LinearConfig::new(features, units).init(device),
            relu: Relu::new(),
            output: LinearConfig::new(units, outputs).init(device),
        }
    }

    /// The layers of a network, which takes no gradient.
    pub fn of(network: &Network, device: &Device) -> Self {
        let (units, outputs) = (network.neurons(), network.outputs());
        let layers = Self::new(network.features(), units, outputs, device);
        let (hidden, output) = (&network.hidden, &network.output);
        // inputs x outputs each
        let turned = (0..hidden.columns()).flat_map(|j| (0..units).map(move |i| hidden.at(i, j)));
        let values: Vec<f32> = turned
            .chain(network.hidden_bias.iter().copied())
            .chain(output.values().iter().copied())
            .chain(network.output_bias.iter().copied())
            .map(|value| value as f32)
            .collect();
        parameters::write(layers, &values).no_grad()
    }

    /// The network of these layers.
    pub fn network(&self) -> Network {
        let weight = |layer: &Linear| {
            let [inputs, outputs] = layer.weight.val().dims();
            (inputs, outputs, numbers(layer.weight.val().inner()))
        };
        let bias = |layer: &Linear| -> Vec<f64> {
            let bias = layer.bias.as_ref().map(|bias| numbers(bias.val().inner()));
            bias.into_iter().flatten().map(f64::from).collect()
        };
        let (features, units, hidden) = weight(&self.hidden);
        let (_, outputs, output) = weight(&self.output);
        Network {
            encoding: Encoding::default(),
            hidden: Matrix::from_fn(units, features, |i, j| f64::from(hidden[j * units + i])),
            hidden_bias: bias(&self.hidden),
            output: Matrix::from_fn(units, outputs, |i, c| f64::from(output[i * outputs + c])),
            output_bias: bias(&self.output),
            gating: None,
        }
    }

    /// rows x features to rows x outputs
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.output
            .forward(self.relu.forward(self.hidden.forward(x)))
    }
}
