//! `cronos text fit`

use super::features::{Features, cache, key};
use super::sample::sample;
use super::tune;
use crate::arguments::{Setting, Source, TextFit};
use crate::commands::checks::{check_holdout, start_threads};
use crate::commands::fit as tabular;
use crate::commands::job::{Encoded, Job};
use crate::commands::knobs;
use crate::commands::labelled::{Truth, target_column};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output;
use cronos::TextInput;
use cronos_data::{TextOptions, Texts, read_texts};
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
    let options = knobs::options(&fit.knobs, fit.source.seed)?;
    let interrupt = Interrupt::listen()?;
    let (train, test) = read(text)?;
    let job = Job::of_texts(&fit.source, train, test, |train, truth, test| {
        match &text.encoding.encoder {
            Some(folder) => by_encoder(text, folder, (train, truth), test, &interrupt),
            None => by_words(train, test),
        }
    })?;
    tabular::learn(fit, job, &options, None, &interrupt, start)
}

/// The texts to train on, and those to test on if they come from a file of their own.
fn read(text: &TextFit) -> Result<(Texts, Option<Texts>), Failure> {
    let source = &text.fit.source;
    refuse(source)?;
    let options = |target: Option<&String>| TextOptions {
        text: text.encoding.text.clone(),
        target: target_column(target),
    };
    let read = |path: &str, target: Option<&String>| {
        read_texts(path, &options(target)).map_err(Failure::reading)
    };
    let train = read(&source.data, source.target.as_ref())?;
    let named = source.test_target.as_ref().or(source.target.as_ref());
    let test = match &source.test {
        Some(path) => Some(read(path, named)?),
        None => None,
    };
    let some = |texts| sample(texts, text.encoding.sample, source.seed);
    Ok((some(train)?, test.map(some).transpose()?))
}

/// Options that make no sense for texts.
fn refuse(source: &Source) -> Result<(), Failure> {
    for (option, given) in [
        ("--drop", !source.drop.is_empty()),
        ("--impute", source.impute.is_some()),
        ("--keep-index", source.keep_index),
        ("--weight-column", source.weight_column.is_some()),
    ] {
        if given {
            return Err(Failure::Usage(format!(
                "{option} is not for texts; leave it out"
            )));
        }
    }
    Ok(())
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
    folder: &Path,
    (train, truth): (&[String], &Truth),
    test: Option<&[String]>,
    interrupt: &Interrupt,
) -> Result<Encoded, Failure> {
    let mut encoder = TextEncoder::open(folder)?;
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
        batch: text.encoding.batch,
        cache: cache.as_deref(),
    };
    let names = (0..features.columns()).map(|at| format!("x{at}")).collect();
    if let Some(folder) = &cache {
        output::remark(&format!("features are kept in {}", folder.display()));
    }
    let place = std::path::absolute(&place).unwrap_or(place);
    Ok(Encoded {
        train: features.table(train, "training texts", interrupt)?,
        test: match test {
            Some(texts) => Some(features.table(texts, "test texts", interrupt)?),
            None => None,
        },
        names,
        text: TextInput::Encoder {
            path: place.display().to_string(),
            fingerprint: key,
            pool: pool.name().into(),
            max_length: length,
        },
    })
}
