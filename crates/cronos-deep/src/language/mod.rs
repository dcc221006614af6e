//! Text as features.

mod tfidf;

pub use tfidf::{Tfidf, TfidfSettings};
