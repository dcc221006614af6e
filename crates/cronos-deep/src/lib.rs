//! Deep networks whose last two layers are solved as a convex program, while the layers
//! in front of them are trained by an optimizer that finds its own rate.
//!
//! ```text
//! features of all rows ─► convex program for the last two layers ─► an epoch on the features ─► again
//! ```
//!
//! Anything that turns inputs into a matrix of features can stand in front: see [`Features`].

mod architecture;
mod augment;
mod features;
mod inputs;
mod kernels;
mod language;
mod loss;
pub mod optim;
pub mod parameters;
mod recipe;
mod tensors;
mod train;

pub use architecture::Architecture;
pub use augment::Augment;
pub use burn::tensor::Device;
pub use features::{Features, Layers};
pub use inputs::{Inputs, Scale};
pub use kernels::Kernels;
pub use language::{gguf, onnx};
pub use recipe::{ALTERNATION, About, Data, Moves, Recipe, Truth};
pub use train::{
    Checkpoint, End, Epoch, Goal, Keep, Options, Rule, Samples, Trained, Watch, train, train_with,
};
