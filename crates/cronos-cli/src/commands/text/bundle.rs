//! What a saved model knows about its texts, and features for new ones.

use super::features::{Features, key};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output;
use cronos::{Model, Table, TextInput};
use cronos_data::{TargetColumn, TextOptions, Texts, read_texts};
use cronos_deep::language::{Pool, TextEncoder, Tfidf, TfidfSettings};
use std::path::PathBuf;

/// Texts that are encoded at a time.
const BATCH: usize = 32;

/// Texts for a model, with what they should be if `target` says where that is.
pub fn read(data: &str, text: Option<&String>, target: TargetColumn) -> Result<Texts, Failure> {
    let options = TextOptions {
        text: text.cloned(),
        target,
    };
    read_texts(data, &options).map_err(Failure::reading)
}

/// Features of texts as a model wants them; `moved` is where its encoder is now.
pub fn features(
    model: &Model,
    input: &TextInput,
    moved: Option<&PathBuf>,
    texts: &[String],
) -> Result<Box<dyn Table>, Failure> {
    match input {
        TextInput::Words {
            ngrams,
            lowercase,
            sublinear,
            idf,
        } => {
            if moved.is_some() {
                return Err(Failure::Usage(
                    "--encoder is not for this model, which counts words; leave it out".into(),
                ));
            }
            let settings = TfidfSettings {
                ngrams: *ngrams,
                lowercase: *lowercase,
                sublinear: *sublinear,
                ..TfidfSettings::default()
            };
            let terms = model.feature_names.clone();
            let words = Tfidf::from_parts(settings, terms, idf.clone())?;
            Ok(Box::new(words.encode(texts)?))
        }
        TextInput::Encoder {
            path,
            fingerprint,
            pool,
            max_length,
        } => {
            let stored = PathBuf::from(path);
            let place = moved.unwrap_or(&stored);
            if !place.exists() {
                return Err(Failure::Input(format!(
                    "the encoder of the model is not at {}; say where it is with --encoder",
                    place.display()
                )));
            }
            let key = key(place)?;
            if key != *fingerprint {
                output::remark(&format!(
                    "{} is not the encoder that the model was trained with, or was changed since",
                    place.display()
                ));
            }
            let pool: Pool = pool.parse().map_err(|error| {
                Failure::Input(format!("the model was written by a newer version: {error}"))
            })?;
            let features = Features {
                encoder: &TextEncoder::open(place)?,
                key: &key,
                pool,
                length: *max_length,
                batch: BATCH,
                cache: None,
            };
            features.table(texts, "texts", &Interrupt::listen()?)
        }
    }
}
