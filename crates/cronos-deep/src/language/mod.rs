//! Texts as features, in front of a convex network: counts of words, or transformers that others
//! have trained.
//!
//! ```text
//! texts ─► words ─► a sparse row for each text
//! texts ─► tokens ─► transformer ─► a row of features for each text
//! ```

mod encoder;
mod from_gguf;
pub mod gguf;
pub mod onnx;
mod pool;
mod text_encoder;
mod tfidf;
mod there;
mod tokens;
pub mod transformer;
mod tune;
mod weights;

pub use encoder::Encoder;
pub use pool::Pool;
pub use text_encoder::{OnnxTexts, TextEncoder, is_onnx};
pub use tfidf::{Tfidf, TfidfSettings};
pub use tokens::Tokens;
pub use tune::{Steps, Tuning};
