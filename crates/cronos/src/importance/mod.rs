//! How much each feature matters: by the weights that read it, and by what the
//! score loses when its values are shuffled.
//!
//! The two answer different questions. The weights say what the network could
//! listen to. Shuffling says what its score rests on, for the rows at hand: a
//! feature that another one can stand in for may have large weights and cost little.

mod mixed;
mod shuffled;
mod weights;

pub use shuffled::{Cost, Shuffled, Shuffles, shuffled};
pub use weights::{group_norms, is_read};
