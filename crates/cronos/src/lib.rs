//! Two-layer ReLU networks trained by convex optimisation, with a certificate of
//! how close to the optimum the result is.

// the tests inside the crate share generated problems with those outside
#[cfg(test)]
extern crate self as cronos;

pub mod admm;
pub mod auto;
mod blocks;
mod certificate;
mod cholesky;
mod cone;
mod dense;
#[cfg(feature = "device")]
mod device;
mod encoding;
mod engine;
mod error;
mod estimator;
mod fit;
mod folds;
mod gates;
mod head;
mod holdout;
pub mod importance;
mod inner;
mod learn;
mod loss;
mod matrix;
pub mod memory;
mod model;
mod moments;
mod network;
pub mod nystrom;
mod observe;
mod path;
mod pcg;
mod place;
mod program;
mod proof;
mod real;
mod reduction;
mod report;
mod rows;
mod sampled;
mod scaling;
mod scout;
pub mod solver;
mod sparse;
pub mod stack;
mod streamed;
mod table;
mod team;
mod wide;
mod zero;

pub use admm::{
    Checkpoint, Iteration, Keeper, Residence, Settings, Solution, Split, Start, Status,
};
pub use blocks::Blocks;
pub use certificate::{Certificate, Dual};
pub use encoding::{Encoding, Knots, Ramp};
pub use error::Error;
pub use estimator::{Classifier, Regressor, TrainedClassifier};
pub use fit::{Fitted, GateSource, Options, Precision, fit};
pub use gates::Gates;
pub use head::{Head, HeadGates, HeadMemory, HeadOptions, HeadStep};
pub use holdout::holdout;
pub use loss::Loss;
pub use matrix::Matrix;
pub use model::{
    Deep, FORMAT_VERSION, Grouping, Images, Model, Task, TextInput, Training, chosen_classes,
};
pub use network::{Gating, Network, TargetScaling};
pub use observe::{Observer, SearchStep};
pub use path::{Grid, Path, path};
pub use place::{Found, Place};
pub use program::{Activation, Program};
pub use real::Real;
pub use rows::Rows;
pub use scaling::Scaling;
pub use solver::Solver;
pub use sparse::Sparse;
pub use stack::Stack;
pub use table::{Bytes, Chosen, Singles, Table};
pub use team::{Messenger, Team};
