//! The words of a text, and the terms they make.

use rayon::prelude::*;
use std::collections::HashMap;

/// Texts that are counted together.
const BLOCK: usize = 1024;

/// The words of a text with a space between neighbours, so that terms are parts of it.
pub(super) struct Words {
    text: String,
    /// Where each word begins and ends.
    places: Vec<(u32, u32)>,
}

/// Where a term was found.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    /// Texts that have it.
    pub texts: u32,
    /// Times in all texts.
    pub times: u64,
}

impl Words {
    /// Words are two or more letters, digits or underscores in a row.
    pub fn of(raw: &str, lowercase: bool) -> Self {
        let lower = lowercase.then(|| raw.to_lowercase());
        let raw = lower.as_deref().unwrap_or(raw);
        let mut words = Self {
            text: String::with_capacity(raw.len()),
            places: Vec::new(),
        };
        let parts = raw.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        for word in parts.filter(|word| word.chars().nth(1).is_some()) {
            if !words.text.is_empty() {
                words.text.push(' ');
            }
            let start = words.text.len() as u32;
            words.text.push_str(word);
            words.places.push((start, words.text.len() as u32));
        }
        words
    }

    /// All terms of `least` to `most` words, as often as they occur.
    pub fn terms(&self, (least, most): (usize, usize)) -> impl Iterator<Item = &str> {
        let longest = most.min(self.places.len());
        (least..=longest)
            .flat_map(|count| self.places.windows(count))
            .map(|words| &self.text[words[0].0 as usize..words[words.len() - 1].1 as usize])
    }
}

/// Every term of the texts with its count, in order.
pub(super) fn counted(texts: &[Words], ngrams: (usize, usize)) -> Vec<(&str, Count)> {
    let blocks: Vec<Vec<(&str, Count)>> = texts
        .par_chunks(BLOCK)
        .map(|texts| counted_together(texts, ngrams))
        .collect();
    merged(blocks)
}

fn counted_together(texts: &[Words], ngrams: (usize, usize)) -> Vec<(&str, Count)> {
    // the count, and the last text that had the term
    let mut found: HashMap<&str, (Count, usize)> = HashMap::new();
    for (at, text) in texts.iter().enumerate() {
        for term in text.terms(ngrams) {
            let (count, last) = found.entry(term).or_insert((Count::default(), usize::MAX));
            count.times += 1;
            if *last != at {
                *last = at;
                count.texts += 1;
            }
        }
    }
    let mut found: Vec<(&str, Count)> = (found.into_iter())
        .map(|(term, (count, _))| (term, count))
        .collect();
    found.sort_unstable_by_key(|(term, _)| *term);
    found
}

/// Two and two until there is one list.
fn merged(mut lists: Vec<Vec<(&str, Count)>>) -> Vec<(&str, Count)> {
    while lists.len() > 1 {
        lists = lists
            .par_chunks(2)
            .map(|pair| match pair {
                [a, b] => merged_pair(a, b),
                one => one.concat(),
            })
            .collect();
    }
    lists.pop().unwrap_or_default()
}

fn merged_pair<'t>(a: &[(&'t str, Count)], b: &[(&'t str, Count)]) -> Vec<(&'t str, Count)> {
    let mut out: Vec<(&str, Count)> = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(&&(first, one)), Some(&&(second, other))) = (a.peek(), b.peek()) {
        let both = Count {
            texts: one.texts + other.texts,
            times: one.times + other.times,
        };
        out.push(match first.cmp(second) {
            std::cmp::Ordering::Less => (first, one),
            std::cmp::Ordering::Greater => (second, other),
            std::cmp::Ordering::Equal => (first, both),
        });
        if first <= second {
            a.next();
        }
        if second <= first {
            b.next();
        }
    }
    out.extend(a);
    out.extend(b);
    out
}
