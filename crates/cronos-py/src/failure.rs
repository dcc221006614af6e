//! Errors of the library as exceptions.

use cronos::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};

/// The exception that Python users expect for an error.
pub fn exception(error: Error) -> PyErr {
    let sentence = error.to_string();
    match error {
        Error::Memory { .. } => PyMemoryError::new_err(sentence),
        Error::Numerical(_) => PyRuntimeError::new_err(sentence),
        _ => PyValueError::new_err(sentence),
    }
}

/// An argument that makes no sense.
pub fn refused(sentence: &str) -> PyErr {
    PyValueError::new_err(sentence.to_string())
}
