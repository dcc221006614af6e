//! Small models made by hand.

use cronos::stack::{Convolution, Layer, Shape};
use cronos::{Deep, Encoding, Gating, Matrix, Model, Network, Ramp, Stack, Task, Training};

/// Three classes, with numbers that are hard to write down exactly.
pub fn classifier() -> Model {
    let network = Network {
        encoding: Encoding::default(),
        hidden: matrix(2, 2, &[0.1, f64::MIN_POSITIVE / 3.0, -1e300, 1.0 / 3.0]),
        hidden_bias: vec![5e-324, -0.0],
        output: matrix(2, 3, &[1.0, -2.0, 0.3, 4.0, 1e-17, -6.0]),
        output_bias: vec![0.0, 1.5, f64::EPSILON],
        gating: None,
    };
    let classes = ["a", "b \"quoted\"", "ç\u{1F980}"]
        .map(String::from)
        .to_vec();
    Model {
        imputation: Some(vec![0.7, -1e-310]),
        ..model(network, Task::Classification { classes })
    }
}

/// Two classes on one feature: class 1 from 0 on.
pub fn binary() -> Model {
    let network = Network {
        encoding: Encoding::default(),
        hidden: matrix(2, 1, &[1.0, -1.0]),
        hidden_bias: vec![0.0, 0.0],
        output: matrix(2, 1, &[1.0, -1.0]),
        output_bias: vec![0.0],
        gating: None,
    };
    let classes = ["no", "yes"].map(String::from).to_vec();
    model(network, Task::Classification { classes })
}

/// Regression with two outputs and gates.
pub fn gated() -> Model {
    let network = Network {
        encoding: Encoding::default(),
        hidden: matrix(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        hidden_bias: vec![0.5, 0.25, 0.125],
        output: matrix(3, 2, &[1.0, -1.0, 2.0, -2.0, 3.0, -3.0]),
        output_bias: vec![10.0, 20.0],
        gating: Some(Gating {
            directions: matrix(2, 2, &[1.0, 0.0, 0.0, -1.0]),
            bias: vec![0.0, 0.5],
            gate_of: vec![1, 0, 1],
        }),
    };
    model(network, Task::Regression)
}

/// Regression without hidden units.
pub fn empty() -> Model {
    let network = Network {
        encoding: Encoding::default(),
        hidden: matrix(0, 3, &[]),
        hidden_bias: Vec::new(),
        output: matrix(0, 1, &[]),
        output_bias: vec![2.5],
        gating: None,
    };
    model(network, Task::Regression)
}

/// Regression on two features and two ramps.
pub fn encoded() -> Model {
    let ramp = |column, low, high| Ramp { column, low, high };
    let network = Network {
        encoding: Encoding {
            ramps: vec![ramp(0, -0.5, 1.0 / 3.0), ramp(1, 0.0, 2.0)],
            summed: false,
        },
        hidden: matrix(2, 4, &[1.0, 2.0, -3.0, 4.0, 0.1, -0.2, 0.3, -0.4]),
        hidden_bias: vec![0.5, -0.25],
        output: matrix(2, 1, &[1.5, -2.5]),
        output_bias: vec![0.125],
        gating: None,
    };
    model(network, Task::Regression)
}

/// The same with the ramps in place of the features.
pub fn ranked() -> Model {
    let mut network = encoded().network;
    network.encoding.summed = true;
    network.hidden = matrix(2, 2, &[1.0, 2.0, 0.1, -0.2]);
    model(network, Task::Regression)
}

/// Regression on two features, behind layers for lists.
pub fn stacked() -> Model {
    let stack = Stack {
        input: Shape::list(2),
        layers: vec![
            Layer::Scale {
                mean: vec![0.1, -2.0],
                scale: vec![0.5, 3.0],
            },
            Layer::Linear {
                weight: single(3, 2, &[1.0, -0.5, 1e-40, 0.3, -1.0, 2.0]),
                bias: Some(vec![0.25, -0.0, 0.125]),
            },
            Layer::Relu,
            Layer::Residual {
                inner: vec![Layer::Linear {
                    weight: single(3, 3, &[0.5, -1.0, 0.0, 2.0, 0.1, 1.0, -0.3, 0.7, 1.5]),
                    bias: None,
                }],
                shortcut: vec![],
            },
        ],
    };
    let network = Network {
        encoding: Encoding::default(),
        hidden: matrix(2, 3, &[1.0, 2.0, -1.0, 0.5, -0.5, 0.25]),
        hidden_bias: vec![0.5, 0.0],
        output: matrix(2, 1, &[1.0, -2.0]),
        output_bias: vec![0.75],
        gating: None,
    };
    behind(stack, model(network, Task::Regression))
}

/// Three classes of images, 2 x 4 x 4, behind layers for images.
pub fn convolved() -> Model {
    let convolution = |channels, outputs, kernel, stride, padding| {
        let count = outputs * channels * kernel * kernel;
        let values: Vec<f32> = (0..count).map(|at| (at as f32 * 0.7).sin()).collect();
        Layer::Convolution(Convolution {
            weight: single(outputs, channels * kernel * kernel, &values),
            bias: (kernel > 1).then(|| vec![0.1; outputs]),
            kernel,
            stride,
            padding,
        })
    };
    let stack = Stack {
        input: Shape {
            channels: 2,
            height: 4,
            width: 4,
        },
        layers: vec![
            convolution(2, 2, 3, 1, 1),
            Layer::Relu,
            Layer::Residual {
                inner: vec![convolution(2, 3, 3, 2, 1), Layer::Relu],
                shortcut: vec![Layer::AveragePool { size: 2 }, convolution(2, 3, 1, 1, 0)],
            },
            Layer::GlobalAverage,
        ],
    };
    let network = Network {
        encoding: Encoding::default(),
        hidden: matrix(2, 3, &[1.0, 2.0, -1.0, 0.5, -0.5, 0.25]),
        hidden_bias: vec![0.5, 0.0],
        output: matrix(2, 3, &[1.0, -2.0, 0.5, -1.0, 0.25, 3.0]),
        output_bias: vec![0.0, 0.1, -0.1],
        gating: None,
    };
    let classes = ["0", "1", "2"].map(String::from).to_vec();
    let mut model = behind(stack, model(network, Task::Classification { classes }));
    model.training.deep = Some(Deep {
        architecture: "by hand".into(),
        epochs: 3,
        optimizer: "none".into(),
        alternations: 2,
    });
    model
}

/// A model with layers in front of its network.
pub fn behind(stack: Stack, model: Model) -> Model {
    Model {
        feature_names: (0..stack.inputs()).map(|at| format!("x{at}")).collect(),
        stack: Some(stack),
        ..model
    }
}

/// One of each kind.
pub fn all() -> Vec<Model> {
    vec![
        classifier(),
        binary(),
        gated(),
        empty(),
        encoded(),
        ranked(),
        stacked(),
        convolved(),
    ]
}

/// A matrix of the given numbers, row by row.
pub fn matrix(rows: usize, columns: usize, values: &[f64]) -> Matrix<f64> {
    Matrix::from_rows(rows, columns, values.to_vec()).unwrap()
}

fn single(rows: usize, columns: usize, values: &[f32]) -> Matrix<f32> {
    Matrix::from_rows(rows, columns, values.to_vec()).unwrap()
}

fn model(network: Network, task: Task) -> Model {
    let (features, outputs) = (network.features(), network.outputs());
    let encoded = network.hidden.columns();
    Model {
        task,
        feature_names: (0..features).map(|at| format!("x{at}")).collect(),
        target_name: (outputs == 1).then(|| "y".to_string()),
        imputation: None,
        stack: None,
        training: Training {
            seed: u64::MAX,
            data_fingerprint: "0123456789abcdef".into(),
            left_out: vec!["id".into()],
            rows: 42,
            status: "converged".into(),
            iterations: 17,
            solver: "cholesky".into(),
            loss: "squared".into(),
            log_odds: false,
            activation: "relu".into(),
            precision: "f64".into(),
            beta: 0.1 + 0.2,
            gates: 64,
            grouping: None,
            images: None,
            text: None,
            deep: None,
            bias: true,
            feature_mean: vec![1.0 / 7.0; encoded],
            feature_scale: vec![3.0; encoded],
            target_mean: vec![0.0; outputs],
            target_scale: vec![1.0; outputs],
            objective: 7.038531e-26,
            lower_bound: f64::NEG_INFINITY,
            gap: f64::INFINITY,
            violation: 5e-324,
            network_objective: -0.0,
            train_score: Some(0.975_308_641_975_308_6),
            test_score: None,
        },
        network,
    }
}
