//! `cronos text compare`

use super::features::{Features, cache, key};
use super::read::read;
use crate::arguments::{BATCH, TextCompare};
use crate::commands::compare;
use crate::commands::job::Job;
use crate::commands::place;
use crate::failure::Failure;
use cronos_deep::Architecture;
use cronos_deep::language::TextEncoder;
use std::process::ExitCode;

pub fn run(text: &TextCompare) -> Result<ExitCode, Failure> {
    let TextCompare { compare, encoding } = text;
    let source = &compare.network.source;
    let folder = &encoding.encoder.clone().unwrap_or_default();
    if let arch @ (Architecture::Cnn(_) | Architecture::Residual(_)) = &compare.network.arch {
        return Err(Failure::Usage(format!(
            "{arch} is for images; for features of texts use none, linear or mlp"
        )));
    }
    compare::with(compare, |interrupt| {
        let (train, test) = read(source, encoding)?;
        let job = Job::of_texts(source, train, test, |train, _, test| {
            let mut encoder = TextEncoder::open(folder)?;
            encoder.to(place::of_encoder(&compare.network.device, folder)?)?;
            let cache = cache(encoding);
            let features = Features {
                key: &key(folder)?,
                pool: encoding.pool.unwrap_or(encoder.usual_pool()),
                encoder: &encoder,
                length: encoding.max_length,
                batch: BATCH,
                cache: cache.as_deref(),
            };
            encoder.check(features.pool, features.length)?;
            features.encoded(folder, train, test, interrupt)
        })?;
        Ok((job, None))
    })
}
