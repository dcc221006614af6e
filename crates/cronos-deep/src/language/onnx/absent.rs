//! What stands for the runtime in a build without the feature `onnx`.

use super::{Encoded, Feed, Port};

pub(super) const COMPILED_IN: bool = false;

/// There is none.
#[derive(Debug)]
pub(super) enum Session {}

impl Session {
    pub(super) fn load(_: Vec<u8>, _: Vec<(String, Vec<u8>)>) -> Result<Self, String> {
        Err("cannot be run: rebuild with --features onnx".into())
    }

    pub(super) fn inputs(&self) -> Vec<Port> {
        match *self {}
    }

    pub(super) fn outputs(&self) -> Vec<Port> {
        match *self {}
    }

    pub(super) fn run(
        &self,
        _: Vec<(usize, Vec<usize>, Feed)>,
        _: usize,
    ) -> Result<Encoded, String> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::OnnxEncoder;

    #[test]
    fn a_build_without_a_runtime_says_so() {
        let refused = OnnxEncoder::open("model.onnx".as_ref()).unwrap_err();
        let text = refused.to_string();
        assert!(text.contains("rebuild with --features onnx"), "{text}");
    }
}
