//! The inputs of a network: rows of numbers, or images.

use crate::augment::{Augment, Moved};
use cronos::Table;
use rayon::prelude::*;

/// Rows of equal shape. The values of an image come pixel by pixel, all channels of a pixel
/// together.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// One row each.
    pub table: &'a dyn Table,
    /// Height, width and channels, if rows are images.
    pub image: Option<[usize; 3]>,
}

/// `(x − mean) / scale`, one pair for every value of a row, or for every channel of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Subtracted.
    pub mean: Vec<f32>,
    /// Divides what is left.
    pub scale: Vec<f32>,
}

impl Inputs<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }

    /// Number of values in a row.
    pub fn columns(&self) -> usize {
        self.table.columns()
    }

    /// How a row looks to a network: channels, height and width of an image, else its length.
    pub fn shape(&self) -> Vec<usize> {
        match self.image {
            Some([height, width, channels]) => vec![channels, height, width],
            None => vec![self.columns()],
        }
    }

    /// Mean and standard deviation of each value over all rows, of images over all pixels
    /// of a channel too. What never varies is only centred.
    pub fn standard(&self) -> Scale {
        let (columns, rows) = (self.columns(), self.rows());
        let kinds = self.image.map_or(columns, |[.., channels]| channels);
        // sums over blocks of rows, added in order
        const BLOCK: usize = 256;
        let parts: Vec<Vec<(f64, f64)>> = (0..rows.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut sums = vec![(0.0, 0.0); kinds];
                let mut values = vec![0.0; columns];
                for row in block * BLOCK..rows.min((block + 1) * BLOCK) {
                    self.table.read(row, 0, &mut values);
                    for values in values.chunks(kinds.max(1)) {
                        for ((sum, squares), value) in sums.iter_mut().zip(values) {
                            *sum += value;
                            *squares += value * value;
                        }
                    }
                }
                sums
            })
            .collect();
        let count = (rows * columns / kinds.max(1)).max(1) as f64;
        let kind = |at: usize| {
            let sum: f64 = parts.iter().map(|part| part[at].0).sum();
            let squares: f64 = parts.iter().map(|part| part[at].1).sum();
            let mean = sum / count;
            let deviation = (squares / count - mean * mean).max(0.0).sqrt();
            let varies = deviation > 1e-6 * mean.abs();
            (mean as f32, if varies { deviation as f32 } else { 1.0 })
        };
        let (mean, scale) = (0..kinds).map(kind).unzip();
        Scale { mean, scale }
    }

    /// The named rows, scaled and, if told so, each moved at random; of images channel by
    /// channel. The number tells the moves of two epochs apart.
    pub(crate) fn gather(
        &self,
        rows: &[usize],
        scale: &Scale,
        augment: Option<(Augment, u64)>,
        out: &mut Vec<f32>,
    ) {
        let columns = self.columns();
        out.resize(rows.len() * columns, 0.0);
        out.par_chunks_mut(columns.max(1)).zip(rows).for_each_init(
            || vec![0.0; columns],
            |values, (out, &row)| {
                self.table.read(row, 0, values);
                match self.image {
                    Some(image) => {
                        let moved = augment.map_or(Moved::default(), |(augment, epoch)| {
                            augment.draw(epoch, row as u64)
                        });
                        place(values, image, scale, moved, out);
                    }
                    None => {
                        let pairs = scale.mean.iter().zip(&scale.scale);
                        for ((out, value), (mean, scale)) in out.iter_mut().zip(values).zip(pairs) {
                            *out = (*value as f32 - mean) / scale;
                        }
                    }
                }
            },
        );
    }
}

/// An image, scaled and moved, channel by channel.
fn place(
    pixels: &[f64],
    [height, width, channels]: [usize; 3],
    scale: &Scale,
    moved: Moved,
    out: &mut [f32],
) {
    let columns: Vec<usize> = (0..width)
        .map(|j| moved.column(j, width) * channels)
        .collect();
    for (channel, plane) in out.chunks_mut(height * width).enumerate() {
        let (mean, factor) = (scale.mean[channel], 1.0 / scale.scale[channel]);
        let scaled = |value: f64| (value as f32 - mean) * factor;
        for (i, line) in plane.chunks_mut(width).enumerate() {
            let row = &pixels[moved.row(i, height) * width * channels..][..width * channels];
            match moved == Moved::default() {
                true => {
                    let values = row[channel..].iter().step_by(channels);
                    (line.iter_mut().zip(values)).for_each(|(out, &value)| *out = scaled(value));
                }
                false => {
                    let places = line.iter_mut().zip(&columns);
                    places.for_each(|(out, column)| *out = scaled(row[column + channel]));
                }
            }
        }
    }
}
