//! A published transformer with its tokenizer.

use super::from_gguf;
use super::pool::Pool;
use super::there::There;
use super::tokens::Tokens;
use super::transformer::{Batch, Family, Transformer};
use super::weights::save;
use cronos::Error;
use std::path::Path;

/// Texts in, features out.
#[derive(Clone, Debug)]
pub struct Encoder {
    pub(super) transformer: Transformer,
    pub(super) parameters: Vec<f32>,
    pub(super) tokens: Tokens,
    /// The layers on a device, if they are on one.
    pub(super) there: Option<There>,
}

impl Encoder {
    /// Reads a folder with `config.json`, the tokenizer and the weights as safetensors, or a
    /// GGUF file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if from_gguf::is_one(path) {
            return from_gguf::open(path);
        }
        if !path.is_dir() {
            return Err(Error::Format(format!(
                "{} is no encoder; give a folder with config.json, tokenizer.json and \
                 model.safetensors, or a .gguf file",
                path.display()
            )));
        }
        let (transformer, parameters) = Transformer::open(path)?;
        let tokens = Tokens::open(path)?;
        Self::new(transformer, parameters, tokens)
    }

    /// Parts that fit together.
    pub fn new(
        transformer: Transformer,
        parameters: Vec<f32>,
        tokens: Tokens,
    ) -> Result<Self, Error> {
        if parameters.len() != transformer.parameters() {
            return Err(Error::Shape {
                what: "parameters of the transformer",
                expected: transformer.parameters().to_string(),
                found: parameters.len().to_string(),
            });
        }
        Ok(Self {
            transformer,
            parameters,
            tokens,
            there: None,
        })
    }

    /// The layers.
    pub fn transformer(&self) -> &Transformer {
        &self.transformer
    }

    /// The weights.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Tokens {
        &self.tokens
    }

    /// What stands for a text if nothing else is said.
    pub fn usual_pool(&self) -> Pool {
        Pool::Mean
    }

    /// Refuses a length that the transformer has no positions for, or that leaves no room.
    pub fn check_length(&self, length: usize) -> Result<(), Error> {
        let config = self.transformer.config();
        // BERT marks the beginning and the end of a text
        let least = if config.family == Family::Bert { 3 } else { 1 };
        if (least..=config.positions).contains(&length) {
            return Ok(());
        }
        Err(Error::Data(format!(
            "a length of {length} tokens is not between {least} and {}, which is all that this \
             encoder has positions for; give another --max-length",
            config.positions
        )))
    }

    /// The tokens of each text, `most` at most. A text without any is refused.
    pub fn cut(&self, texts: &[&str], most: usize) -> Result<Vec<Vec<u32>>, Error> {
        self.check_length(most)?;
        let all = self.tokens.cut(texts, most)?;
        let vocabulary = self.transformer.config().vocabulary;
        for tokens in &all {
            if let Some(token) = tokens.iter().find(|&&token| token as usize >= vocabulary) {
                return Err(Error::Format(format!(
                    "the tokenizer knows a token {token}, but the transformer only {vocabulary}; \
                     get both from the same model"
                )));
            }
        }
        Ok(all)
    }

    /// A batch of texts as a pooling needs it: filled up, if all tokens are kept.
    pub fn batch(&self, texts: &[Vec<u32>], pool: Pool, length: usize) -> Result<Batch, Error> {
        let texts = texts.iter().map(Vec::as_slice);
        match pool {
            Pool::Flat => Batch::filled(texts, length, self.filler()),
            _ => Batch::new(texts),
        }
    }

    /// What fills up short texts.
    pub(super) fn filler(&self) -> u32 {
        self.transformer.config().end.unwrap_or(0)
    }

    /// A row of features for each text.
    pub fn features(
        &self,
        texts: &[Vec<u32>],
        pool: Pool,
        length: usize,
    ) -> Result<Vec<f32>, Error> {
        if let Some(there) = &self.there {
            return there.features(&self.batches().of(texts, pool, length)?, pool);
        }
        let batch = self.batch(texts, pool, length)?;
        let states = self.transformer.states(&self.parameters, &batch);
        let width = self.transformer.config().width;
        let mut out = Vec::with_capacity(texts.len() * pool.features(width, length));
        pool.apply(&batch, &states, width, &mut out);
        Ok(out)
    }

    /// Writes the encoder as a folder that [`open`](Self::open) and other programs read.
    pub fn save(&self, folder: &Path) -> Result<(), Error> {
        let failed = |error: &dyn std::fmt::Display| {
            Error::Format(format!("{} cannot be written: {error}", folder.display()))
        };
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        let config = self.transformer.config().to_json();
        let texts = [
            ("config.json", config),
            ("tokenizer.json", self.tokens.to_json()?),
        ];
        for (name, text) in texts {
            std::fs::write(folder.join(name), text).map_err(|error| failed(&error))?;
        }
        // the weights last: without them there is no encoder
        let part = folder.join(".model.safetensors.part");
        save(&self.transformer, &self.parameters, &part)?;
        let whole = folder.join("model.safetensors");
        std::fs::rename(part, whole).map_err(|error| failed(&error))
    }
}
