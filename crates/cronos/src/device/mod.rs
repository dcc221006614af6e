//! The state of a run in the memory of a device: the same steps as on the processor, as operations
//! on Burn's tensors, in single precision.
//!
//! Rows are cut into blocks, so that what a step makes in between stays small. Everything an
//! iteration needs stays on the device; only sums come back. Features that do not fit there are sent
//! block by block, for every product anew. The processor makes the factors that the u-step needs, and
//! certificates, which are in double precision; when one is worth its time is told by the device. Of
//! features that only the device has (`resident`), it knows sums, and what the device estimates stands
//! for a certificate: the last two layers of a deep network, which nobody certifies.
//!
//! Arrays, with `k = C · signs · P` ordered output, sign, gate:
//! - feature space: `k x d`
//! - thin row space: `rows x C`
//! - wide row space: `rows x k`

mod card;
mod groups;
mod head;
mod judge;
mod link;
mod loss;
mod pcg;
mod plan;
mod proof;
mod resident;
mod rows;
mod setup;
mod solver;
mod sweep;
#[cfg(all(test, feature = "flex"))]
mod tests;

pub(crate) use card::Card;
pub(crate) use head::There;
pub use resident::Resident;
