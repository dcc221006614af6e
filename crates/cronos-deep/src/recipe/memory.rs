//! Memory that a deep training takes, told before it is taken.

use super::{Data, Recipe};
use crate::architecture::Architecture;
use crate::features::quarter;
use crate::train::Rule;
use cronos::{Error, memory};

/// Rows that go through the layers together where they are not trained.
const TOGETHER: usize = 512;
/// Bytes of a number.
const BYTES: u64 = 4;
/// A weight, its gradient, and what the layers and the optimizer keep of both.
const COPIES: u64 = 8;
/// A weight of the last two layers as it is, as it was at its best, and in a batch.
const LAST_COPIES: usize = 4;

impl Recipe {
    /// Refuses a training that does not fit, and tells a way out; returns the bytes that it will take.
    pub fn memory(&self, data: &Data<'_>) -> Result<u64, Error> {
        let available = memory::available();
        let arrays = arrays(self, data);
        let needed = total(&arrays);
        if needed <= available {
            return Ok(needed);
        }
        let largest = arrays.into_iter().max_by_key(|array| array.bytes);
        let advice = largest.map(|array| {
            let Array { name, bytes, less } = array;
            format!("most of it is for {name}: {}; {less}", memory::human(bytes))
        });
        Err(Error::Memory {
            needed,
            available,
            advice: advice.unwrap_or_default(),
        })
    }
}

/// Something there is much of.
struct Array {
    name: &'static str,
    bytes: u64,
    /// What makes it less.
    less: &'static str,
}

/// The arrays of the moment at which there are most.
fn arrays(recipe: &Recipe, data: &Data<'_>) -> Vec<Array> {
    let samples = data.train();
    let (rows, outputs) = (samples.inputs.rows(), samples.y.columns());
    let sizes = Sizes::of(&recipe.architecture, &samples.inputs.shape());
    let units = recipe.gates.saturating_mul(2 * outputs);
    let with_one = sizes.width.saturating_add(1);
    let image = data.image().is_some();
    let array = |name, numbers: u64, less: [&'static str; 2]| Array {
        name,
        bytes: BYTES.saturating_mul(numbers),
        less: less[usize::from(image)],
    };
    let layers = |rows: usize, numbers: usize| {
        array(
            "the layers of a batch",
            product(&[rows, numbers]),
            [
                "use smaller widths in --arch, or a smaller --batch",
                "use a smaller --image-size, fewer channels, or a smaller --batch",
            ],
        )
    };
    let step = |bytes: u64| {
        let features = product(&[rows, with_one]);
        [
            layers(TOGETHER.min(rows), sizes.input.saturating_add(with_one)),
            array(
                "the last two layers on all training rows",
                features.saturating_add(bytes / BYTES),
                [
                    "use a smaller last width in --arch, fewer --gates, or fewer rows",
                    "use --arch residual, a smaller --image-size, fewer --gates, or fewer rows",
                ],
            ),
        ]
    };
    // each thread has a row under way
    let threads = rayon::current_num_threads();
    let batch = layers(recipe.batch.min(rows) + 2 * threads, sizes.row);
    let head = recipe.options(data, Rule::Alternate).head;
    let first = step(head.first_bytes(rows, with_one, outputs));
    let later = step(head.later_bytes(rows, with_one, outputs));
    let moments = [Vec::from(first), later.into_iter().chain([batch]).collect()];
    let most = moments.into_iter().max_by_key(|arrays| total(arrays));
    let always = [
        array(
            "the weights of the layers",
            COPIES.saturating_mul(sizes.weights),
            [
                "use a smaller first width in --arch",
                "use --arch cnn or residual, or a smaller --image-size",
            ],
        ),
        array(
            "the weights of the last two layers",
            product(&[LAST_COPIES, units, with_one]),
            [
                "use a smaller last width in --arch, or fewer --gates",
                "use --arch residual, a smaller --image-size, or fewer --gates",
            ],
        ),
    ];
    most.into_iter().flatten().chain(always).collect()
}

fn total(arrays: &[Array]) -> u64 {
    (arrays.iter()).fold(0, |sum, array| sum.saturating_add(array.bytes))
}

fn product(numbers: &[usize]) -> u64 {
    (numbers.iter()).fold(1, |all: u64, &number| all.saturating_mul(number as u64))
}

/// How large an architecture is on inputs of a shape.
#[derive(Debug, PartialEq)]
struct Sizes {
    /// Numbers that go in and features that come out.
    input: usize,
    width: usize,
    /// All that is kept of a row for the gradient.
    row: usize,
    weights: u64,
}

impl Sizes {
    fn of(architecture: &Architecture, input: &[usize]) -> Self {
        let inputs: usize = input.iter().product();
        let mut sides: Vec<usize> = input.iter().skip(1).copied().collect();
        let image = |channels: usize, sides: &[usize]| {
            (sides.iter()).fold(channels, |size, &side| size.saturating_mul(side))
        };
        let mut sizes = Self {
            input: inputs,
            width: inputs,
            row: inputs,
            weights: 0,
        };
        match architecture {
            Architecture::None => {}
            Architecture::Linear(width) => sizes.linear(*width),
            // before their ReLU and after it
            Architecture::Mlp(widths) => {
                for &width in widths {
                    sizes.linear(width);
                    sizes.keep(width);
                }
            }
            // filters are small beside what comes out of them
            Architecture::Cnn(channels) => {
                for &channels in channels {
                    sizes.keep(image(channels, &sides));
                    sides.iter_mut().for_each(|side| *side /= 2);
                    sizes.keep(image(channels, &sides));
                }
            }
            Architecture::Residual(channels) => {
                for (at, &channels) in channels.iter().enumerate() {
                    if at > 0 {
                        sides.iter_mut().for_each(|side| *side = side.div_ceil(2));
                    }
                    // two before the sum, two after their ReLU
                    for _ in 0..4 {
                        sizes.keep(image(channels, &sides));
                    }
                }
                if let ([.., last], &[height, width]) = (&channels[..], &sides[..]) {
                    let square = quarter(height, width);
                    sizes.keep(image(*last, &[height / square, width / square]));
                }
            }
        }
        sizes
    }

    fn keep(&mut self, numbers: usize) {
        self.row = self.row.saturating_add(numbers);
        self.width = numbers;
    }

    fn linear(&mut self, width: usize) {
        let weights = product(&[self.width, width]);
        self.weights = self.weights.saturating_add(weights);
        self.keep(width);
    }
}

#[cfg(test)]
mod tests {
    use super::Sizes;
    use crate::{Architecture, Device, Features};

    /// Against the layers themselves.
    #[test]
    fn sizes_are_those_of_the_layers() {
        let device = Device::flex();
        for (name, input) in [
            ("none", vec![5]),
            ("linear:7", vec![5]),
            ("mlp:6,4", vec![9]),
            ("cnn:3,5", vec![2, 9, 11]),
            ("residual:4,6", vec![3, 8, 7]),
        ] {
            let architecture: Architecture = name.parse().unwrap();
            let sizes = Sizes::of(&architecture, &input);
            let layers = architecture.build(&input, 0, &device).unwrap();
            let numbers: usize = input.iter().product();
            let width = layers.output().iter().product();
            assert_eq!((sizes.input, sizes.width), (numbers, width), "{name}");
            // linear layers do not copy what goes in
            let copied = if input.len() == 1 { numbers } else { 0 };
            let kept = layers.kernels().unwrap().kept();
            assert_eq!(sizes.row, kept + copied, "{name}");
            let (weights, _) = crate::parameters::read(&layers);
            if input.len() == 1 {
                assert_eq!(sizes.weights, weights.len() as u64, "{name}");
            }
        }
    }
}
