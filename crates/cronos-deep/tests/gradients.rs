//! The gradients of all layers against finite differences of plain loops in double precision.

use burn::tensor::{Device, Tensor, TensorData};
use cronos_deep::{Architecture, Features, parameters};

/// A row of an image: channels, height, width, and its numbers channel by channel.
#[derive(Clone)]
struct Image {
    shape: [usize; 3],
    values: Vec<f64>,
}

impl Image {
    fn at(&self, c: usize, i: isize, j: isize) -> f64 {
        let [_, height, width] = self.shape;
        let inside = (0..height as isize).contains(&i) && (0..width as isize).contains(&j);
        match inside {
            true => self.values[(c * height + i as usize) * width + j as usize],
            false => 0.0,
        }
    }

    fn relu(mut self) -> Self {
        self.values
            .iter_mut()
            .for_each(|value| *value = value.max(0.0));
        self
    }

    fn pool(&self, size: usize) -> Self {
        let [channels, height, width] = self.shape;
        let shape = [channels, height / size, width / size];
        let mut values = Vec::new();
        for c in 0..channels {
            for i in 0..shape[1] {
                for j in 0..shape[2] {
                    let within = (0..size * size).map(|at| {
                        let (row, column) = (i * size + at / size, j * size + at % size);
                        self.at(c, row as isize, column as isize)
                    });
                    values.push(within.sum::<f64>() / (size * size) as f64);
                }
            }
        }
        Self { shape, values }
    }
}

/// The parameters that are still to be used.
struct Weights<'a>(&'a [f64]);

impl Weights<'_> {
    fn take(&mut self, count: usize) -> Vec<f64> {
        let (own, rest) = self.0.split_at(count);
        self.0 = rest;
        own.to_vec()
    }

    /// inputs x outputs, no bias
    fn linear(&mut self, x: &[f64], outputs: usize) -> Vec<f64> {
        let weights = self.take(x.len() * outputs);
        (0..outputs)
            .map(|o| {
                x.iter()
                    .zip(weights.chunks(outputs))
                    .map(|(x, w)| x * w[o])
                    .sum()
            })
            .collect()
    }

    /// outputs x inputs x 3 x 3, then biases
    fn convolution(&mut self, x: &Image, outputs: usize, stride: usize) -> Image {
        let [inputs, height, width] = x.shape;
        let weights = self.take(outputs * inputs * 9);
        let bias = self.take(outputs);
        let shape = [outputs, height.div_ceil(stride), width.div_ceil(stride)];
        let mut values = Vec::new();
        for o in 0..outputs {
            for i in 0..shape[1] {
                for j in 0..shape[2] {
                    let mut sum = bias[o];
                    for c in 0..inputs {
                        for (at, weight) in weights[(o * inputs + c) * 9..][..9].iter().enumerate()
                        {
                            let row = (i * stride + at / 3) as isize - 1;
                            let column = (j * stride + at % 3) as isize - 1;
                            sum += weight * x.at(c, row, column);
                        }
                    }
                    values.push(sum);
                }
            }
        }
        Image { shape, values }
    }
}

/// Features by plain loops.
fn forward(architecture: &Architecture, parameters: &[f64], x: &Image) -> Vec<f64> {
    let mut weights = Weights(parameters);
    let features = match architecture {
        Architecture::None => x.values.clone(),
        Architecture::Linear(width) => weights.linear(&x.values, *width),
        Architecture::Mlp(widths) => {
            let mut x = x.values.clone();
            for &width in widths {
                x = weights
                    .linear(&x, width)
                    .into_iter()
                    .map(|v| v.max(0.0))
                    .collect();
            }
            x
        }
        Architecture::Cnn(channels) => {
            let mut x = x.clone();
            for &channels in channels {
                x = weights.convolution(&x, channels, 1).relu().pool(2);
            }
            x.values
        }
        Architecture::Residual(channels) => {
            let mut x = x.clone();
            for (stage, &channels) in channels.iter().enumerate() {
                x = weights.convolution(&x, channels, if stage == 0 { 1 } else { 2 });
                let inner = weights.convolution(&x.clone().relu(), channels, 1).relu();
                let inner = weights.convolution(&inner, channels, 1);
                x.values
                    .iter_mut()
                    .zip(inner.values)
                    .for_each(|(x, y)| *x += y);
            }
            // there are 4 x 3 pixels left
            x.relu().pool(2).values
        }
    };
    assert!(weights.0.is_empty(), "all parameters are used");
    features
}

fn wave(at: usize) -> f64 {
    (at as f64 * 0.7 + (at * at % 97) as f64).sin()
}

/// `Σ c_k f_k + ½ f_k²` over the features of all rows
fn value(architecture: &Architecture, parameters: &[f64], rows: &[Image]) -> f64 {
    let features = rows
        .iter()
        .flat_map(|row| forward(architecture, parameters, row));
    features
        .enumerate()
        .map(|(k, f)| wave(k + 5) * f + 0.5 * f * f)
        .sum()
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let shape = [2, 7, 6];
    let rows: Vec<Image> = (0..3)
        .map(|row| Image {
            shape,
            values: (0..84).map(|at| wave(row * 84 + at)).collect(),
        })
        .collect();
    let device = Device::flex().autodiff();
    for name in ["linear:5", "mlp:6,4", "cnn:3,4", "residual:3,4"] {
        let architecture: Architecture = name.parse().unwrap();
        let layers = architecture.build(&shape, 7, &device).unwrap();
        // biases begin at 0, where they would hide a mistake
        let (start, layout) = parameters::read(&layers);
        let start: Vec<f32> = start
            .iter()
            .enumerate()
            .map(|(at, p)| p + 0.05 * wave(at) as f32)
            .collect();
        let layers = parameters::write(layers, &start);
        let plain: Vec<f32> = rows
            .iter()
            .flat_map(|row| &row.values)
            .map(|&v| v as f32)
            .collect();
        let x: Tensor<2> = Tensor::from_data(TensorData::new(plain.clone(), [3, 84]), &device);
        let f = layers.forward(x);
        let [count, columns] = f.dims();
        let factors: Vec<f32> = (0..count * columns).map(|k| wave(k + 5) as f32).collect();
        let factors = Tensor::from_data(TensorData::new(factors, [count, columns]), &device);
        let loss = (f.clone() * factors).sum() + f.square().sum().mul_scalar(0.5);
        let mut found = Vec::new();
        parameters::gradient(&layers, &mut loss.backward(), &mut found);

        let wide: Vec<f64> = start.iter().map(|&p| f64::from(p)).collect();
        let here = value(&architecture, &wide, &rows);
        let ours: f64 = f64::from(loss.into_scalar::<f32>());
        assert!(
            (ours - here).abs() <= 1e-5 * here.abs().max(1.0),
            "{name}: {ours} {here}"
        );
        assert_eq!(found.len(), layout.size());
        let kernels = layers.kernels().unwrap();
        let features = kernels.features(&start, &plain);
        let pull: Vec<f32> = (features.iter().enumerate())
            .map(|(k, f)| wave(k + 5) as f32 + f)
            .collect();
        let by_hand = kernels.gradient(&start, &plain, &pull);
        assert_eq!(by_hand.len(), found.len());
        let largest = found.iter().fold(0.0f32, |most, g| most.max(g.abs()));
        for (at, (&slope, &by_hand)) in found.iter().zip(&by_hand).enumerate() {
            let step = 1e-6;
            let moved = |by: f64| {
                let mut parameters = wide.clone();
                parameters[at] += by;
                value(&architecture, &parameters, &rows)
            };
            let expected = (moved(step) - moved(-step)) / (2.0 * step);
            for slope in [slope, by_hand] {
                let error = (f64::from(slope) - expected).abs();
                assert!(
                    error <= 1e-4 * f64::from(largest),
                    "{name}, parameter {at}: {slope} {expected}"
                );
            }
        }
    }
}
