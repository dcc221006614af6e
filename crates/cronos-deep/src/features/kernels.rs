//! The same layers as kernels.

use super::layers::{Layer, Layers};
use crate::kernels::{GlobalAverage, Kernels, Pool};

impl Layers {
    /// Forward and backward on slices.
    pub(super) fn as_kernels(&self) -> Kernels {
        let input = self.input().iter().product();
        let image = match *self.input() {
            [channels, height, width] => [channels, height, width],
            _ => [1, 1, input],
        };
        let mut builder = Builder {
            kernels: Kernels::new(input),
            image,
        };
        self.layers().iter().for_each(|layer| builder.add(layer));
        builder.kernels
    }
}

/// Kernels so far, and the image that comes out of them.
struct Builder {
    kernels: Kernels,
    image: [usize; 3],
}

impl Builder {
    fn add(&mut self, layer: &Layer) {
        let [channels, height, width] = self.image;
        match layer {
            Layer::Linear(layer) => {
                let [_, outputs] = layer.weight.shape().dims();
                self.kernels.linear(outputs, layer.bias.is_some());
                self.image = [1, 1, outputs];
            }
            Layer::Convolution(layer) => {
                let [outputs, ..] = layer.weight.shape().dims::<4>();
                let stride = layer.stride[0];
                self.kernels.convolution(self.image, outputs, stride);
                self.image = [outputs, height.div_ceil(stride), width.div_ceil(stride)];
            }
            Layer::Relu(_) => self.kernels.chain(|chain| chain.relu(false)),
            Layer::AveragePool(layer) => {
                let size = layer.kernel_size[0];
                let pool = Pool {
                    channels,
                    height,
                    width,
                    size,
                };
                self.kernels.chain(|chain| chain.pool(pool));
                self.image = [channels, height / size, width / size];
            }
            Layer::GlobalAverage(_) => {
                let pixels = height * width;
                let mean = GlobalAverage { channels, pixels };
                self.kernels.chain(|chain| chain.global_average(mean));
                self.image = [1, 1, channels];
            }
            Layer::Residual(layer) => {
                let place = self.kernels.chain(|chain| chain.place());
                for (at, layer) in layer.inner.iter().enumerate() {
                    match (at, layer) {
                        // its input is needed for the sum
                        (0, Layer::Relu(_)) => self.kernels.chain(|chain| chain.relu(true)),
                        _ => self.add(layer),
                    }
                }
                self.kernels.chain(|chain| chain.add(place));
            }
        }
    }
}
