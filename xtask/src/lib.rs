//! Child processes, the Python environment and stamps, shared by `xtask` and `experiments`.

pub mod python;
pub mod stamp;
pub mod step;
