//! The last two layers, `a · max(W x + b, 0) + c`: what the features are trained against.

use crate::kernels::Kernels;
use crate::optim::Layout;
use cronos::{Encoding, Matrix, Network};

/// Their sizes. Their parameters stand in one slice: `W` (features x units), `b`, `a` (units x
/// outputs), `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dense {
    pub features: usize,
    pub units: usize,
    pub outputs: usize,
}

impl Dense {
    /// The layers of a network.
    pub fn of(network: &Network) -> Self {
        Self {
            features: network.features(),
            units: network.neurons(),
            outputs: network.outputs(),
        }
    }

    pub fn layout(self) -> Layout {
        let (features, units, outputs) = (self.features, self.units, self.outputs);
        let shapes = [
            vec![features, units],
            vec![units],
            vec![units, outputs],
            vec![outputs],
        ];
        Layout {
            shapes: shapes.to_vec(),
        }
    }

    /// As many units as so many parameters have room for.
    pub fn sized(self, parameters: usize) -> Self {
        // units (features + 1 + outputs) + outputs
        let units = parameters.saturating_sub(self.outputs) / (self.features + 1 + self.outputs);
        Self { units, ..self }
    }

    /// Puts the layers behind others.
    pub fn follow(self, kernels: &mut Kernels) {
        kernels.linear(self.units, true);
        kernels.chain(|chain| chain.relu(false));
        kernels.linear(self.outputs, true);
    }

    /// The network of these parameters.
    pub fn network(self, values: &[f32]) -> Network {
        let (units, outputs) = (self.units, self.outputs);
        let (hidden, rest) = values.split_at(self.features * units);
        let (hidden_bias, rest) = rest.split_at(units);
        let (output, output_bias) = rest.split_at(units * outputs);
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect();
        Network {
            encoding: Encoding::default(),
            hidden: Matrix::from_fn(units, self.features, |i, j| {
                f64::from(hidden[j * units + i])
            }),
            hidden_bias: wide(hidden_bias),
            output: Matrix::from_fn(units, outputs, |i, c| f64::from(output[i * outputs + c])),
            output_bias: wide(output_bias),
            gating: None,
        }
    }
}

/// The parameters of a network.
pub(crate) fn parameters_of(network: &Network) -> impl Iterator<Item = f32> {
    let (hidden, output) = (&network.hidden, &network.output);
    let units = network.neurons();
    // inputs x outputs each
    let turned = (0..hidden.columns()).flat_map(move |j| (0..units).map(move |i| hidden.at(i, j)));
    turned
        .chain(network.hidden_bias.iter().copied())
        .chain(output.values().iter().copied())
        .chain(network.output_bias.iter().copied())
        .map(|value| value as f32)
}
