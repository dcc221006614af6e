//! Child processes, images, the Python environment and stamps, shared by `xtask` and `experiments`.

pub mod images;
pub mod python;
pub mod stamp;
pub mod step;
