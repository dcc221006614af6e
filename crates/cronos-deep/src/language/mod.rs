//! Language models and other frozen encoders, read from files.

pub mod gguf;
pub mod onnx;
