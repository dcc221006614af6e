//! What stands in front of the last two layers: any module from inputs to features.

mod layers;
mod stack;
mod start;

pub use layers::Layers;
pub(crate) use start::draw;

use burn::module::Module;
use burn::tensor::Tensor;

/// A module that turns inputs into a matrix of features.
///
/// Rows of inputs come scaled, and images channel by channel: `rows x (channels · height ·
/// width)`.
pub trait Features: Module {
    /// `rows x inputs` to `rows x features`.
    fn forward(&self, x: Tensor<2>) -> Tensor<2>;
}
