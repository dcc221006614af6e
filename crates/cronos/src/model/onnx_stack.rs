//! The layers in front of a network as ONNX operations, in single precision.

use super::onnx_graph::Graph;
use super::onnx_proto::{DOUBLE, FLOAT};
use crate::stack::{Convolution, Layer, Shape, Stack};

/// A result between two layers.
#[derive(Clone)]
struct Value {
    name: String,
    shape: Shape,
    /// Whether it is rows x numbers, else rows x channels x height x width.
    flat: bool,
}

/// What the layers make of `x`, both in double precision. The layers fit together.
pub(super) fn features(graph: &mut Graph, x: &str, stack: &Stack) -> String {
    let input = Value {
        name: graph.apply("Cast", &[x], "stack.single", &[("to", FLOAT.into())]),
        shape: stack.input,
        flat: true,
    };
    let input = channels_first(graph, input);
    let output = through(graph, input, &stack.layers, "stack");
    let output = flat(graph, output, "stack");
    let double = [("to", DOUBLE.into())];
    graph.apply("Cast", &[&output.name], "stack.double", &double)
}

/// The raw inputs of an image, which stand pixel by pixel, channel by channel.
fn channels_first(graph: &mut Graph, x: Value) -> Value {
    let Shape {
        channels,
        height,
        width,
    } = x.shape;
    if (height, width) == (1, 1) {
        return x;
    }
    let shape = [0, height as i64, width as i64, channels as i64];
    let shape = graph.integers("stack.input.shape", &shape);
    let pixels = graph.apply("Reshape", &[&x.name, &shape], "stack.pixels", &[]);
    let order: (&str, &[usize]) = ("perm", &[0, 3, 1, 2]);
    Value {
        name: graph.apply_lists("Transpose", &[&pixels], "stack.channels", &[order]),
        flat: false,
        ..x
    }
}

fn through(graph: &mut Graph, x: Value, layers: &[Layer], path: &str) -> Value {
    layers.iter().enumerate().fold(x, |x, (at, layer)| {
        after(graph, x, layer, &format!("{path}.{at}"))
    })
}

fn after(graph: &mut Graph, x: Value, layer: &Layer, path: &str) -> Value {
    match layer {
        Layer::Scale { mean, .. } => {
            let Shape { channels, .. } = x.shape;
            let shape = match mean.len() {
                numbers if x.flat => vec![numbers],
                numbers if numbers == channels => vec![channels, 1, 1],
                _ => vec![channels, x.shape.height, x.shape.width],
            };
            let numbers = constants(graph, layer, path, Some(&shape));
            let centred = format!("{path}.centred");
            let centred = graph.apply("Sub", &[&x.name, &numbers[0]], &centred, &[]);
            Value {
                name: graph.apply("Div", &[&centred, &numbers[1]], path, &[]),
                ..x
            }
        }
        Layer::Linear { weight, .. } => {
            let x = flat(graph, x, path);
            let numbers = constants(graph, layer, path, None);
            let inputs = inputs(&x, &numbers);
            Value {
                name: graph.apply("Gemm", &inputs, path, &[("transB", 1)]),
                shape: Shape::list(weight.rows()),
                flat: true,
            }
        }
        Layer::Convolution(convolution) => {
            let x = image(graph, x, path);
            let numbers = constants(graph, layer, path, None);
            let Convolution {
                kernel,
                stride,
                padding,
                ..
            } = *convolution;
            let attributes: [(&str, &[usize]); 3] = [
                ("kernel_shape", &[kernel; 2]),
                ("strides", &[stride; 2]),
                ("pads", &[padding; 4]),
            ];
            Value {
                name: graph.apply_lists("Conv", &inputs(&x, &numbers), path, &attributes),
                shape: convolution.output(x.shape),
                flat: false,
            }
        }
        Layer::Relu => Value {
            name: graph.apply("Relu", &[&x.name], path, &[]),
            ..x
        },
        Layer::AveragePool { size } => {
            let x = image(graph, x, path);
            let windows: &[usize] = &[*size; 2];
            let attributes = [("kernel_shape", windows), ("strides", windows)];
            Value {
                name: graph.apply_lists("AveragePool", &[&x.name], path, &attributes),
                shape: x.shape.pooled(*size),
                ..x
            }
        }
        Layer::GlobalAverage => {
            let x = image(graph, x, path);
            let means = Value {
                name: graph.apply("GlobalAveragePool", &[&x.name], path, &[]),
                shape: Shape::list(x.shape.channels),
                ..x
            };
            flat(graph, means, path)
        }
        Layer::Residual { inner, shortcut } => {
            let mut side = |layers, side: &str| {
                let path = format!("{path}.{side}");
                let value = through(graph, x.clone(), layers, &path);
                // a list may come as an image of one pixel from one side only
                match value.shape.pixels() {
                    1 => flat(graph, value, &path),
                    _ => value,
                }
            };
            let (inner, other) = (side(inner, "inner"), side(shortcut, "shortcut"));
            Value {
                name: graph.apply("Add", &[&inner.name, &other.name], path, &[]),
                ..inner
            }
        }
    }
}

/// The numbers of a layer, perhaps in another shape.
fn constants(graph: &mut Graph, layer: &Layer, path: &str, other: Option<&[usize]>) -> Vec<String> {
    let numbers = layer.numbers().into_iter();
    numbers
        .map(|(name, shape, values)| {
            graph.singles(&format!("{path}.{name}"), other.unwrap_or(&shape), values)
        })
        .collect()
}

fn inputs<'a>(x: &'a Value, numbers: &'a [String]) -> Vec<&'a str> {
    let numbers = numbers.iter().map(String::as_str);
    [x.name.as_str()].into_iter().chain(numbers).collect()
}

/// As rows x numbers.
fn flat(graph: &mut Graph, x: Value, path: &str) -> Value {
    if x.flat {
        return x;
    }
    let result = format!("{path}.flat");
    Value {
        name: graph.apply("Flatten", &[&x.name], &result, &[("axis", 1)]),
        flat: true,
        ..x
    }
}

/// As rows x channels x height x width.
fn image(graph: &mut Graph, x: Value, path: &str) -> Value {
    if !x.flat {
        return x;
    }
    let Shape {
        channels,
        height,
        width,
    } = x.shape;
    let shape = [0, channels as i64, height as i64, width as i64];
    let shape = graph.integers(&format!("{path}.image.shape"), &shape);
    let result = format!("{path}.image");
    Value {
        name: graph.apply("Reshape", &[&x.name, &shape], &result, &[]),
        flat: false,
        ..x
    }
}
