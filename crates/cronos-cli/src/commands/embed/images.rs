//! Features of images by an ONNX file.

use super::{Made, write_targets};
use crate::arguments::Embed;
use crate::commands::text::features::key;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Bar;
use cronos_data::{
    Dataset, FeatureFile, Fingerprint, ImageFit, ImageOptions, ReadOptions, TargetColumn, Values,
};
use cronos_deep::language::onnx::{OnnxEncoder, PixelScale};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

pub fn run(
    embed: &Embed,
    path: &Path,
    interrupt: &Interrupt,
    start: Instant,
) -> Result<ExitCode, Failure> {
    let encoder = OnnxEncoder::open(path)?;
    let scale = scale(&embed.pixels)?;
    let data = read(embed, &encoder)?;
    let Some((height, width, channels)) = data.image_shape else {
        return Err(Failure::Input(format!(
            "{} holds no images; give a folder of them, or texts in a .jsonl, .csv, .tsv, .txt or \
             .parquet file",
            data.name
        )));
    };
    if let Some(targets) = &embed.targets {
        write_targets(targets, &data)?;
    }
    let Values::Bytes(pixels) = &data.features.values else {
        return Err(Failure::Input(format!(
            "the pixels of {} are no bytes; give images with values from 0 to 255",
            data.name
        )));
    };
    let (rows, each) = (data.features.rows, data.features.columns);
    let shape = [height, width, channels];
    let encode = |first: usize, count: usize| {
        encoder.encode_images(
            &pixels[first * each..][..count * each],
            count,
            shape,
            &scale,
        )
    };
    let loaded = Instant::now();
    // an image shows how many features there are
    let columns = encode(0, 1)?.values.len();
    let key = key(path)?;
    // features of other pixels are others
    let mut content = Fingerprint::new();
    for text in [&key, &embed.pixels, &data.fingerprint()] {
        content.text(text);
    }
    let part = content.digits();
    let open = FeatureFile::open(&embed.out, rows, columns, &part);
    let mut file = open.map_err(Failure::writing)?;
    if file.done() > 0 {
        output::remark(&format!(
            "{} of {rows} images were encoded before",
            file.done()
        ));
    }
    let bar = Bar::new(rows, "images");
    while file.done() < rows {
        if interrupt.asked() {
            bar.finish();
            return Err(Failure::Interrupted(
                "interrupted while encoding; what is done is kept, run the same again to go on"
                    .into(),
            ));
        }
        let count = embed.batch.min(rows - file.done());
        let features = encode(file.done(), count)?;
        file.append(&features.values).map_err(Failure::writing)?;
        bar.set(file.done());
    }
    bar.finish();
    file.finish().map_err(Failure::writing)?;
    let made = Made {
        rows,
        what: "images",
        columns,
        key,
        seconds: [
            start.elapsed().as_secs_f64(),
            loaded.elapsed().as_secs_f64(),
        ],
    };
    made.report(embed)
}

/// The images, brought to the size that the encoder was exported for, or to one that is given.
fn read(embed: &Embed, encoder: &OnnxEncoder) -> Result<Dataset, Failure> {
    let fixed = encoder.inputs().first().and_then(|input| {
        let &[_, a, b, c] = &input.shape.as_deref()? else {
            return None;
        };
        // channels stand first or last
        match (a, b, c) {
            (Some(1 | 3), Some(height), Some(width)) => Some((*height, *width)),
            (Some(height), Some(width), Some(1 | 3)) => Some((*height, *width)),
            _ => None,
        }
    });
    let given = embed.images.options();
    let options = ReadOptions {
        target: TargetColumn::Auto,
        images: ImageOptions {
            size: given.size.or(fixed),
            fit: given.fit.or(fixed.map(|_| ImageFit::Resize)),
            channels: Some(3),
            ..given
        },
        ..ReadOptions::default()
    };
    let read = cronos_data::read(&embed.data, &options);
    Ok(read.map_err(Failure::reading)?.train)
}

/// `unit`, `symmetric`, `imagenet`, or a mean and what divides, as `127/128`.
fn scale(text: &str) -> Result<PixelScale, Failure> {
    match text {
        "unit" => return Ok(PixelScale::Unit),
        "symmetric" => return Ok(PixelScale::Symmetric),
        "imagenet" => return Ok(PixelScale::ImageNet),
        _ => {}
    }
    let numbers = text.split_once('/').and_then(|(mean, by)| {
        let number = |text: &str| text.trim().parse::<f32>().ok();
        number(mean).zip(number(by).filter(|by| *by > 0.0))
    });
    match numbers {
        Some((mean, by)) => Ok(PixelScale::Channels {
            mean: vec![mean; 3],
            deviation: vec![by; 3],
        }),
        None => Err(Failure::Usage(format!(
            "--pixels {text}: give unit, symmetric, imagenet, or a mean and what divides, as 127/128"
        ))),
    }
}
