//! Texts as rows of tokens, one behind the other.

use cronos::Error;
use std::ops::Range;

/// Tokens of several texts, without gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    pub(super) tokens: Vec<u32>,
    pub(super) texts: Vec<Text>,
}

/// Where the tokens of a text stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub first: usize,
    /// With tokens that only fill it up.
    pub length: usize,
    /// Tokens that others may look at.
    pub real: usize,
}

impl Text {
    pub fn range(self) -> Range<usize> {
        self.first..self.first + self.length
    }
}

impl Batch {
    /// Texts as they are.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a [u32]>) -> Result<Self, Error> {
        let mut batch = Self::default();
        for text in texts {
            batch.push(text, text.len(), 0)?;
        }
        Ok(batch)
    }

    /// All of one length: shorter ones are filled up with a token that no other looks at.
    pub fn filled<'a>(
        texts: impl IntoIterator<Item = &'a [u32]>,
        length: usize,
        filler: u32,
    ) -> Result<Self, Error> {
        let mut batch = Self::default();
        for text in texts {
            batch.push(text, length, filler)?;
        }
        Ok(batch)
    }

    fn push(&mut self, text: &[u32], length: usize, filler: u32) -> Result<(), Error> {
        if text.is_empty() {
            return Err(Error::Data(format!(
                "text {} has no tokens; every text needs at least one",
                self.texts.len()
            )));
        }
        if text.len() > length {
            return Err(Error::Data(format!(
                "text {} has {} tokens, more than the length of {length}; cut it first",
                self.texts.len(),
                text.len()
            )));
        }
        let first = self.tokens.len();
        self.tokens.extend_from_slice(text);
        self.tokens.resize(first + length, filler);
        self.texts.push(Text {
            first,
            length,
            real: text.len(),
        });
        Ok(())
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Number of tokens, with those that fill up.
    pub fn tokens(&self) -> usize {
        self.tokens.len()
    }

    /// The place of the tokens of each text, and how many of them are its own.
    pub fn texts(&self) -> impl Iterator<Item = (Range<usize>, usize)> {
        self.texts.iter().map(|text| (text.range(), text.real))
    }

    /// The rows of an array, `width` numbers for a token, text by text.
    pub(super) fn cut<'a>(&self, mut rows: &'a mut [f32], width: usize) -> Vec<&'a mut [f32]> {
        let mut parts = Vec::with_capacity(self.texts.len());
        for text in &self.texts {
            let (own, rest) = rows.split_at_mut(text.length * width);
            parts.push(own);
            rows = rest;
        }
        parts
    }
}
