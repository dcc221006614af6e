//! Images through an ONNX model.

use super::{Encoded, Entries, Feed, OnnxEncoder, Port, refused};
use cronos::Error;

/// Images of a run, if the model takes any number.
const AT_ONCE: usize = 16;
/// Height and width of an image.
const LONGEST: usize = 1 << 14;

/// What a model expects of a pixel from 0 to 255.
#[derive(Clone, Debug, PartialEq)]
pub enum PixelScale {
    /// x / 255
    Unit,
    /// x / 127.5 − 1
    Symmetric,
    /// (x / 255 − mean) / deviation, with those of ImageNet for red, green and blue.
    ImageNet,
    /// (x − mean) / deviation, of each channel.
    Channels {
        /// What is subtracted.
        mean: Vec<f32>,
        /// What divides.
        deviation: Vec<f32>,
    },
}

impl PixelScale {
    /// For each channel what is subtracted and what divides.
    fn terms(&self, channels: usize) -> Result<Vec<(f32, f32)>, Error> {
        let imagenet = [
            (0.485 * 255.0, 0.229 * 255.0),
            (0.456 * 255.0, 0.224 * 255.0),
            (0.406 * 255.0, 0.225 * 255.0),
        ];
        let terms: Vec<(f32, f32)> = match self {
            Self::Unit => vec![(0.0, 255.0); channels],
            Self::Symmetric => vec![(127.5, 127.5); channels],
            Self::ImageNet => imagenet.to_vec(),
            Self::Channels { mean, deviation } => {
                if mean.len() != deviation.len() {
                    return Err(Error::Shape {
                        what: "scale of the pixels",
                        expected: format!("{} deviations", mean.len()),
                        found: deviation.len().to_string(),
                    });
                }
                let pairs = mean.iter().zip(deviation);
                pairs.map(|(&mean, &by)| (mean, by)).collect()
            }
        };
        if terms.len() != channels {
            return Err(Error::Shape {
                what: "scale of the pixels",
                expected: format!("one for each of {channels} channels"),
                found: format!("{} channels", terms.len()),
            });
        }
        let good = |(mean, by): &(f32, f32)| mean.is_finite() && by.is_finite() && *by > 0.0;
        if terms.iter().all(good) {
            return Ok(terms);
        }
        Err(Error::Setting {
            name: "scale of the pixels",
            value: format!("{terms:?}"),
            expected: "finite, with deviations above 0",
        })
    }
}

/// Where the channels stand in the input of a model.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    ChannelsFirst,
    ChannelsLast,
}

impl OnnxEncoder {
    /// The features of `count` images, count x width, whatever the shape of the output. The
    /// pixels are image by image, row by row, with the channels of a pixel beside each other,
    /// as [height, width, channels] says.
    pub fn encode_images(
        &self,
        pixels: &[u8],
        count: usize,
        [height, width, channels]: [usize; 3],
        scale: &PixelScale,
    ) -> Result<Encoded, Error> {
        let size = [height, width, channels];
        let terms = scale.terms(channels)?;
        if size.contains(&0) || height.max(width) > LONGEST || channels > 4 || count == 0 {
            return Err(Error::Shape {
                what: "images",
                expected: format!("1 or more, of at most {LONGEST} x {LONGEST} pixels"),
                found: format!("{count} of {size:?}"),
            });
        }
        // at most 2^14 · 2^14 · 2^2
        let each = height * width * channels;
        if count.checked_mul(each) != Some(pixels.len()) {
            return Err(Error::Shape {
                what: "images",
                expected: format!("{count} images of {each} bytes"),
                found: format!("{} bytes", pixels.len()),
            });
        }
        let (order, batch) = self.image_input(size)?;
        let batch = batch.unwrap_or(AT_ONCE.min(count));
        if batch
            .checked_mul(each)
            .is_none_or(|entries| entries > 1 << 28)
        {
            return Err(refused(
                &self.path,
                &format!("takes {batch} images at once; export it with a free batch"),
            ));
        }
        let shape = match order {
            Order::ChannelsFirst => vec![batch, channels, height, width],
            Order::ChannelsLast => vec![batch, height, width, channels],
        };
        let mut all = Encoded::default();
        for part in pixels.chunks(batch * each) {
            // images that are not there are 0
            let mut values = vec![0.0; batch * each];
            for (image, values) in part.chunks_exact(each).zip(values.chunks_exact_mut(each)) {
                arrange(image, values, &terms, order);
            }
            let feeds = vec![(0, shape.clone(), Feed::Reals(values))];
            let mut encoded = self.run(feeds, batch)?;
            encoded.shape = vec![batch, encoded.values.len() / batch];
            self.append(&mut all, encoded, part.len() / each)?;
        }
        Ok(all)
    }

    /// Where the model wants the channels, and how many images if it takes only so many.
    fn image_input(&self, size: [usize; 3]) -> Result<(Order, Option<usize>), Error> {
        let [input] = &self.inputs[..] else {
            let names: Vec<&str> = self.inputs.iter().map(|input| &input.name[..]).collect();
            return Err(refused(
                &self.path,
                &format!(
                    "has the inputs {}; a model for images has one",
                    names.join(", ")
                ),
            ));
        };
        let unfit = || {
            let Port { name, .. } = input;
            refused(
                &self.path,
                &format!(
                    "takes input `{name}` of shape {} in real numbers, which images of height, \
                     width and channels {size:?} do not fit; resize them or convert their colours",
                    input.shape_text()
                ),
            )
        };
        if input.entries != Entries::Reals {
            return Err(refused(
                &self.path,
                &format!(
                    "does not take real numbers in input `{}`; export it for pixels in single \
                     precision",
                    input.name
                ),
            ));
        }
        let Some(shape) = &input.shape else {
            return Ok((Order::ChannelsFirst, None));
        };
        let &[batch, a, b, c] = &shape[..] else {
            return Err(unfit());
        };
        let [height, width, channels] = size;
        let fits = |shape: [Option<usize>; 3], size: [usize; 3]| {
            let pairs = shape.iter().zip(size);
            pairs
                .into_iter()
                .all(|(s, size)| s.is_none_or(|s| s == size))
        };
        // a shape that fits both ways says nothing: most models have the channels first
        let order = if fits([a, b, c], [channels, height, width]) {
            Order::ChannelsFirst
        } else if fits([a, b, c], size) {
            Order::ChannelsLast
        } else {
            return Err(unfit());
        };
        Ok((order, batch))
    }
}

/// The pixels of an image in the order of the model, scaled.
fn arrange(image: &[u8], values: &mut [f32], terms: &[(f32, f32)], order: Order) {
    let channels = terms.len();
    let place = image.len() / channels;
    for (at, pixel) in image.chunks_exact(channels).enumerate() {
        for (channel, (&x, &(mean, by))) in pixel.iter().zip(terms).enumerate() {
            let to = match order {
                Order::ChannelsFirst => channel * place + at,
                Order::ChannelsLast => at * channels + channel,
            };
            // (x − mean) / deviation
            values[to] = (f32::from(x) - mean) / by;
        }
    }
}
