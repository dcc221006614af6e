//! Some of many texts.

use crate::failure::Failure;
use cronos::holdout;
use cronos_data::Texts;

/// At most so many texts, drawn at random, each class in its share.
pub fn sample(texts: Texts, most: Option<usize>, seed: u64) -> Result<Texts, Failure> {
    let all = texts.texts.len();
    let Some(count) = most.filter(|&most| most < all) else {
        return Ok(texts);
    };
    let labels = match &texts.data.target {
        Some(_) => texts.data.labels().ok(),
        None => None,
    };
    let strata = labels.as_ref().map(|labels| &labels.indices[..]);
    // another draw than that of held-out rows
    let seed = seed ^ 0x5a;
    let (_, chosen) = holdout(all, count as f64 / all as f64, seed, strata)?;
    Ok(texts.select(&chosen))
}
