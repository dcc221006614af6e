//! The library for Python: arrays in, networks out.

mod arrays;
mod convex;
mod deep;
mod failure;
mod fit;
mod merge;
mod model;
mod nystrom;
mod options;
mod ranks;
mod rows;
mod work;

/// What the Python package is built on.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::convex::{certificate, sample_gates, solve_convex};
    #[pymodule_export]
    use super::deep::fit_deep;
    #[pymodule_export]
    use super::fit::{fit, path};
    #[pymodule_export]
    use super::model::Trained;
    #[pymodule_export]
    use super::nystrom::nystrom;
    #[pymodule_export]
    use super::ranks::{abort_ranks, end_ranks, ranks};
    #[pymodule_export]
    #[expect(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
