//! Memory that a deep training takes, told before it is taken.

use super::data::Data;
use crate::arguments::Network;
use cronos::{Error, memory};
use cronos_deep::Architecture;

/// Rows that go through the layers together where they are not trained.
const TOGETHER: usize = 512;
/// Bytes of a number in single and in double precision.
const SINGLE: u64 = 4;
const DOUBLE: u64 = 8;
/// A weight, its gradient, and what the layers and the optimizer keep of both.
const COPIES: u64 = 8;

/// Refuses a training that does not fit, and tells a way out.
pub fn check(network: &Network, data: &Data<'_>) -> Result<(), Error> {
    let available = memory::available();
    let arrays = arrays(network, data);
    let needed = total(&arrays);
    if needed <= available {
        return Ok(());
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

/// Something there is much of.
struct Array {
    name: &'static str,
    bytes: u64,
    /// What makes it less.
    less: &'static str,
}

/// The arrays of the moment at which there are most.
fn arrays(network: &Network, data: &Data<'_>) -> Vec<Array> {
    let samples = data.train();
    let (rows, outputs) = (samples.inputs.rows(), samples.y.columns());
    let sizes = Sizes::of(&network.arch, &samples.inputs.shape());
    let layers = |rows: usize| Array {
        name: "the layers of a batch",
        bytes: SINGLE.saturating_mul(product(&[rows, sizes.widest])),
        less: match data.is_image() {
            true => "use a smaller --image-size, fewer channels, or a smaller --batch",
            false => "use smaller widths in --arch, or a smaller --batch",
        },
    };
    let features = |bytes: u64| Array {
        name: "the features of all training rows",
        bytes: bytes.saturating_mul(product(&[rows, sizes.width + 1])),
        less: match data.is_image() {
            true => "use --arch residual, a smaller --image-size, or fewer rows",
            false => "use a smaller last width in --arch, or fewer rows",
        },
    };
    let batch = sizes.kept.saturating_mul(network.batch.min(rows));
    let moments = [
        // an epoch
        vec![layers(batch)],
        // the features as they are made, in a list that grows
        vec![layers(TOGETHER.min(rows)), features(2 * SINGLE)],
        // the same and, to be scored, in double precision
        vec![features(2 * SINGLE + DOUBLE)],
    ];
    let most = moments.into_iter().max_by_key(|arrays| total(arrays));
    let always = [
        Array {
            name: "the weights of the layers",
            bytes: (COPIES * SINGLE).saturating_mul(sizes.weights),
            less: match data.is_image() {
                true => "use --arch cnn or residual, or a smaller --image-size",
                false => "use a smaller first width in --arch",
            },
        },
        Array {
            name: "the units of the last two layers on all training rows",
            bytes: (2 * SINGLE).saturating_mul(product(&[rows, 2, network.gates, outputs])),
            less: "use fewer --gates, or fewer rows",
        },
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
    /// Features of a row.
    width: usize,
    /// Numbers of a row where they are most.
    widest: usize,
    weights: u64,
    /// How often that many are kept for the gradient, as it was measured.
    kept: usize,
}

impl Sizes {
    fn of(architecture: &Architecture, input: &[usize]) -> Self {
        let inputs: usize = input.iter().product();
        // the first layer of channels is as large as the image
        let pixels: usize = input.iter().skip(1).product();
        let first = |channels: &[usize]| channels.first().map_or(0, |first| first * pixels);
        let last = |sizes: &[usize]| sizes.last().copied().unwrap_or(inputs);
        let (width, widest, weights) = match architecture {
            Architecture::Linear(width) => (*width, *width, product(&[inputs, *width])),
            Architecture::Mlp(widths) => {
                let from = std::iter::once(&inputs).chain(widths);
                let weights = from.zip(widths).map(|(from, to)| product(&[*from, *to]));
                let weights = weights.fold(0, u64::saturating_add);
                let widest = widths.iter().copied().max().unwrap_or(0);
                (last(widths), widest, weights)
            }
            // filters are small beside what comes out of them
            Architecture::Cnn(channels) => {
                let halved = |side: &usize| side.checked_shr(channels.len() as u32).unwrap_or(0);
                let left: usize = input.iter().skip(1).map(halved).product();
                (last(channels) * left, first(channels), 0)
            }
            Architecture::Residual(channels) => (last(channels), first(channels), 0),
        };
        Self {
            width,
            widest: widest.max(inputs),
            weights,
            kept: match architecture {
                Architecture::Residual(_) => 16,
                _ => 6,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Sizes;
    use cronos_deep::{Architecture, Device};

    /// Against the layers themselves.
    #[test]
    fn sizes_are_those_of_the_layers() {
        let device = Device::flex();
        for (name, input, widest) in [
            ("linear:7", vec![5], 7),
            ("mlp:6,4", vec![9], 9),
            ("cnn:3,5", vec![2, 9, 11], 3 * 99),
            ("residual:4,6", vec![3, 8, 8], 4 * 64),
        ] {
            let architecture: Architecture = name.parse().unwrap();
            let sizes = Sizes::of(&architecture, &input);
            let layers = architecture.build(&input, 0, &device).unwrap();
            assert_eq!(
                sizes.width,
                layers.output().iter().product::<usize>(),
                "{name}"
            );
            assert_eq!(sizes.widest, widest, "{name}");
            let (weights, _) = cronos_deep::parameters::read(&layers);
            if input.len() == 1 {
                assert_eq!(sizes.weights, weights.len() as u64, "{name}");
            }
        }
    }
}
