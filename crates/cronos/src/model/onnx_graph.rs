//! A graph of ONNX operations, built one by one.

use super::onnx_proto::*;

/// The name of the dimension that counts rows.
const ROWS: &str = "N";

/// A graph under construction.
#[derive(Default)]
pub(super) struct Graph {
    proto: GraphProto,
}

impl Graph {
    /// Adds the operation `kind` and returns the name of its result.
    pub(super) fn apply(
        &mut self,
        kind: &str,
        inputs: &[&str],
        result: &str,
        attributes: &[(&str, i64)],
    ) -> String {
        let attribute = |(name, value): &(&str, i64)| Attribute {
            name: name.to_string(),
            i: Some(*value),
            ints: Vec::new(),
            kind: ATTRIBUTE_INT,
        };
        self.node(kind, inputs, result, attributes.iter().map(attribute))
    }

    /// The same with attributes that are lists.
    pub(super) fn apply_lists(
        &mut self,
        kind: &str,
        inputs: &[&str],
        result: &str,
        attributes: &[(&str, &[usize])],
    ) -> String {
        let attribute = |(name, values): &(&str, &[usize])| Attribute {
            name: name.to_string(),
            i: None,
            ints: values.iter().map(|&value| value as i64).collect(),
            kind: ATTRIBUTE_INTS,
        };
        self.node(kind, inputs, result, attributes.iter().map(attribute))
    }

    fn node(
        &mut self,
        kind: &str,
        inputs: &[&str],
        result: &str,
        attributes: impl Iterator<Item = Attribute>,
    ) -> String {
        self.proto.node.push(NodeProto {
            input: inputs.iter().map(|input| input.to_string()).collect(),
            output: vec![result.to_string()],
            name: format!("{kind}_{}", self.proto.node.len()),
            op_type: kind.to_string(),
            attribute: attributes.collect(),
        });
        result.to_string()
    }

    /// Adds a constant in single precision and returns its name.
    pub(super) fn singles(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, shape, FLOAT, bytes)
    }

    /// Adds a constant in double precision and returns its name.
    pub(super) fn numbers(&mut self, name: &str, shape: &[usize], values: &[f64]) -> String {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, shape, DOUBLE, bytes)
    }

    /// Adds a constant vector of integers and returns its name.
    pub(super) fn integers(&mut self, name: &str, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, &[values.len()], INT64, bytes)
    }

    /// Adds a constant vector of strings and returns its name.
    pub(super) fn strings(&mut self, name: &str, values: &[String]) -> String {
        self.proto.initializer.push(TensorProto {
            dims: vec![values.len() as i64],
            data_type: STRING,
            string_data: values.iter().map(|v| v.as_bytes().to_vec()).collect(),
            name: name.to_string(),
            raw_data: None,
        });
        name.to_string()
    }

    fn constant(&mut self, name: &str, shape: &[usize], kind: i32, bytes: Vec<u8>) -> String {
        self.proto.initializer.push(TensorProto {
            dims: shape.iter().map(|&length| length as i64).collect(),
            data_type: kind,
            string_data: Vec::new(),
            name: name.to_string(),
            raw_data: Some(bytes),
        });
        name.to_string()
    }

    /// Declares the input `name`: rows x columns in single precision.
    pub(super) fn input(&mut self, name: &str, columns: usize) {
        self.proto.input.push(value(name, FLOAT, Some(columns)));
    }

    /// Declares the output `name`: a table, or one entry per row.
    pub(super) fn output(&mut self, name: &str, kind: i32, columns: Option<usize>) {
        self.proto.output.push(value(name, kind, columns));
    }

    /// The finished graph.
    pub(super) fn finish(mut self, name: &str) -> GraphProto {
        self.proto.name = name.to_string();
        self.proto
    }
}

fn value(name: &str, kind: i32, columns: Option<usize>) -> ValueInfo {
    let rows = Dimension {
        value: None,
        name: Some(ROWS.to_string()),
    };
    let columns = columns.map(|length| Dimension {
        value: Some(length as i64),
        name: None,
    });
    let shape = Shape {
        dim: [rows].into_iter().chain(columns).collect(),
    };
    ValueInfo {
        name: name.to_string(),
        kind: Some(TypeProto {
            tensor: Some(TensorType {
                entries: kind,
                shape: Some(shape),
            }),
        }),
    }
}
