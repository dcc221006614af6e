//! ONNX files, written byte by byte.

/// A message of protobuf: what onnx.proto calls a field is its number here.
#[derive(Clone, Default)]
pub struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 128 {
            self.0.push(value as u8 | 128);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    pub fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    pub fn message(self, field: u64, message: Message) -> Self {
        self.bytes(field, &message.0)
    }
}

pub const FLOAT: u64 = 1;
pub const INT64: u64 = 7;

/// A tensor of single precision.
fn constant(name: &str, shape: &[u64], values: &[f32]) -> Message {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let start = shape
        .iter()
        .fold(Message::default(), |m, &l| m.number(1, l));
    start.number(2, FLOAT).text(8, name).bytes(9, &bytes)
}

pub fn node(kind: &str, inputs: &[&str], output: &str, attributes: &[(&str, u64)]) -> Message {
    let start = inputs.iter().fold(Message::default(), |m, i| m.text(1, i));
    let node = start.text(2, output).text(4, kind);
    attributes.iter().fold(node, |node, (name, value)| {
        // an attribute that is one integer has type 2
        let attribute = Message::default()
            .text(1, name)
            .number(3, *value)
            .number(20, 2);
        node.message(5, attribute)
    })
}

/// An input or output; a length of 0 is free.
pub fn port(name: &str, kind: u64, shape: &[u64]) -> Message {
    let dimensions = shape.iter().fold(Message::default(), |m, &length| {
        let dimension = match length {
            0 => Message::default().text(2, "n"),
            length => Message::default().number(1, length),
        };
        m.message(1, dimension)
    });
    let tensor = Message::default().number(1, kind).message(2, dimensions);
    Message::default()
        .text(1, name)
        .message(2, Message::default().message(1, tensor))
}

pub fn model(
    nodes: &[Message],
    constants: &[Message],
    inputs: &[Message],
    output: Message,
) -> Vec<u8> {
    let mut graph = Message::default();
    for node in nodes {
        graph = graph.message(1, node.clone());
    }
    graph = graph.text(2, "test");
    for constant in constants {
        graph = graph.message(5, constant.clone());
    }
    for input in inputs {
        graph = graph.message(11, input.clone());
    }
    graph = graph.message(12, output);
    let operators = Message::default().text(1, "").number(2, 17);
    Message::default()
        .number(1, 8)
        .message(7, graph)
        .message(8, operators)
        .0
}

/// Tokens to rows of a table of two columns, 0 where the mask is 0: token `t` is `2t + 0.5, 2t + 1.5`.
pub fn words(vocabulary: u64, batch: u64, tokens: u64) -> Vec<u8> {
    let table: Vec<f32> = (0..2 * vocabulary).map(|at| at as f32 + 0.5).collect();
    let nodes = [
        node("Gather", &["table", "input_ids"], "rows", &[("axis", 0)]),
        node("Cast", &["attention_mask"], "real", &[("to", FLOAT)]),
        node("Unsqueeze", &["real", "last"], "column", &[]),
        node("Mul", &["rows", "column"], "hidden", &[]),
    ];
    let last = Message::default()
        .number(1, 1)
        .number(2, INT64)
        .text(8, "last");
    let last = last.bytes(9, &2i64.to_le_bytes());
    model(
        &nodes,
        &[constant("table", &[vocabulary, 2], &table), last],
        &[
            port("input_ids", INT64, &[batch, tokens]),
            port("attention_mask", INT64, &[batch, tokens]),
        ],
        port("hidden", FLOAT, &[batch, tokens, 2]),
    )
}
