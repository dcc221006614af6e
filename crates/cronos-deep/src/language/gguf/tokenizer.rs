//! The tokenizer in the metadata of a GGUF file: byte-level pairs, as those of GPT-2.

use super::Gguf;
use cronos::Error;
use std::collections::HashSet;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::normalizers::unicode::NFC;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{AddedToken, SplitDelimiterBehavior, Tokenizer};

const MODEL: &str = "tokenizer.ggml.model";
const PRE: &str = "tokenizer.ggml.pre";
const TOKENS: &str = "tokenizer.ggml.tokens";
const MERGES: &str = "tokenizer.ggml.merges";
const TYPES: &str = "tokenizer.ggml.token_type";
const BEGIN: &str = "tokenizer.ggml.bos_token_id";
const ADD_BEGIN: &str = "tokenizer.ggml.add_bos_token";

/// Types of tokens: one that controls, one that the user defined.
const CONTROL: i32 = 3;
const USER_DEFINED: i32 = 4;

/// Words, numbers by `digits` and the rest, as Llama 3 and Qwen 2 split them.
fn words(digits: &str) -> String {
    format!(
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
}

/// What llama.cpp does to a file that does not say how its texts are split.
const DEFAULT: [&str; 4] = [
    r"[\p{P}\$\+<=>\^~\|]+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
    r"\p{N}+",
    r"[0-9][0-9][0-9]",
];

impl Gguf {
    /// The tokenizer of the model. It gives the tokens of Hugging Face's for the ways to
    /// split a text that are known here: `smollm`, `gpt-2`, `llama-bpe` and `qwen2`; and
    /// those of llama.cpp for `default`.
    pub fn tokenizer(&self) -> Result<Tokenizer, Error> {
        let model = self.get_str(MODEL)?;
        if model != "gpt2" {
            return Err(self.unfit(&format!(
                "a tokenizer of kind `{model}`; the kind `gpt2` can be read; give the model's \
                 tokenizer.json"
            )));
        }
        let pre = if self.has(PRE) {
            self.get_str(PRE)?
        } else {
            "default"
        };
        let way = split(pre).map_err(|why| self.unfit(&why))?;
        let pairs = self.pairs(pre == "llama-bpe")?;
        let mut tokenizer = Tokenizer::new(pairs);
        tokenizer.with_pre_tokenizer(Some(way));
        tokenizer.with_decoder(Some(ByteLevel::default()));
        if pre == "qwen2" {
            tokenizer.with_normalizer(Some(NFC));
        }
        self.add_special(&mut tokenizer)?;
        let begins = if self.has(ADD_BEGIN) {
            self.get_bool(ADD_BEGIN)?
        } else {
            pre == "llama-bpe"
        };
        if begins {
            tokenizer.with_post_processor(Some(self.begin()?));
        }
        Ok(tokenizer)
    }

    /// The tokens and which pairs of them become one.
    fn pairs(&self, ignore_merges: bool) -> Result<BPE, Error> {
        let tokens = self.get_strings(TOKENS)?;
        let vocabulary: Vocab = (tokens.iter().cloned()).zip(0..).collect();
        if vocabulary.len() != tokens.len() {
            let mut seen = HashSet::new();
            let twice = tokens.iter().find(|token| !seen.insert(*token));
            return Err(self.unfit(&format!(
                "the token {:?} twice; it is damaged",
                twice.map_or("", |token| token)
            )));
        }
        let merges = (self.get_strings(MERGES)?.iter())
            .map(|merge| {
                // a token has no space, but may be one
                let space = merge.char_indices().skip(1).find(|(_, c)| *c == ' ');
                let (left, right) = merge.split_at(space?.0);
                Some((left.to_string(), right[1..].to_string()))
            })
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| self.unfit("a pair of tokens without a space; it is damaged"))?;
        BPE::builder()
            .vocab_and_merges(vocabulary, merges)
            .ignore_merges(ignore_merges)
            .build()
            .map_err(|error| self.unfit(&format!("a tokenizer that cannot be used ({error})")))
    }

    /// Tokens that are found as a whole before a text is split.
    fn add_special(&self, tokenizer: &mut Tokenizer) -> Result<(), Error> {
        if !self.has(TYPES) {
            return Ok(());
        }
        let tokens = self.get_strings(TOKENS)?;
        let types = self.get_i32s(TYPES)?;
        if types.len() != tokens.len() {
            return Err(self.unfit(&format!(
                "types of {} tokens, but {} tokens; it is damaged",
                types.len(),
                tokens.len()
            )));
        }
        let of = |kind: i32| -> Vec<AddedToken> {
            let own = tokens.iter().zip(&types).filter(|(_, t)| **t == kind);
            own.map(|(token, _)| AddedToken::from(token.clone(), kind == CONTROL).normalized(false))
                .collect()
        };
        tokenizer.add_special_tokens(&of(CONTROL));
        tokenizer.add_tokens(&of(USER_DEFINED));
        Ok(())
    }

    /// Puts the token that begins a text in front of it.
    fn begin(&self) -> Result<TemplateProcessing, Error> {
        let (id, tokens) = (self.get_u32(BEGIN)?, self.get_strings(TOKENS)?);
        let Some(token) = tokens.get(id as usize) else {
            return Err(self.unfit(&format!(
                "token {id} begin its texts, but has {} tokens; it is damaged",
                tokens.len()
            )));
        };
        TemplateProcessing::builder()
            .try_single(vec![token.clone(), "$A".into()])
            .map_err(|error| error.to_string())
            .and_then(|builder| {
                builder
                    .special_tokens(vec![(token.clone(), id)])
                    .build()
                    .map_err(|error| error.to_string())
            })
            .map_err(|why| self.unfit(&format!("a token that cannot begin a text ({why})")))
    }

    fn unfit(&self, what: &str) -> Error {
        super::refused(&self.path, &format!("has {what}"))
    }
}

/// How a text is split before pairs are joined.
fn split(pre: &str) -> Result<PreTokenizerWrapper, String> {
    let by = |pattern: &str| -> Result<PreTokenizerWrapper, String> {
        let pattern = SplitPattern::Regex(pattern.to_string());
        let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false);
        Ok(split.map_err(|error| error.to_string())?.into())
    };
    // (add a space in front, trim, split as GPT-2 does)
    let bytes = PreTokenizerWrapper::from(ByteLevel::new(false, true, false));
    let gpt2 = PreTokenizerWrapper::from(ByteLevel::new(false, true, true));
    let parts = match pre {
        "gpt-2" => return Ok(gpt2),
        "smollm" => vec![Digits::new(true).into(), gpt2],
        "llama-bpe" => vec![by(&words(r"\p{N}{1,3}"))?, bytes],
        "qwen2" => vec![by(&words(r"\p{N}"))?, bytes],
        "default" => {
            let mut parts = DEFAULT
                .iter()
                .map(|p| by(p))
                .collect::<Result<Vec<_>, _>>()?;
            parts.push(bytes);
            parts
        }
        other => {
            return Err(format!(
                "texts split as `{other}`; smollm, gpt-2, llama-bpe, qwen2 and default are \
                 known; give the model's tokenizer.json"
            ));
        }
    };
    Ok(Sequence::new(parts).into())
}
