//! What a saved model knows about its texts, and features for new ones.

use super::features::{Features, key};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output;
use cronos::{Model, Table, TextInput};
use cronos_data::{TargetColumn, TextOptions, Texts, read_texts};
use cronos_deep::language::{Encoder, Pool};
use std::path::{Path, PathBuf};

/// Texts that are encoded at a time.
const BATCH: usize = 32;

/// Makes the description that a model keeps.
pub struct Description;

impl Description {
    pub fn of_encoder(folder: &Path, key: &str, pool: Pool, length: usize) -> TextInput {
        TextInput {
            encoder: folder.display().to_string(),
            fingerprint: key.into(),
            pool: pool.name().into(),
            max_length: length,
        }
    }
}

/// Texts for a model, with what they should be if `target` says where that is.
pub fn read(
    data: &str,
    text: Option<&String>,
    target: TargetColumn,
) -> Result<Texts, Failure> {
    let options = TextOptions {
        text: text.cloned(),
        target,
    };
    read_texts(data, &options).map_err(Failure::reading)
}

/// Features of texts as a model wants them; `folder` is where its encoder is now.
pub fn features(
    model: &Model,
    input: &TextInput,
    folder: Option<&PathBuf>,
    texts: &[String],
) -> Result<Box<dyn Table>, Failure> {
    let _ = model;
    let stored = PathBuf::from(&input.encoder);
    let folder = folder.unwrap_or(&stored);
    if !folder.is_dir() {
        return Err(Failure::Input(format!(
            "the encoder of the model is not at {}; say where it is with --encoder",
            folder.display()
        )));
    }
    let key = key(folder)?;
    if key != input.fingerprint {
        output::remark(&format!(
            "{} is not the encoder that the model was trained with, or was changed since",
            folder.display()
        ));
    }
    let pool: Pool = input.pool.parse().map_err(|error| {
        Failure::Input(format!("the model was written by a newer version: {error}"))
    })?;
    let encoder = Encoder::open(folder)?;
    let features = Features {
        encoder: &encoder,
        key: &key,
        pool,
        length: input.max_length,
        batch: BATCH,
        cache: None,
    };
    features.table(texts, "texts", &Interrupt::listen()?)
}
