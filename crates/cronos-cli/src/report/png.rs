//! Small images as PNG data in the page.

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::{self, Write};

/// Images are shrunk to this many pixels a side, so that the page stays small.
const MOST_SIDE: usize = 48;

/// An image of bytes: 1 (grey) or 3 (red, green, blue) for each pixel.
pub struct Image {
    pub width: usize,
    pub height: usize,
    pub channels: usize,
    pub bytes: Vec<u8>,
}

impl Image {
    /// Pixels of any size on the scale from `dark` to `bright`; large images
    /// are shrunk by taking means. `None` if the numbers do not make an image.
    pub fn new(
        pixels: &[f64],
        (width, height, channels): (usize, usize, usize),
        (dark, bright): (f64, f64),
    ) -> Option<Self> {
        let count = width.checked_mul(height)?.checked_mul(channels)?;
        if count == 0 || count != pixels.len() {
            return None;
        }
        let shown = if channels == 3 { 3 } else { 1 };
        let step = width.max(height).div_ceil(MOST_SIDE);
        let (columns, rows) = (width.div_ceil(step), height.div_ceil(step));
        let mut bytes = Vec::with_capacity(columns * rows * shown);
        for row in 0..rows {
            for column in 0..columns {
                for channel in 0..shown {
                    let (mut sum, mut count) = (0.0, 0.0);
                    for y in row * step..((row + 1) * step).min(height) {
                        for x in column * step..((column + 1) * step).min(width) {
                            let value = pixels[(y * width + x) * channels + channel];
                            sum += if value.is_finite() { value } else { dark };
                            count += 1.0;
                        }
                    }
                    let share = (sum / count - dark) / (bright - dark);
                    // a cast saturates, and undefined becomes 0
                    bytes.push((255.0 * share).round() as u8);
                }
            }
        }
        Some(Self {
            width: columns,
            height: rows,
            channels: shown,
            bytes,
        })
    }

    /// The image as an address that needs no file.
    pub fn data_uri(&self) -> io::Result<String> {
        Ok(format!("data:image/png;base64,{}", base64(&self.png()?)))
    }

    fn png(&self) -> io::Result<Vec<u8>> {
        let size = |side: usize| u32::try_from(side).map_err(io::Error::other);
        let mut header = Vec::new();
        header.extend(size(self.width)?.to_be_bytes());
        header.extend(size(self.height)?.to_be_bytes());
        // 8 bits, grey or colour, deflate, filters by row, not interlaced
        header.extend([8, if self.channels == 3 { 2 } else { 0 }, 0, 0, 0]);
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        for row in self.bytes.chunks_exact(self.width * self.channels) {
            packed.write_all(&[0])?;
            packed.write_all(row)?;
        }
        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        for (name, content) in [
            (b"IHDR", header),
            (b"IDAT", packed.finish()?),
            (b"IEND", Vec::new()),
        ] {
            png.extend(size(content.len())?.to_be_bytes());
            let mut sum = Crc::new();
            sum.update(name);
            sum.update(&content);
            png.extend(name);
            png.extend(content);
            png.extend(sum.sum().to_be_bytes());
        }
        Ok(png)
    }
}

/// Base 64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            if place <= three.len() {
                let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
                text.push(char::from(letter));
            } else {
                text.push('=');
            }
        }
    }
    text
}
