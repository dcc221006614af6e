//! What stands in front of the last two layers: any module from inputs to features.

mod kernels;
mod layers;
mod stack;
mod start;

pub use layers::Layers;
pub(crate) use layers::quarter;
pub(crate) use start::draw;

use crate::kernels::Kernels;
use burn::module::Module;
use burn::tensor::Tensor;

/// A module that turns inputs into a matrix of features.
///
/// Rows of inputs come scaled, and images channel by channel: `rows x (channels · height ·
/// width)`.
pub trait Features: Module {
    /// `rows x inputs` to `rows x features`.
    fn forward(&self, x: Tensor<2>) -> Tensor<2>;

    /// The same computed by hand on the CPU, which is faster; the layers that come with this
    /// crate have it.
    fn kernels(&self) -> Option<Kernels> {
        None
    }
}
