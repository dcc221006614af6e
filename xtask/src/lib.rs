//! Child processes and the Python environment, shared by `xtask` and `experiments`.

pub mod python;
pub mod step;
