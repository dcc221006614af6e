//! What images of a folder are brought to.

use clap::{Args, ValueEnum};
use cronos_data::{ImageFit, ImageOptions};

/// For data that is a folder of images.
#[derive(Args)]
pub struct Images {
    /// Size that images of a folder are brought to: height and width, as 200x300, or one number
    /// for both [default: the largest height and width among the training images]
    #[arg(long, value_name = "HxW", value_parser = parse_size)]
    pub image_size: Option<(usize, usize)>,
    /// How images of another size are brought to it: pad puts them in the middle of black and
    /// shrinks only what is too large, resize stretches them [default: resize with --image-size,
    /// else pad]
    #[arg(long, value_enum, value_name = "HOW")]
    pub image_fit: Option<Fit>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Fit {
    Pad,
    Resize,
}

impl Images {
    /// What the reader is told.
    pub fn options(&self) -> ImageOptions {
        ImageOptions {
            size: self.image_size,
            fit: self.image_fit.map(|fit| match fit {
                Fit::Pad => ImageFit::Pad,
                Fit::Resize => ImageFit::Resize,
            }),
            channels: None,
            memory_limit_bytes: Some(cronos::memory::available()),
        }
    }
}

fn parse_size(text: &str) -> Result<(usize, usize), String> {
    let side = |text: &str| text.trim().parse().ok().filter(|&side: &usize| side > 0);
    let (height, width) = text.split_once(['x', 'X', '×']).unwrap_or((text, text));
    match (side(height), side(width)) {
        (Some(height), Some(width)) => Ok((height, width)),
        _ => Err("give two whole numbers above 0, as 200x300, or one".into()),
    }
}
