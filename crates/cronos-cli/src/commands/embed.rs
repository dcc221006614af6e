//! `cronos embed`

mod images;

use super::checks::start_threads;
use super::place;
use super::text::features::{Features, cache, key};
use super::text::sample::sample;
use crate::arguments::Embed;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::{model_file, output};
use cronos_data::{
    Dataset, FeatureFile, Target, TargetColumn, TextOptions, holds_texts, read_texts,
};
use cronos_deep::language::{TextEncoder, is_onnx};
use serde_json::json;
use std::process::ExitCode;
use std::time::Instant;

pub fn run(embed: &Embed) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    for path in [Some(&embed.out), embed.targets.as_ref()]
        .into_iter()
        .flatten()
    {
        model_file::check_writable(path, embed.force)?;
    }
    start_threads(embed.threads)?;
    let interrupt = Interrupt::listen()?;
    let Some(folder) = &embed.encoding.encoder else {
        return Err(Failure::Usage(
            "--encoder is missing; name the folder of an encoder".into(),
        ));
    };
    let place = place::of_encoder(&embed.device, folder)?;
    if is_onnx(folder) && !holds_texts(&embed.data) {
        return images::run(embed, folder, &interrupt, start);
    }
    let options = TextOptions {
        text: embed.encoding.text.clone(),
        target: match (&embed.targets, &embed.target) {
            (None, _) => TargetColumn::Absent,
            (_, Some(name)) => TargetColumn::Named(name.clone()),
            (_, None) => TargetColumn::Auto,
        },
    };
    let texts = read_texts(&embed.data, &options).map_err(Failure::reading)?;
    let texts = sample(texts, embed.encoding.sample, embed.seed)?;
    let mut encoder = TextEncoder::open(folder)?;
    encoder.to(place)?;
    let pool = embed.encoding.pool.unwrap_or(encoder.usual_pool());
    encoder.check(pool, embed.encoding.max_length)?;
    let (key, cache) = (key(folder)?, cache(&embed.encoding));
    let features = Features {
        encoder: &encoder,
        key: &key,
        pool,
        length: embed.encoding.max_length,
        batch: embed.batch,
        cache: cache.as_deref(),
    };
    if let Some(path) = &embed.targets {
        write_targets(path, &texts.data)?;
    }
    let loaded = Instant::now();
    let known = features.kept(&texts.texts);
    match &known {
        Some(file) if file.is_file() => {}
        Some(file) => features.write(&texts.texts, file, "texts", &interrupt)?,
        None => features.write(&texts.texts, &embed.out, "texts", &interrupt)?,
    }
    let encoding = loaded.elapsed().as_secs_f64();
    if let Some(file) = &known {
        let copied = std::fs::read(file).map_err(|error| {
            Failure::Work(format!("{} cannot be read: {error}", file.display()))
        })?;
        model_file::write(&embed.out, &copied, embed.force)?;
    }
    let made = Made {
        rows: texts.texts.len(),
        what: "texts",
        columns: features.columns(),
        key,
        seconds: [start.elapsed().as_secs_f64(), encoding],
    };
    made.report(embed)
}

/// What was written.
struct Made {
    rows: usize,
    what: &'static str,
    columns: usize,
    /// Tells the encoder from others.
    key: String,
    /// In all, and for encoding.
    seconds: [f64; 2],
}

impl Made {
    fn report(self, embed: &Embed) -> Result<ExitCode, Failure> {
        let (out, [total, encoding]) = (embed.out.display().to_string(), self.seconds);
        if embed.json {
            output::print_json(&json!({
                "rows": self.rows,
                "features": self.columns,
                "encoder": self.key,
                "out": out,
                "seconds": {"total": total, "encoding": encoding},
                "peak_memory_bytes": crate::memory::peak_bytes(),
            }))?;
        } else {
            let (rows, what, columns) = (self.rows, self.what, self.columns);
            let line = format!("{rows} {what}, {columns} features each, {total:.1} s: {out}\n");
            output::print(&line)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The targets as numbers: those of a regression as they are, classes by their index.
fn write_targets(path: &std::path::Path, data: &Dataset) -> Result<(), Failure> {
    let values: Vec<f32> = match &data.target {
        None => {
            return Err(Failure::Input(format!(
                "{} has no target; name one with --target, or leave --targets out",
                data.name
            )));
        }
        Some(Target::Numbers { values, .. }) => values.iter().map(|&value| value as f32).collect(),
        Some(Target::Text(_)) => {
            let labels = data.labels().map_err(Failure::reading)?;
            output::remark(&format!(
                "the classes are written as numbers from 0: {}",
                labels.classes.join(", ")
            ));
            labels.indices.iter().map(|&class| class as f32).collect()
        }
    };
    let open = FeatureFile::open(path, values.len(), 1, &data.fingerprint());
    let mut file = open.map_err(Failure::writing)?;
    file.append(&values[file.done()..])
        .map_err(Failure::writing)?;
    file.finish().map_err(Failure::writing)
}
