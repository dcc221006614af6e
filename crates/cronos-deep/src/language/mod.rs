//! Texts as features: transformers that others have trained, in front of a convex network.
//!
//! ```text
//! texts ─► tokens ─► transformer ─► a row of features for each text
//! ```

mod encoder;
mod pool;
mod tokens;
pub mod transformer;
mod tune;
mod weights;

pub use encoder::Encoder;
pub use pool::Pool;
pub use tokens::Tokens;
pub use tune::{Steps, Tuning};
