//! What goes from layer to layer.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The numbers of a row between two layers: an image. A list of numbers is an image of one
/// pixel, whose channels they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Values of a pixel.
    pub channels: usize,
    /// Rows of pixels.
    pub height: usize,
    /// Columns of pixels.
    pub width: usize,
}

impl Shape {
    /// A list of numbers.
    pub fn list(numbers: usize) -> Self {
        Self {
            channels: numbers,
            height: 1,
            width: 1,
        }
    }

    /// How many numbers there are; the largest `usize` if that is too small.
    pub fn numbers(&self) -> usize {
        self.channels.saturating_mul(self.pixels())
    }

    /// What is left when each window of this many rows and columns becomes a pixel.
    pub(crate) fn pooled(&self, size: usize) -> Self {
        Self {
            channels: self.channels,
            height: self.height / size,
            width: self.width / size,
        }
    }

    /// How many pixels there are; the largest `usize` if that is too small.
    pub(crate) fn pixels(&self) -> usize {
        self.height.saturating_mul(self.width)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.channels, self.height, self.width) {
            (numbers, 1, 1) => write!(f, "{numbers}"),
            (channels, height, width) => write!(f, "{channels} x {height} x {width}"),
        }
    }
}
