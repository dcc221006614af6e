//! Layers in front of a network, against plain loops in double precision.

mod loops;
#[allow(dead_code)] // other tests use more of them
mod models;

use cronos::stack::{Convolution, Layer, Shape};
use cronos::{Bytes, Error, Matrix, Stack};
use loops::Image;

/// Arbitrary numbers between −1 and 1, the same in every run.
fn arbitrary(seed: usize, count: usize) -> Vec<f32> {
    let wave = |at: usize| ((seed * 31 + at) as f64 * 0.618_033_988_749_894_9).fract() * 2.0 - 1.0;
    (0..count).map(|at| wave(at * at + at) as f32).collect()
}

fn single(seed: usize, rows: usize, columns: usize) -> Matrix<f32> {
    Matrix::from_rows(rows, columns, arbitrary(seed, rows * columns)).unwrap()
}

fn image(channels: usize, height: usize, width: usize) -> Shape {
    Shape {
        channels,
        height,
        width,
    }
}

fn linear(inputs: usize, outputs: usize) -> Layer {
    Layer::Linear {
        weight: single(inputs, outputs, inputs),
        bias: Some(arbitrary(outputs, outputs)),
    }
}

fn convolution(channels: usize, outputs: usize, kernel: usize, stride: usize) -> Convolution {
    Convolution {
        weight: single(kernel, outputs, channels * kernel * kernel),
        bias: (stride == 1).then(|| arbitrary(stride, outputs)),
        kernel,
        stride,
        padding: 0,
    }
}

fn padded(convolution: Convolution) -> Layer {
    Layer::Convolution(Convolution {
        padding: 1,
        ..convolution
    })
}

fn stack(input: Shape, layers: Vec<Layer>) -> Stack {
    Stack { input, layers }
}

/// Rows of raw inputs, the channels of a pixel together.
fn rows(count: usize, columns: usize) -> Matrix<f64> {
    let values = arbitrary(count, count * columns);
    Matrix::from_fn(count, columns, |i, j| f64::from(values[i * columns + j]))
}

fn assert_as_loops_say(stack: &Stack, count: usize) {
    stack.check().unwrap();
    let x = rows(count, stack.inputs());
    let found = stack.forward(&x).unwrap();
    let Shape {
        channels, width, ..
    } = stack.input;
    for row in 0..count {
        let raw = |c: usize, i: usize, j: usize| x.at(row, (i * width + j) * channels + c);
        let expected = Image::from_fn(stack.input, raw).through(&stack.layers);
        assert_eq!(found.columns(), expected.values.len());
        assert_eq!(stack.outputs().unwrap(), expected.values.len());
        let largest = expected.values.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
        for (found, expected) in found.row(row).iter().zip(&expected.values) {
            assert!(
                (found - expected).abs() < 1e-5 * largest,
                "{found}, not {expected}"
            );
        }
    }
}

#[test]
fn convolutions_are_sums_over_windows() {
    for kernel in [1, 2, 3] {
        for stride in [1, 2, 3] {
            for padding in 0..kernel {
                let convolution = Convolution {
                    padding,
                    ..convolution(2, 3, kernel, stride)
                };
                let layers = vec![Layer::Convolution(convolution)];
                assert_as_loops_say(&stack(image(2, 5, 8), layers), 3);
            }
        }
    }
    // more windows than are copied at a time
    let layers = vec![padded(convolution(40, 2, 3, 1))];
    assert_as_loops_say(&stack(image(40, 32, 32), layers), 1);
}

#[test]
fn means_are_those_of_windows_and_channels() {
    for size in [1, 2, 3] {
        let layers = vec![Layer::AveragePool { size }];
        assert_as_loops_say(&stack(image(3, 5, 7), layers), 2);
    }
    assert_as_loops_say(&stack(image(3, 4, 5), vec![Layer::GlobalAverage]), 2);
}

#[test]
fn scales_are_those_of_channels_or_inputs() {
    for (shape, count) in [
        (Shape::list(6), 6),
        (image(2, 3, 3), 2),
        (image(2, 3, 3), 18),
    ] {
        let layer = Layer::Scale {
            mean: arbitrary(1, count),
            scale: arbitrary(2, count).iter().map(|v| v + 2.0).collect(),
        };
        assert_as_loops_say(&stack(shape, vec![layer]), 5);
    }
}

/// Layers for images, a residual one with a shortcut, then layers for lists.
fn deep() -> Stack {
    let residual = Layer::Residual {
        inner: vec![
            padded(convolution(4, 6, 3, 2)),
            Layer::Relu,
            padded(convolution(6, 6, 3, 1)),
        ],
        shortcut: vec![Layer::Convolution(convolution(4, 6, 1, 2))],
    };
    let nested = Layer::Residual {
        inner: vec![
            linear(6, 6),
            Layer::Residual {
                inner: vec![],
                shortcut: vec![Layer::Relu],
            },
        ],
        shortcut: vec![],
    };
    let layers = vec![
        Layer::Scale {
            mean: vec![0.1, 0.2, 0.3],
            scale: vec![0.5, 0.6, 0.7],
        },
        padded(convolution(3, 4, 3, 1)),
        Layer::Relu,
        residual,
        Layer::AveragePool { size: 2 },
        Layer::GlobalAverage,
        nested,
        linear(6, 5),
        Layer::Relu,
    ];
    stack(image(3, 9, 8), layers)
}

/// So wide that fewer rows than usual go through it together.
fn wide() -> Stack {
    let layers = vec![
        padded(convolution(1, 40, 3, 1)),
        Layer::Relu,
        Layer::AveragePool { size: 8 },
        linear(640, 7),
    ];
    stack(image(1, 32, 32), layers)
}

fn lists() -> Stack {
    let layers = vec![linear(11, 30), Layer::Relu, linear(30, 7)];
    stack(Shape::list(11), layers)
}

#[test]
fn layers_follow_each_other() {
    assert_as_loops_say(&stack(Shape::list(4), vec![]), 3);
    assert_as_loops_say(&lists(), 70);
    assert_as_loops_say(&deep(), 3);
    assert_as_loops_say(&wide(), 18);
    let flattened = vec![Layer::Relu, linear(24, 5)];
    assert_as_loops_say(&stack(image(2, 3, 4), flattened), 4);
}

#[test]
fn a_row_does_not_depend_on_the_others_nor_on_threads() {
    for stack in [lists(), deep(), wide()] {
        let x = rows(150, stack.inputs());
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| stack.forward(&x).unwrap())
        };
        let all = run(1);
        assert_eq!(run(3), all);
        for size in [1, 2, 7, 63, 149] {
            for from in (0..150).step_by(size) {
                let part: Vec<usize> = (from..150.min(from + size)).collect();
                let found = stack.forward(&x.select(&part)).unwrap();
                assert_eq!(found, all.select(&part), "{size} rows from {from}");
            }
        }
        assert_eq!(stack.forward(&x.select(&[])).unwrap().rows(), 0);
    }
}

#[test]
fn models_put_the_network_behind_the_layers() {
    for (mut model, columns) in [(models::stacked(), 2), (models::convolved(), 32)] {
        model.check().unwrap();
        assert_eq!(model.features(), columns);
        let x = rows(70, columns);
        let features = model.stack.as_ref().unwrap().forward(&x).unwrap();
        let expected = model.network.predict(&features).unwrap();
        assert_eq!(model.decide(&x).unwrap(), expected);
        // what is missing is replaced in front of the layers
        model.imputation = Some(x.row(3).to_vec());
        let holes = Matrix::from_fn(1, columns, |_, _| f64::NAN);
        assert_eq!(model.decide(&holes).unwrap().row(0), expected.row(3));
    }
    let bytes = Bytes::from_rows(2, 32, (0..64).collect()).unwrap();
    let numbers = Matrix::from_fn(2, 32, |i, j| (32 * i + j) as f64);
    let model = models::convolved();
    assert_eq!(
        model.decide(&bytes).unwrap(),
        model.decide(&numbers).unwrap()
    );
    let mut other = models::stacked();
    other.network = models::gated().network;
    let error = other.check().unwrap_err().to_string();
    assert!(error.starts_with("features behind the layers"), "{error}");
}

#[test]
fn rows_that_cannot_be_used_are_refused() {
    let stack = lists();
    let refused = |x: Matrix<f64>| stack.forward(&x).unwrap_err().to_string();
    let error = refused(rows(2, 12));
    assert!(error.contains("11 columns, as in training"), "{error}");
    let with = |value: f64| {
        let x = rows(80, 11);
        Matrix::from_fn(80, 11, |i, j| match (i, j) {
            (77, 4) => value,
            _ => x.at(i, j),
        })
    };
    let error = refused(with(f64::NAN));
    assert!(error.contains("row 77, column 4"), "{error}");
    let error = refused(with(1e300));
    assert!(
        error.starts_with("row 77 (counting from 0) leaves"),
        "{error}"
    );
}

/// Why a stack is refused.
fn refusal(stack: Stack) -> String {
    let error = stack.check().unwrap_err();
    assert!(matches!(error, Error::Format(_)), "{error:?}");
    error.to_string()
}

#[test]
fn layers_that_do_not_fit_are_named() {
    let in_third = |layer: Layer| {
        let inner = vec![Layer::Relu, layer];
        let layers = vec![
            Layer::Relu,
            Layer::Relu,
            Layer::Residual {
                inner,
                shortcut: vec![],
            },
        ];
        refusal(stack(image(2, 4, 4), layers))
    };
    let error = in_third(linear(31, 32));
    assert_eq!(
        error,
        "layer 2.inner.1 (linear 31 -> 32): it gets 2 x 4 x 4 numbers"
    );
    let error = in_third(linear(32, 32));
    assert_eq!(
        error,
        "layer 2 (residual): 32 and 2 x 4 x 4 numbers cannot be added"
    );
    let short = |mean: usize, scale: usize| Layer::Scale {
        mean: vec![0.0; mean],
        scale: vec![1.0; scale],
    };
    let bias = |layer: Layer| match layer {
        Layer::Linear { weight, .. } => Layer::Linear {
            weight,
            bias: Some(vec![0.0]),
        },
        layer => layer,
    };
    let usual = || convolution(2, 2, 3, 1);
    let wrong = |change: fn(&mut Convolution)| {
        let mut convolution = usual();
        change(&mut convolution);
        Layer::Convolution(convolution)
    };
    for layer in [
        short(3, 3),
        short(2, 3),
        bias(linear(32, 2)),
        Layer::AveragePool { size: 0 },
        Layer::AveragePool { size: 5 },
        Layer::Convolution(convolution(1, 2, 3, 1)),
        Layer::Convolution(convolution(2, 2, 5, 1)),
        wrong(|c| c.kernel = 0),
        wrong(|c| c.kernel = usize::MAX),
        wrong(|c| c.stride = 0),
        wrong(|c| c.padding = 3),
        wrong(|c| c.padding = usize::MAX),
        wrong(|c| c.bias = Some(vec![])),
        wrong(|c| c.weight = single(0, 0, 18)),
    ] {
        let error = refusal(stack(image(2, 4, 4), vec![Layer::Relu, layer]));
        assert!(error.starts_with("layer 1 ("), "{error}");
    }
}

#[test]
fn sizes_beyond_reason_are_refused() {
    for input in [
        image(0, 4, 4),
        Shape::list(0),
        image(usize::MAX, usize::MAX, 2),
    ] {
        assert!(refusal(stack(input, vec![])).starts_with("the input: "));
    }
    let growing = vec![Layer::Convolution(convolution(1, 1000, 1, 1))];
    let error = refusal(stack(image(1, 1 << 14, 1 << 14), growing));
    assert!(error.contains("more than"), "{error}");
    let mut nested = Layer::Relu;
    for _ in 0..9 {
        nested = Layer::Residual {
            inner: vec![nested],
            shortcut: vec![],
        };
    }
    let error = refusal(stack(Shape::list(1), vec![nested]));
    assert!(error.contains("within 8 others"), "{error}");
}

#[test]
fn numbers_that_cannot_be_used_are_refused() {
    let scale = |mean, scale| Layer::Scale {
        mean: vec![mean],
        scale: vec![scale],
    };
    let weight = |value| Layer::Linear {
        weight: Matrix::from_rows(1, 1, vec![value]).unwrap(),
        bias: Some(vec![1.0]),
    };
    for layer in [
        scale(f32::NAN, 1.0),
        scale(0.0, 0.0),
        scale(0.0, f32::INFINITY),
        weight(f32::NAN),
    ] {
        let error = refusal(stack(Shape::list(1), vec![layer]));
        assert!(error.starts_with("layer 0 ("), "{error}");
    }
}
