//! Where training starts: weights drawn from the seed.

use crate::optim::Layout;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Gaussian weights of variance `2/inputs`, which keep the size of what goes through a
/// layer and its ReLU; biases are 0.
pub(crate) fn draw(layout: &Layout, seed: u64) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = Vec::with_capacity(layout.size());
    for shape in &layout.shapes {
        let deviation = match shape[..] {
            [inputs, _] => (2.0 / inputs as f64).sqrt(),
            [_, inputs, height, width] => (2.0 / (inputs * height * width) as f64).sqrt(),
            _ => 0.0,
        };
        let size: usize = shape.iter().product();
        values.extend((0..size).map(|_| {
            let value: f64 = StandardNormal.sample(&mut rng);
            (deviation * value) as f32
        }));
    }
    values
}
