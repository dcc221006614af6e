//! Ordinary layers, one behind the other.

use super::Features;
use crate::kernels::Kernels;
use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{AvgPool2d, AvgPool2dConfig};
use burn::nn::{Linear, LinearConfig, PaddingConfig2d, Relu};
use burn::tensor::{Device, Tensor};

/// Layers from inputs to features, built one by one.
#[derive(Module, Debug)]
pub struct Layers {
    layers: Vec<Layer>,
    input: Vec<usize>,
    output: Vec<usize>,
}

/// One of the layers.
#[derive(Module, Debug)]
pub(crate) enum Layer {
    Linear(Linear),
    Convolution(Conv2d),
    Relu(Relu),
    /// Means of windows that do not overlap.
    AveragePool(AvgPool2d),
    /// The mean of each channel.
    GlobalAverage(Mean),
    Residual(Residual),
}

/// The mean of each channel.
#[derive(Module, Debug)]
pub(crate) struct Mean {
    channels: usize,
}

/// `x + inner(x)`
#[derive(Module, Debug)]
pub(crate) struct Residual {
    pub inner: Vec<Layer>,
}

/// What goes from layer to layer.
enum Value {
    Flat(Tensor<2>),
    Image(Tensor<4>),
}

impl Layers {
    /// No layers yet. Inputs have one number for their length, or channels, height and width.
    pub fn new(input: &[usize]) -> Self {
        Self {
            layers: Vec::new(),
            input: input.to_vec(),
            output: input.to_vec(),
        }
    }

    /// The shape of what comes out.
    pub fn output(&self) -> &[usize] {
        &self.output
    }

    /// The shape of what goes in.
    pub fn input(&self) -> &[usize] {
        &self.input
    }

    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// `x ↦ W x`
    pub fn linear(mut self, outputs: usize, device: &Device) -> Self {
        let inputs = self.output.iter().product();
        let layer = LinearConfig::new(inputs, outputs).with_bias(false);
        self.layers.push(Layer::Linear(layer.init(device)));
        self.output = vec![outputs];
        self
    }

    /// `max(x, 0)`
    pub fn relu(mut self) -> Self {
        self.layers.push(Layer::Relu(Relu::new()));
        self
    }

    /// Kernels of 3 x 3 with zeros around the image, every `stride` pixels.
    pub fn convolution(mut self, outputs: usize, stride: usize, device: &Device) -> Self {
        let [channels, height, width] = self.image();
        let layer = convolution(channels, outputs, stride, device);
        self.layers.push(Layer::Convolution(layer));
        self.output = vec![outputs, height.div_ceil(stride), width.div_ceil(stride)];
        self
    }

    /// Means of windows of `size` x `size`.
    pub fn average_pool(mut self, size: usize) -> Self {
        let [channels, height, width] = self.image();
        let layer = AvgPool2dConfig::new([size, size]).with_strides([size, size]);
        self.layers.push(Layer::AveragePool(layer.init()));
        self.output = vec![channels, height / size, width / size];
        self
    }

    /// Means of the [quarters](quarter) of an image.
    pub fn quarters(self) -> Self {
        let [_, height, width] = self.image();
        self.average_pool(quarter(height, width))
    }

    /// The mean of each channel.
    pub fn global_average(mut self) -> Self {
        let [channels, ..] = self.image();
        self.layers.push(Layer::GlobalAverage(Mean { channels }));
        self.output = vec![channels];
        self
    }

    /// `x + C₂ max(C₁ max(x, 0), 0)` with convolutions of as many channels.
    pub fn residual(mut self, device: &Device) -> Self {
        let [channels, ..] = self.image();
        let layer = || Layer::Convolution(convolution(channels, channels, 1, device));
        let relu = || Layer::Relu(Relu::new());
        self.layers.push(Layer::Residual(Residual {
            inner: vec![relu(), layer(), relu(), layer()],
        }));
        self
    }

    /// What comes out as an image; a row of numbers has one channel and one line.
    fn image(&self) -> [usize; 3] {
        match self.output[..] {
            [channels, height, width] => [channels, height, width],
            _ => [1, 1, self.output.iter().product()],
        }
    }
}

/// The side of the squares that an image is cut into: half its longer side, or its shorter side if
/// that is less.
pub fn quarter(height: usize, width: usize) -> usize {
    (height.max(width) / 2).clamp(1, height.min(width).max(1))
}

fn convolution(inputs: usize, outputs: usize, stride: usize, device: &Device) -> Conv2d {
    Conv2dConfig::new([inputs, outputs], [3, 3])
        .with_stride([stride, stride])
        .with_padding(PaddingConfig2d::Explicit(1, 1, 1, 1))
        .init(device)
}

impl Features for Layers {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let rows = x.dims()[0];
        let x = match self.input[..] {
            [channels, height, width] => Value::Image(x.reshape([rows, channels, height, width])),
            _ => Value::Flat(x),
        };
        let x = self.layers.iter().fold(x, |x, layer| layer.forward(x));
        flat(x)
    }

    fn kernels(&self) -> Option<Kernels> {
        Some(self.as_kernels())
    }
}

impl Layer {
    fn forward(&self, x: Value) -> Value {
        match (self, x) {
            (Self::Linear(layer), x) => Value::Flat(layer.forward(flat(x))),
            (Self::Relu(layer), Value::Flat(x)) => Value::Flat(layer.forward(x)),
            (Self::Relu(layer), Value::Image(x)) => Value::Image(layer.forward(x)),
            (Self::Convolution(layer), x) => Value::Image(layer.forward(image(x))),
            (Self::AveragePool(layer), x) => Value::Image(layer.forward(image(x))),
            (Self::GlobalAverage(mean), x) => {
                let x = image(x);
                let rows = x.dims()[0];
                Value::Flat(x.mean_dim(2).mean_dim(3).reshape([rows, mean.channels]))
            }
            (Self::Residual(layer), x) => {
                let x = image(x);
                let through =
                    (layer.inner.iter()).fold(Value::Image(x.clone()), |x, layer| layer.forward(x));
                Value::Image(x + image(through))
            }
        }
    }
}

fn flat(x: Value) -> Tensor<2> {
    match x {
        Value::Flat(x) => x,
        Value::Image(x) => x.flatten(1, 3),
    }
}

fn image(x: Value) -> Tensor<4> {
    match x {
        Value::Image(x) => x,
        Value::Flat(x) => {
            let [rows, columns] = x.dims();
            x.reshape([rows, 1, 1, columns])
        }
    }
}
