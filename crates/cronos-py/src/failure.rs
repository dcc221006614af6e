//! Errors of the library as exceptions.

use cronos::Error;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};

/// The exception that Python users expect for an error.
pub fn exception(error: Error) -> PyErr {
    let sentence = error.to_string();
    let images = sentence
        .replace(" (--image-size)", "")
        .replace("a smaller --image-size", "smaller images");
    let sentence = keywords(&images);
    match error {
        Error::Memory { .. } => PyMemoryError::new_err(sentence),
        // what it says of features is about the build
        Error::Device(why) | Error::Team(why) => PyRuntimeError::new_err(why),
        Error::Numerical(_) => PyRuntimeError::new_err(sentence),
        _ => PyValueError::new_err(sentence),
    }
}

/// An argument that makes no sense.
pub fn refused(sentence: &str) -> PyErr {
    PyValueError::new_err(sentence.to_string())
}

/// Flags of the command as keywords: `--time-limit` is `time_limit`.
fn keywords(sentence: &str) -> String {
    let word = |word: &str| match word.split_once("--") {
        Some((before, flag)) => format!("{before}{}", flag.replace('-', "_")),
        None => word.to_string(),
    };
    let words: Vec<String> = sentence.split(' ').map(word).collect();
    words.join(" ")
}
