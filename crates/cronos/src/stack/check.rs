//! Whether the layers fit together.

use super::{Convolution, Layer, Shape, Stack};
use crate::Error;

/// Numbers of a row between two layers, at most.
const MOST: usize = 1 << 28;
/// How deep residual layers may be nested.
const DEEPEST: usize = 8;

/// A layer and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Place<'a> {
    /// `3` is the layer with this index, `3.inner.0` the first within it.
    pub path: String,
    /// The layer.
    pub layer: &'a Layer,
    /// What comes out of it.
    pub output: Shape,
}

impl Stack {
    /// Refuses layers that do not fit together and numbers that cannot be used.
    pub fn check(&self) -> Result<(), Error> {
        for Place { path, layer, .. } in self.places()? {
            for (name, _, numbers) in layer.numbers() {
                let unusable = |v: &f32| !v.is_finite() || (name == "scale" && *v == 0.0);
                if let Some(at) = numbers.iter().position(unusable) {
                    return Err(refusal(
                        &path,
                        layer,
                        format!("its {name} has the number {} at {at}", numbers[at]),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Every layer in order, and what comes out of the last.
    pub(super) fn walk(&self) -> Result<(Vec<Place<'_>>, Shape), Error> {
        sized(self.input).map_err(|why| Error::Format(format!("the input: {why}")))?;
        let mut places = Vec::new();
        let output = through(&self.layers, self.input, "", &mut places)?;
        Ok((places, output))
    }
}

/// What comes out of layers, which are added to the places with `above` in front.
fn through<'a>(
    layers: &'a [Layer],
    input: Shape,
    above: &str,
    places: &mut Vec<Place<'a>>,
) -> Result<Shape, Error> {
    let mut shape = input;
    for (at, layer) in layers.iter().enumerate() {
        let path = format!("{above}{at}");
        let place = places.len();
        places.push(Place {
            path: path.clone(),
            layer,
            output: shape,
        });
        let found = match layer {
            Layer::Residual { .. } if above.matches('.').count() >= 2 * DEEPEST => Err(format!(
                "it is within {DEEPEST} others; there can be no more"
            )),
            Layer::Residual { inner, shortcut } => {
                let inner = through(inner, shape, &format!("{path}.inner."), places)?;
                let other = through(shortcut, shape, &format!("{path}.shortcut."), places)?;
                match inner == other {
                    true => Ok(inner),
                    false => Err(format!("{inner} and {other} numbers cannot be added")),
                }
            }
            layer => output(layer, shape),
        };
        shape = (found.and_then(sized)).map_err(|why| refusal(&path, layer, why))?;
        places[place].output = shape;
    }
    Ok(shape)
}

/// What comes out of a layer, or why nothing can.
fn output(layer: &Layer, input: Shape) -> Result<Shape, String> {
    match layer {
        Layer::Scale { mean, scale } => {
            let fits = [input.channels, input.numbers()].contains(&mean.len());
            if !fits || scale.len() != mean.len() {
                return Err(format!(
                    "it has {} means and {} scales, and gets {input} numbers",
                    mean.len(),
                    scale.len()
                ));
            }
            Ok(input)
        }
        Layer::Linear { weight, bias } => {
            if weight.columns() != input.numbers() {
                return Err(format!("it gets {input} numbers"));
            }
            matches(bias.as_ref(), weight.rows())?;
            Ok(Shape::list(weight.rows()))
        }
        Layer::Convolution(convolution) => convolved(convolution, input),
        Layer::AveragePool { size } => {
            if *size == 0 || input.height < *size || input.width < *size {
                return Err(format!("it gets {input} numbers"));
            }
            Ok(input.pooled(*size))
        }
        Layer::GlobalAverage => Ok(Shape::list(input.channels)),
        Layer::Relu | Layer::Residual { .. } => Ok(input),
    }
}

fn convolved(convolution: &Convolution, input: Shape) -> Result<Shape, String> {
    let Convolution {
        weight,
        bias,
        kernel,
        stride,
        padding,
    } = convolution;
    if *kernel == 0 || *stride == 0 || padding >= kernel {
        return Err("kernel and stride are at least 1, and padding is less than the kernel".into());
    }
    let window = Shape {
        channels: input.channels,
        height: *kernel,
        width: *kernel,
    };
    if weight.columns() != window.numbers() {
        return Err(format!(
            "its kernels have {} numbers each, and it gets {input}",
            weight.columns()
        ));
    }
    matches(bias.as_ref(), weight.rows())?;
    let padded = sized(convolution.padded(input))?;
    if padded.height < *kernel || padded.width < *kernel {
        return Err(format!("it gets {input} numbers, less than one window"));
    }
    Ok(convolution.output(input))
}

fn matches(bias: Option<&Vec<f32>>, outputs: usize) -> Result<(), String> {
    match bias {
        Some(bias) if bias.len() != outputs => Err(format!("it has {} biases", bias.len())),
        _ => Ok(()),
    }
}

/// Refuses nothing, and more than there can be.
fn sized(shape: Shape) -> Result<Shape, String> {
    match shape.numbers() {
        0 => Err(format!("{shape} is no number at all")),
        numbers if numbers > MOST => Err(format!("{shape} are more than {MOST} numbers")),
        _ => Ok(shape),
    }
}

fn refusal(path: &str, layer: &Layer, why: String) -> Error {
    Error::Format(format!("layer {path} ({layer}): {why}"))
}
