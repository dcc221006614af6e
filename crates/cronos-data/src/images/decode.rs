//! One image file: its size, and its pixels.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use image::error::ImageError;
use image::imageops::{self, FilterType};
use image::metadata::Orientation;
use image::{ColorType, DynamicImage, ImageBuffer, ImageDecoder, ImageReader, Limits, Pixel};

use super::frame::Frame;
use crate::error::DataError;

/// A file that is longer than this is no photograph.
const LONGEST_FILE: u64 = 256 << 20;
/// Bytes that one unpacked image may take: 170 megapixels in colour.
const LARGEST_IMAGE: u64 = 512 << 20;

/// What is known of an image before its pixels are.
pub(super) struct Header {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) gray: bool,
}

/// Reads the size of an image as it is shown, which is on its side for some cameras.
pub(super) fn header(path: &Path) -> Result<Header, DataError> {
    let mut decoder = open(path)?;
    let (width, height) = decoder.dimensions();
    let (width, height) = match orientation(&mut decoder) {
        Orientation::Rotate90
        | Orientation::Rotate270
        | Orientation::Rotate90FlipH
        | Orientation::Rotate270FlipH => (height, width),
        _ => (width, height),
    };
    let color = decoder.color_type();
    if decoder.total_bytes() > LARGEST_IMAGE {
        return Err(refuse(
            path,
            format!(
                "it declares {height}x{width} pixels, more than are read; make it smaller or \
                 remove it"
            ),
        ));
    }
    Ok(Header {
        height: height as usize,
        width: width as usize,
        gray: !color.has_color(),
    })
}

/// Draws an image into a frame that is black.
pub(super) fn draw(path: &Path, frame: Frame, pixels: &mut [u8]) -> Result<(), DataError> {
    let mut decoder = open(path)?;
    let orientation = orientation(&mut decoder);
    let (width, height) = decoder.dimensions();
    let as_it_is = match (decoder.color_type(), frame.channels) {
        (ColorType::L8, 1) | (ColorType::Rgb8, 3) => orientation == Orientation::NoTransforms,
        _ => false,
    };
    let damaged = |error| unreadable(path, error);
    if as_it_is && (height as usize, width as usize) == (frame.height, frame.width) {
        return decoder.read_image(pixels).map_err(damaged);
    }
    let mut image = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    image.apply_orientation(orientation);
    let image = on_black(image);
    match frame.channels {
        1 => place(image.into_luma8(), frame, pixels),
        _ => place(image.into_rgb8(), frame, pixels),
    }
    Ok(())
}

/// Opens an image of the kind that its content tells, whatever it is called.
fn open(path: &Path) -> Result<impl ImageDecoder, DataError> {
    let failed = |e| DataError::io("read", path.display(), e);
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(LONGEST_FILE)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.is_empty() {
        return Err(refuse(path, "it is empty; get it again or remove it"));
    }
    // The decoder fills the missing end of a JPEG with gray.
    if bytes.starts_with(&[0xff, 0xd8]) && !ends(&bytes) {
        return Err(refuse(
            path,
            "the image is cut off; get it again or remove it",
        ));
    }
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(failed)?;
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(LARGEST_IMAGE);
    reader.limits(limits);
    reader
        .into_decoder()
        .map_err(|error| unreadable(path, error))
}

/// Whether a JPEG has its end mark, behind the first scan: a small picture within the header
/// has one as well.
fn ends(bytes: &[u8]) -> bool {
    const SCAN: u8 = 0xda;
    const END: [u8; 2] = [0xff, 0xd9];
    let mut rest = &bytes[2..];
    // Segments are 0xff, a mark, and a length that counts its own two bytes.
    while let &[0xff, mark, ref after @ ..] = rest {
        match (mark, after) {
            (SCAN, _) => return after.windows(2).any(|two| two == END),
            (0xff, _) => rest = &rest[1..],
            (_, &[high, low, ..]) => {
                let length = usize::from(u16::from_be_bytes([high, low]));
                rest = after.get(length..).unwrap_or_default();
            }
            _ => return false,
        }
    }
    // Not as expected, so that the decoder is to judge it, if there is anything left.
    !rest.is_empty()
}

/// How the image is turned; one that does not say is not.
fn orientation(decoder: &mut impl ImageDecoder) -> Orientation {
    decoder.orientation().unwrap_or(Orientation::NoTransforms)
}

/// Lays an image that is transparent on black; 16 bits become 8.
fn on_black(image: DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return image;
    }
    let mut image = image.into_rgba8();
    for pixel in image.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        // c α / 255, rounded
        let shade = |color: u8| ((u16::from(color) * u16::from(alpha) + 127) / 255) as u8;
        pixel.0 = [shade(red), shade(green), shade(blue), u8::MAX];
    }
    DynamicImage::ImageRgba8(image)
}

/// Copies an image to its spot of a frame, shrunk or stretched if need be.
fn place<P>(image: ImageBuffer<P, Vec<u8>>, frame: Frame, pixels: &mut [u8])
where
    P: Pixel<Subpixel = u8> + 'static,
{
    let (width, height) = image.dimensions();
    let spot = frame.spot(height as usize, width as usize);
    let image = if (spot.height, spot.width) == (height as usize, width as usize) {
        image
    } else {
        // Each new pixel is a weighted mean of the old ones around it.
        let (width, height) = (spot.width as u32, spot.height as u32);
        imageops::resize(&image, width, height, FilterType::Triangle)
    };
    let length = spot.width * frame.channels;
    let rows = pixels
        .chunks_exact_mut(frame.width * frame.channels)
        .skip(spot.top);
    for (row, pixels) in rows.zip(image.as_raw().chunks_exact(length)) {
        row[spot.left * frame.channels..][..length].copy_from_slice(pixels);
    }
}

fn unreadable(path: &Path, error: ImageError) -> DataError {
    match error {
        ImageError::IoError(error) => DataError::reading(path.display(), error),
        ImageError::Unsupported(_) => refuse(
            path,
            "it is no JPEG or PNG image of a kind that can be read; convert it to PNG or remove it",
        ),
        ImageError::Limits(_) => refuse(
            path,
            "unpacked it would be larger than any that is read; make it smaller or remove it",
        ),
        error => refuse(
            path,
            format!("the image is damaged ({error}); get it again or remove it"),
        ),
    }
}

fn refuse(path: &Path, what: impl std::fmt::Display) -> DataError {
    DataError::content(path.display(), what)
}
