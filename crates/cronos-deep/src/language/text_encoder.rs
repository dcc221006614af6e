//! Any encoder of texts: a transformer, or an ONNX file beside its tokenizer.

use super::encoder::Encoder;
use super::onnx::OnnxEncoder;
use super::pool::Pool;
use super::tokens::Tokens;
use super::transformer::Batch;
use cronos::{Error, Place};
use std::path::Path;

/// Texts in, features out.
pub enum TextEncoder {
    /// Layers of this crate, which can be trained further.
    Transformer(Box<Encoder>),
    /// A file that is run as it is.
    Onnx(Box<OnnxTexts>),
}

/// An ONNX file for texts.
pub struct OnnxTexts {
    encoder: OnnxEncoder,
    tokens: Tokens,
    /// What comes out for a text of one token.
    shape: Vec<usize>,
}

/// Whether a path names an ONNX file.
pub fn is_onnx(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("onnx"))
}

impl TextEncoder {
    /// Reads an encoder as [`Encoder::open`] does, or an `.onnx` file with its tokenizer beside
    /// it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if !is_onnx(path) {
            return Ok(Self::Transformer(Box::new(Encoder::open(path)?)));
        }
        let encoder = OnnxEncoder::open(path)?;
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let tokens = Tokens::open(folder.unwrap_or(Path::new(".")))?;
        let tried = encoder.encode_tokens(&tokens.encode(&["a"], usize::MAX)?)?;
        match tried.shape.len() {
            2 | 3 => Ok(Self::Onnx(Box::new(OnnxTexts {
                encoder,
                tokens,
                shape: tried.shape,
            }))),
            _ => Err(Error::Format(format!(
                "{}: what comes out has the shape {:?}; texts x width or texts x tokens x width is \
                 expected; export the model with such an output",
                path.display(),
                tried.shape
            ))),
        }
    }

    /// Encodes and is trained on a device from now on; ONNX files only run on the processor.
    pub fn to(&mut self, place: Place) -> Result<(), Error> {
        match self {
            Self::Transformer(encoder) => encoder.to(place),
            Self::Onnx(_) if place == Place::Cpu => Ok(()),
            Self::Onnx(_) => Err(Error::Device(format!(
                "ONNX files are run by the processor, not by {place}"
            ))),
        }
    }

    /// Where it encodes.
    pub fn place(&self) -> Place {
        match self {
            Self::Transformer(encoder) => encoder.place(),
            Self::Onnx(_) => Place::Cpu,
        }
    }

    /// What stands for a text if nothing else is said.
    pub fn usual_pool(&self) -> Pool {
        match self {
            Self::Transformer(encoder) => encoder.usual_pool(),
            Self::Onnx(_) => Pool::Mean,
        }
    }

    /// Refuses a length or a pooling that the encoder has not.
    pub fn check(&self, pool: Pool, length: usize) -> Result<(), Error> {
        match self {
            Self::Transformer(encoder) => encoder.check_length(length),
            Self::Onnx(_) if pool == Pool::Flat => Err(Error::Data(
                "flat pooling is not for ONNX files, whose texts have different lengths; use mean, \
                 first or last"
                    .into(),
            )),
            Self::Onnx(_) => Ok(()),
        }
    }

    /// Numbers that stand for a text.
    pub fn columns(&self, pool: Pool, length: usize) -> usize {
        match self {
            Self::Transformer(encoder) => {
                pool.features(encoder.transformer().config().width, length)
            }
            Self::Onnx(texts) => texts.shape.last().copied().unwrap_or(0),
        }
    }

    /// The tokens of each text, `most` at most. A text without any is refused.
    pub fn cut(&self, texts: &[&str], most: usize) -> Result<Vec<Vec<u32>>, Error> {
        match self {
            Self::Transformer(encoder) => encoder.cut(texts, most),
            Self::Onnx(own) => own.tokens.cut(texts, most),
        }
    }

    /// A row of features for each text.
    pub fn features(
        &self,
        texts: &[Vec<u32>],
        pool: Pool,
        length: usize,
    ) -> Result<Vec<f32>, Error> {
        let own = match self {
            Self::Transformer(encoder) => return encoder.features(texts, pool, length),
            Self::Onnx(own) => own,
        };
        let encoded = own.encoder.encode_tokens(texts)?;
        match encoded.shape[..] {
            // pooled by the model itself
            [_, _] => Ok(encoded.values),
            [_, tokens, width] => {
                let batch = Batch::filled(texts.iter().map(Vec::as_slice), tokens, 0)?;
                let mut out = Vec::with_capacity(texts.len() * width);
                pool.apply(&batch, &encoded.values, width, &mut out);
                Ok(out)
            }
            _ => Err(Error::Format(format!(
                "the ONNX file gave the shape {:?}, other than before",
                encoded.shape
            ))),
        }
    }
}
