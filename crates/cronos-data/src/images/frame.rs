//! What an image is brought to, and where in it its pixels go.

use crate::options::ImageFit;

/// The size of every row, and how an image of another size is brought to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) channels: usize,
    pub(super) fit: ImageFit,
}

/// Where an image goes in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) top: usize,
    pub(super) left: usize,
    pub(super) height: usize,
    pub(super) width: usize,
}

impl Frame {
    /// Bytes of one image.
    pub(super) fn bytes(self) -> Option<usize> {
        self.height
            .checked_mul(self.width)?
            .checked_mul(self.channels)
    }

    /// The spot of an image of this size. Padding centres it; one that is too large is shrunk
    /// until it fits and keeps the ratio of its sides.
    pub(super) fn spot(self, height: usize, width: usize) -> Spot {
        let (height, width) = match self.fit {
            ImageFit::Resize => (self.height, self.width),
            ImageFit::Pad if height <= self.height && width <= self.width => (height, width),
            ImageFit::Pad => {
                let down = self.height as f64 / height as f64;
                let across = self.width as f64 / width as f64;
                let side = |length: usize, most: usize| {
                    let length = (length as f64 * down.min(across)).round() as usize;
                    length.clamp(1, most)
                };
                (side(height, self.height), side(width, self.width))
            }
        };
        Spot {
            top: (self.height - height) / 2,
            left: (self.width - width) / 2,
            height,
            width,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_centred_shrunk_or_stretched() {
        let spot = |fit, height, width| {
            let frame = Frame {
                height: 10,
                width: 20,
                channels: 3,
                fit,
            };
            let spot = frame.spot(height, width);
            (spot.top, spot.left, spot.height, spot.width)
        };
        assert_eq!(spot(ImageFit::Pad, 10, 20), (0, 0, 10, 20));
        assert_eq!(spot(ImageFit::Pad, 4, 5), (3, 7, 4, 5));
        assert_eq!(spot(ImageFit::Pad, 20, 20), (0, 5, 10, 10));
        assert_eq!(spot(ImageFit::Pad, 5, 40), (3, 0, 3, 20));
        // a line stays a line
        assert_eq!(spot(ImageFit::Pad, 1, 60_000), (4, 0, 1, 20));
        assert_eq!(spot(ImageFit::Resize, 4, 5), (0, 0, 10, 20));
    }
}
