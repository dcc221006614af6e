//! Layers as plain loops in double precision.

use cronos::stack::{Convolution, Layer, Shape};

/// An image as the loops see it.
#[derive(Clone)]
pub struct Image {
    pub shape: Shape,
    /// Channel by channel, row after row.
    pub values: Vec<f64>,
}

impl Image {
    /// 0 beyond the edges.
    fn at(&self, channel: usize, i: isize, j: isize) -> f64 {
        let (height, width) = (self.shape.height as isize, self.shape.width as isize);
        if i < 0 || j < 0 || i >= height || j >= width {
            return 0.0;
        }
        self.values[(channel as isize * height * width + i * width + j) as usize]
    }

    /// An image whose entry in a channel, row and column is `entry` of them.
    pub fn from_fn(shape: Shape, entry: impl Fn(usize, usize, usize) -> f64) -> Self {
        let mut values = Vec::new();
        for c in 0..shape.channels {
            for i in 0..shape.height {
                values.extend((0..shape.width).map(|j| entry(c, i, j)));
            }
        }
        Self { shape, values }
    }

    fn after(&self, layer: &Layer) -> Self {
        let shape = self.shape;
        let here = |c: usize, i: usize, j: usize| self.at(c, i as isize, j as isize);
        match layer {
            Layer::Scale { mean, scale } => {
                let which = |c: usize, i: usize, j: usize| match mean.len() == shape.channels {
                    true => c,
                    false => (c * shape.height + i) * shape.width + j,
                };
                Self::from_fn(shape, |c, i, j| {
                    let at = which(c, i, j);
                    (here(c, i, j) - f64::from(mean[at])) / f64::from(scale[at])
                })
            }
            Layer::Linear { weight, bias } => {
                Self::from_fn(Shape::list(weight.rows()), |output, _, _| {
                    let products = weight.row(output).iter().zip(&self.values);
                    let sum: f64 = products.map(|(w, x)| f64::from(*w) * x).sum();
                    sum + bias.as_ref().map_or(0.0, |bias| f64::from(bias[output]))
                })
            }
            Layer::Convolution(convolution) => self.convolved(convolution),
            Layer::Relu => Self::from_fn(shape, |c, i, j| here(c, i, j).max(0.0)),
            Layer::AveragePool { size } => {
                let pooled = Shape {
                    channels: shape.channels,
                    height: shape.height / size,
                    width: shape.width / size,
                };
                Self::from_fn(pooled, |c, i, j| {
                    let mut sum = 0.0;
                    for r in 0..*size {
                        for s in 0..*size {
                            sum += here(c, size * i + r, size * j + s);
                        }
                    }
                    sum / (size * size) as f64
                })
            }
            Layer::GlobalAverage => Self::from_fn(Shape::list(shape.channels), |c, _, _| {
                let pixels = shape.height * shape.width;
                self.values[c * pixels..][..pixels].iter().sum::<f64>() / pixels as f64
            }),
            Layer::Residual { inner, shortcut } => {
                let mut sum = self.through(inner);
                let other = self.through(shortcut);
                assert_eq!(sum.shape, other.shape);
                for (sum, other) in sum.values.iter_mut().zip(other.values) {
                    *sum += other;
                }
                sum
            }
        }
    }

    /// What layers make of it.
    pub fn through(&self, layers: &[Layer]) -> Self {
        layers.iter().fold(self.clone(), |x, layer| x.after(layer))
    }

    fn convolved(&self, convolution: &Convolution) -> Self {
        let (kernel, stride) = (convolution.kernel, convolution.stride);
        let padding = convolution.padding as isize;
        let places = |length: usize| (length + 2 * convolution.padding - kernel) / stride + 1;
        let shape = Shape {
            channels: convolution.weight.rows(),
            height: places(self.shape.height),
            width: places(self.shape.width),
        };
        Self::from_fn(shape, |output, i, j| {
            let bias = convolution.bias.as_ref();
            let mut sum = bias.map_or(0.0, |bias| f64::from(bias[output]));
            for c in 0..self.shape.channels {
                for r in 0..kernel {
                    for s in 0..kernel {
                        let weight = convolution.weight.at(output, (c * kernel + r) * kernel + s);
                        let (i, j) = ((stride * i + r) as isize, (stride * j + s) as isize);
                        sum += f64::from(weight) * self.at(c, i - padding, j - padding);
                    }
                }
            }
            sum
        })
    }
}
