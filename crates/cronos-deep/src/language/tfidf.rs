//! Texts as sparse rows: how often each word and each pair of neighbours occurs, the rarer the heavier.
//!
//! ```text
//! x_t = (1 + ln tf_t) · idf_t ,   idf_t = ln((1 + n) / (1 + df_t)) + 1 ,   each row to length 1
//! ```
//!
//! `tf` counts the term in the text, `df` the texts that have it, of `n`. A word is two or more letters, digits or
//! underscores in a row. These are the numbers of scikit-learn's `TfidfVectorizer` with the same settings, but that
//! marks combined with a letter, as the vowels of Hindi are, stay in their word, and that of equally frequent terms
//! at the limit the first are kept.

mod words;

use cronos::{Error, Sparse};
use rayon::prelude::*;
use std::collections::HashMap;
use words::{Words, counted};

/// Texts whose rows are made together.
const BLOCK: usize = 256;

/// How texts are taken apart and counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TfidfSettings {
    /// Words in a term, at least and at most. Default 1 and 2.
    pub ngrams: (usize, usize),
    /// Whether texts are brought to lower case first. Default true.
    pub lowercase: bool,
    /// Texts that a term must occur in. Default 2.
    pub least_texts: usize,
    /// Terms at most, those that occur most often. Default 200,000.
    pub most_terms: usize,
    /// Whether a term that occurs `tf` times counts as `1 + ln tf` rather than as `tf`. Default true.
    pub sublinear: bool,
}

impl Default for TfidfSettings {
    fn default() -> Self {
        Self {
            ngrams: (1, 2),
            lowercase: true,
            least_texts: 2,
            most_terms: 200_000,
            sublinear: true,
        }
    }
}

impl TfidfSettings {
    fn check(&self) -> Result<(), Error> {
        let (least, most) = self.ngrams;
        if least == 0 || most < least {
            return Err(Error::Setting {
                name: "ngrams",
                value: format!("{least} to {most}"),
                expected: "from at least 1 up to at least as many",
            });
        }
        for (name, value) in [
            ("least texts", self.least_texts),
            ("most terms", self.most_terms),
        ] {
            if value == 0 {
                return Err(Error::Setting {
                    name,
                    value: "0".into(),
                    expected: "at least 1",
                });
            }
        }
        Ok(())
    }
}

/// Terms that were found in texts, and what each weighs.
#[derive(Clone, Debug, PartialEq)]
pub struct Tfidf {
    settings: TfidfSettings,
    terms: Vec<String>,
    idf: Vec<f64>,
    places: HashMap<String, u32>,
}

impl Tfidf {
    /// Finds the terms of some texts. Terms are in the order of their characters.
    pub fn learn(texts: &[String], settings: TfidfSettings) -> Result<Self, Error> {
        settings.check()?;
        let words: Vec<Words> = (texts.par_iter())
            .map(|text| Words::of(text, settings.lowercase))
            .collect();
        let mut found = counted(&words, settings.ngrams);
        found.retain(|(_, count)| count.texts as usize >= settings.least_texts);
        if found.is_empty() {
            return Err(Error::Data(format!(
                "no term occurs in {} of the {} texts; give more texts, or let a term be rarer",
                settings.least_texts,
                texts.len()
            )));
        }
        if found.len() > settings.most_terms {
            // the most frequent, the first of them on a tie
            found.sort_by(|(a, x), (b, y)| y.times.cmp(&x.times).then(a.cmp(b)));
            found.truncate(settings.most_terms);
            found.sort_unstable_by_key(|(term, _)| *term);
        }
        let rows = texts.len() as f64;
        let idf = |texts: u32| ((1.0 + rows) / (1.0 + f64::from(texts))).ln() + 1.0;
        let idf = found.iter().map(|(_, count)| idf(count.texts)).collect();
        let terms = found.into_iter().map(|(term, _)| term.to_owned()).collect();
        Self::from_parts(settings, terms, idf)
    }

    /// What was found before: terms in ascending order, and `idf` of each.
    pub fn from_parts(
        settings: TfidfSettings,
        terms: Vec<String>,
        idf: Vec<f64>,
    ) -> Result<Self, Error> {
        settings.check()?;
        if terms.len() != idf.len() || terms.is_empty() || u32::try_from(terms.len()).is_err() {
            return Err(Error::Shape {
                what: "terms and their weights",
                expected: "as many of each, and at least one".into(),
                found: format!("{} and {}", terms.len(), idf.len()),
            });
        }
        if let Some(pair) = terms.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(Error::Format(format!(
                "the term {:?} comes before {:?}; terms must ascend, each once",
                pair[0], pair[1]
            )));
        }
        if let Some(at) = idf.iter().position(|idf| !(idf.is_finite() && *idf > 0.0)) {
            return Err(Error::Format(format!(
                "the term {:?} has the weight {}; weights must be finite and greater than 0",
                terms[at], idf[at]
            )));
        }
        let places = (terms.iter().cloned()).zip(0..).collect();
        Ok(Self {
            settings,
            terms,
            idf,
            places,
        })
    }

    /// One row for each text, one column for each term. A text without any of the terms is a row of zeros.
    pub fn encode(&self, texts: &[String]) -> Result<Sparse, Error> {
        let blocks: Vec<Vec<Vec<(u32, f32)>>> = texts
            .par_chunks(BLOCK)
            .map(|texts| texts.iter().map(|text| self.row(text)).collect())
            .collect();
        let rows = || blocks.iter().flatten();
        let mut starts = Vec::with_capacity(texts.len() + 1);
        starts.push(0);
        for row in rows() {
            starts.push(starts[starts.len() - 1] + row.len());
        }
        let indices = rows().flatten().map(|entry| entry.0).collect();
        let values = rows().flatten().map(|entry| entry.1).collect();
        Sparse::new(texts.len(), self.terms.len(), starts, indices, values)
    }

    /// Columns and entries of one text.
    fn row(&self, text: &str) -> Vec<(u32, f32)> {
        let words = Words::of(text, self.settings.lowercase);
        let mut places: Vec<u32> = (words.terms(self.settings.ngrams))
            .filter_map(|term| self.places.get(term).copied())
            .collect();
        places.sort_unstable();
        let entries: Vec<(u32, f64)> = places
            .chunk_by(|a, b| a == b)
            .map(|same| {
                let count = same.len() as f64;
                let tf = if self.settings.sublinear {
                    1.0 + count.ln()
                } else {
                    count
                };
                (same[0], tf * self.idf[same[0] as usize])
            })
            .collect();
        let length = entries.iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
        let scaled = |(place, x): (u32, f64)| (place, (x / length) as f32);
        entries.into_iter().map(scaled).collect()
    }

    /// How texts are taken apart and counted.
    pub fn settings(&self) -> &TfidfSettings {
        &self.settings
    }

    /// The terms, in the order of the columns; the words of a term have a space between them.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// The weight of each term.
    pub fn idf(&self) -> &[f64] {
        &self.idf
    }
}

#[cfg(test)]
mod tests;
