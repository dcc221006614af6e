//! The library for Python: arrays in, networks out.

mod arrays;
mod failure;
mod fit;
mod merge;
mod model;
mod options;
mod work;

/// What the Python package is built on.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::fit::{fit_classes, fit_numbers};
    #[pymodule_export]
    use super::model::Trained;
    #[pymodule_export]
    #[expect(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
