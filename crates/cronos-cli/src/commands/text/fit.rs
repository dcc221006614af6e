//! `cronos text fit`

use super::features::{Features, cache, key};
use super::read::read;
use super::tune;
use crate::arguments::{Knobs, Setting, TextFit};
use crate::commands::checks::{check_holdout, start_threads};
use crate::commands::fit as tabular;
use crate::commands::job::{Encoded, Job};
use crate::commands::knobs;
use crate::commands::labelled::Truth;
use crate::commands::place;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output;
use cronos::{GateSource, Place, TextInput};
use cronos_deep::language::{TextEncoder, Tfidf, TfidfSettings};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

pub fn run(text: &TextFit) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let fit = &text.fit;
    tabular::check_outputs(fit)?;
    check_holdout(fit.source.holdout)?;
    tune::check(text)?;
    start_threads(fit.knobs.threads)?;
    let place = match &text.encoding.encoder {
        Some(folder) => place::of_encoder(&fit.knobs.device, folder)?,
        None => place::find(&fit.knobs.device)?,
    };
    let options = knobs::options(&solving(text, place)?, fit.source.seed)?;
    let interrupt = Interrupt::listen()?;
    let (train, test) = read(&fit.source, &text.encoding)?;
    let job = Job::of_texts(&fit.source, train, test, |train, truth, test| {
        match &text.encoding.encoder {
            Some(folder) => by_encoder(text, (folder, place), (train, truth), test, &interrupt),
            None => by_words(train, test),
        }
    })?;
    let work = tabular::Work {
        interrupt: &interrupt,
        kept: None,
        start,
    };
    tabular::learn(fit, job, &options, None, &work)
}

/// The knobs of the convex program: a device that is named for the encoder does not keep gates from
/// being learned, on the processor.
fn solving(text: &TextFit, place: Place) -> Result<Knobs, Failure> {
    let mut knobs = text.fit.knobs.clone();
    knobs.device = "cpu".into();
    if !matches!(knobs::gates(&knobs)?, GateSource::Learned { .. }) {
        knobs.device = place.to_string();
    } else if place != Place::Cpu {
        knobs.device_memory = None;
        let encoder = match text.encoding.encoder {
            Some(_) => "the encoder is on",
            None => "no encoder is given for",
        };
        output::remark(&format!(
            "{encoder} {place}; gates are learned on the processor, unless --gates fixes their number"
        ));
    }
    Ok(knobs)
}

/// Features by counting the words of the training texts.
fn by_words(train: &[String], test: Option<&[String]>) -> Result<Encoded, Failure> {
    let settings = TfidfSettings::default();
    let words = Tfidf::learn(train, settings.clone())?;
    Ok(Encoded {
        train: Box::new(words.encode(train)?),
        test: match test {
            Some(texts) => Some(Box::new(words.encode(texts)?)),
            None => None,
        },
        names: words.terms().to_vec(),
        text: TextInput::Words {
            ngrams: settings.ngrams,
            lowercase: settings.lowercase,
            sublinear: settings.sublinear,
            idf: words.idf().to_vec(),
        },
    })
}

/// Features by an encoder that others have trained, perhaps further trained here.
fn by_encoder(
    text: &TextFit,
    (folder, device): (&Path, Place),
    (train, truth): (&[String], &Truth),
    test: Option<&[String]>,
    interrupt: &Interrupt,
) -> Result<Encoded, Failure> {
    let mut encoder = TextEncoder::open(folder)?;
    encoder.to(device)?;
    let pool = text.encoding.pool.unwrap_or(encoder.usual_pool());
    let length = text.encoding.max_length;
    encoder.check(pool, length)?;
    let mut key = key(folder)?;
    let mut cache = cache(&text.encoding);
    let mut place = folder.to_owned();
    if text.setting != Setting::Frozen {
        let TextEncoder::Transformer(encoder) = &mut encoder else {
            return Err(Failure::Usage(
                "an ONNX file cannot be trained; use --setting frozen, or another encoder".into(),
            ));
        };
        tune::tune(text, encoder, pool, (train, truth), interrupt)?;
        // what is trained here and not saved is not met again
        match &text.save_encoder {
            Some(folder) => {
                encoder.save(folder)?;
                key = super::features::key(folder)?;
                place = folder.clone();
            }
            None => cache = None,
        }
    }
    let features = Features {
        encoder: &encoder,
        key: &key,
        pool,
        length,
        batch: text.batch,
        cache: cache.as_deref(),
    };
    features.encoded(&place, train, test, interrupt)
}
