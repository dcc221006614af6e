//! From a text to its tokens.

use cronos::Error;
use std::path::Path;
use tokenizers::models::bpe::BPE;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::utils::truncation::TruncationParams;
use tokenizers::{AddedToken, Tokenizer};

/// The token that ends a text in GPT-2.
const END: &str = "<|endoftext|>";

/// Pairs of files that hold a byte-level vocabulary: the tokens, and the pairs that are joined.
const PAIRS: [(&str, &str); 2] = [("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe")];

/// Texts that are cut into tokens at a time.
const PART: usize = 1024;

/// Cuts texts into tokens.
#[derive(Clone, Debug)]
pub struct Tokens {
    tokenizer: Tokenizer,
}

impl Tokens {
    /// Reads `tokenizer.json`, or `vocab.json` and `merges.txt`, from a folder.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let file = folder.join("tokenizer.json");
        if file.is_file() {
            let tokenizer = Tokenizer::from_file(&file);
            return Ok(Self::of(tokenizer.map_err(|error| refused(&file, error))?));
        }
        for (tokens, pairs) in PAIRS {
            let (tokens, pairs) = (folder.join(tokens), folder.join(pairs));
            if tokens.is_file() && pairs.is_file() {
                return Self::byte_level(&tokens, &pairs);
            }
        }
        Err(Error::Format(format!(
            "{} has no tokenizer.json and no vocab.json with merges.txt; put the tokenizer of the \
             model beside its weights",
            folder.display()
        )))
    }

    /// A tokenizer as it is, but for cutting and filling up.
    pub fn of(mut tokenizer: Tokenizer) -> Self {
        tokenizer.with_padding(None);
        Self { tokenizer }
    }

    /// The byte-level pairs of GPT-2.
    fn byte_level(tokens: &Path, pairs: &Path) -> Result<Self, Error> {
        let [Some(vocabulary), Some(merges)] = [tokens.to_str(), pairs.to_str()] else {
            return Err(refused(tokens, "the path is not valid UTF-8"));
        };
        let bpe = BPE::from_file(vocabulary, merges).build();
        let mut tokenizer = Tokenizer::new(bpe.map_err(|error| refused(tokens, error))?);
        tokenizer.with_pre_tokenizer(Some(ByteLevel::new(false, true, true)));
        tokenizer.with_decoder(Some(ByteLevel::default()));
        if tokenizer.token_to_id(END).is_some() {
            tokenizer.add_special_tokens(&[AddedToken::from(END, true)]);
        }
        Ok(Self::of(tokenizer))
    }

    /// As the text of a `tokenizer.json`.
    pub fn to_json(&self) -> Result<String, Error> {
        let text = self.tokenizer.to_string(true);
        text.map_err(|error| Error::Format(format!("the tokenizer cannot be written: {error}")))
    }

    /// Number of tokens that there are.
    pub fn vocabulary(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// The number of a token, if there is one of this name.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// The tokens of each text, `most` of them at most; those that mark the beginning and the
    /// end of a text stay.
    pub fn encode(&self, texts: &[&str], most: usize) -> Result<Vec<Vec<u32>>, Error> {
        let failed = |error| Error::Data(format!("a text cannot be cut into tokens: {error}"));
        let mut tokenizer = self.tokenizer.clone();
        let cut = TruncationParams {
            max_length: most,
            ..TruncationParams::default()
        };
        tokenizer.with_truncation(Some(cut)).map_err(failed)?;
        let mut all = Vec::with_capacity(texts.len());
        for texts in texts.chunks(PART) {
            let encoded = tokenizer.encode_batch_fast(texts.to_vec(), true);
            let encoded = encoded.map_err(failed)?;
            all.extend(encoded.into_iter().map(|text| text.get_ids().to_vec()));
        }
        Ok(all)
    }

    /// The same, where a text without any is refused.
    pub(super) fn cut(&self, texts: &[&str], most: usize) -> Result<Vec<Vec<u32>>, Error> {
        let all = self.encode(texts, most)?;
        match all.iter().position(Vec::is_empty) {
            None => Ok(all),
            Some(row) => Err(Error::Data(format!(
                "row {row}: the text {:?} has no tokens; drop the row or write something",
                texts[row]
            ))),
        }
    }
}

fn refused(file: &Path, error: impl std::fmt::Display) -> Error {
    Error::Format(format!(
        "{}: the tokenizer cannot be read: {error}; get it again",
        file.display()
    ))
}
