//! Architectures by name.

use crate::features::{Layers, draw};
use crate::parameters;
use burn::tensor::Device;
use cronos::Error;
use std::fmt;
use std::str::FromStr;

/// What stands in front of the last two layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// Nothing: the last two layers are the network.
    None,
    /// One linear map.
    Linear(usize),
    /// Fully connected layers with ReLU, without biases.
    Mlp(Vec<usize>),
    /// Convolutions of 3 x 3, ReLU and means of 2 x 2, one after the other.
    Cnn(Vec<usize>),
    /// Stages of residual blocks; each but the first halves the image. Features are the means of
    /// its quarters.
    Residual(Vec<usize>),
}

const KNOWN: &str = "none, linear[:WIDTH], mlp:WIDTH,…, cnn[:CHANNELS,…] or residual[:CHANNELS,…]";

impl FromStr for Architecture {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, sizes) = match text.split_once(':') {
            Some((name, sizes)) => (name, Some(sizes)),
            None => (text, None),
        };
        let sizes = sizes.map(|sizes| {
            let size = |size: &str| match size.trim().parse() {
                Ok(size) if size > 0 => Ok(size),
                _ => Err(format!(
                    "{size:?} in {text:?} is no width; widths are whole numbers of at least 1"
                )),
            };
            sizes
                .split(',')
                .map(size)
                .collect::<Result<Vec<usize>, _>>()
        });
        let sizes = sizes.transpose()?;
        let or = |usual: &[usize]| sizes.clone().unwrap_or(usual.to_vec());
        match (name, &sizes) {
            ("none", None) => Ok(Self::None),
            ("linear", None) => Ok(Self::Linear(256)),
            ("linear", Some(sizes)) if sizes.len() == 1 => Ok(Self::Linear(sizes[0])),
            ("linear", _) => Err(format!("{text:?}: a linear map has one width")),
            ("mlp", _) => Ok(Self::Mlp(or(&[256, 256]))),
            ("cnn", _) => Ok(Self::Cnn(or(&[32, 32]))),
            ("residual", _) => Ok(Self::Residual(or(&[16, 32, 64]))),
            _ => Err(format!("{text:?} is no architecture; give {KNOWN}")),
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, sizes) = match self {
            Self::None => return write!(f, "none"),
            Self::Linear(width) => ("linear", vec![*width]),
            Self::Mlp(widths) => ("mlp", widths.clone()),
            Self::Cnn(channels) => ("cnn", channels.clone()),
            Self::Residual(channels) => ("residual", channels.clone()),
        };
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        write!(f, "{name}:{}", sizes.join(","))
    }
}

impl Architecture {
    /// The layers for inputs of a shape, with weights drawn from the seed.
    pub fn build(&self, input: &[usize], seed: u64, device: &Device) -> Result<Layers, Error> {
        if matches!(self, Self::Cnn(_) | Self::Residual(_)) {
            self.check_image(input)?;
        }
        let mut layers = Layers::new(input);
        match self {
            Self::None => {}
            Self::Linear(width) => layers = layers.linear(*width, device),
            Self::Mlp(widths) => {
                for &width in widths {
                    layers = layers.linear(width, device).relu();
                }
            }
            Self::Cnn(channels) => {
                for &channels in channels {
                    layers = layers
                        .convolution(channels, 1, device)
                        .relu()
                        .average_pool(2);
                }
            }
            Self::Residual(channels) => {
                for (stage, &channels) in channels.iter().enumerate() {
                    let stride = if stage == 0 { 1 } else { 2 };
                    layers = layers
                        .convolution(channels, stride, device)
                        .residual(device);
                }
                layers = layers.relu().quarters();
            }
        }
        let (_, layout) = parameters::read(&layers);
        Ok(parameters::write(layers, &draw(&layout, seed)))
    }

    /// Refuses inputs that are no images, or too small for the layers.
    fn check_image(&self, input: &[usize]) -> Result<(), Error> {
        let (Self::Cnn(channels) | Self::Residual(channels)) = self else {
            return Ok(());
        };
        let &[_, height, width] = input else {
            return Err(Error::Data(format!(
                "{self} needs images, but a row of this data is {} plain numbers; use mlp, or \
                 data whose shape is known (a folder of images, IDX, CIFAR, or an npy array of \
                 rows x height x width x channels)",
                input.iter().product::<usize>()
            )));
        };
        let halved = match self {
            Self::Cnn(_) => channels.len(),
            _ => channels.len().saturating_sub(1),
        };
        let least = u32::try_from(halved)
            .ok()
            .and_then(|halved| 1usize.checked_shl(halved));
        match least {
            Some(least) if height.min(width) >= least => Ok(()),
            _ => Err(Error::Data(format!(
                "{self} halves an image {halved} times, but those of this data have {height} x \
                 {width} pixels; use fewer layers"
            ))),
        }
    }
}
