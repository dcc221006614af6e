//! Writes models as ONNX files, each with features and the outputs this library
//! gives for them: `cargo run --release -p cronos --example onnx_cases -- DIR`.
//! `xtask/python/check_onnx.py DIR` compares them with onnxruntime.

use cronos::stack::{Convolution, Layer, Shape};
use cronos::{Encoding, Gating, Matrix, Model, Network, Ramp, Stack, Task, Training};
use std::error::Error;
use std::fs;
use std::path::Path;

/// Rows per case; not a multiple of the library's batch.
const ROWS: usize = 101;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: onnx_cases DIR")?;
    let directory = Path::new(&directory);
    let two = |a: &str, b: &str| vec![a.to_string(), b.to_string()];
    let strings = ["setosa", "versi color", "virgínica"].map(String::from);
    let integers = ["-3", "0", "12", "7"].map(String::from);
    let classes = |classes: &[String]| Task::Classification {
        classes: classes.to_vec(),
    };
    let missing = Model {
        imputation: Some(vec![0.1, -2.0, 1e-3, 7.5]),
        ..model(classes(&two("no", "yes")), network(6, 4, 1, None))
    };
    let cases = [
        (
            "binary",
            model(classes(&two("0", "1")), network(9, 5, 1, None)),
        ),
        (
            "padded_integers",
            model(classes(&two("01", "02")), network(3, 2, 1, None)),
        ),
        ("strings", model(classes(&strings), network(12, 4, 3, None))),
        (
            "integers",
            model(classes(&integers), network(8, 3, 4, None)),
        ),
        (
            "ties",
            model(classes(&strings), constant(2, vec![1.0, 2.0, 2.0])),
        ),
        (
            "regression",
            model(Task::Regression, network(20, 6, 2, None)),
        ),
        ("gated", model(Task::Regression, network(10, 4, 2, Some(3)))),
        (
            "gated_binary",
            model(classes(&two("a", "b")), network(7, 1, 1, Some(7))),
        ),
        ("missing", missing),
        (
            "encoded",
            model(classes(&strings), encoded(11, 4, 3, false)),
        ),
        ("ranks", model(classes(&strings), encoded(11, 4, 3, true))),
        (
            "empty",
            model(Task::Regression, constant(3, vec![4.5, -1.25])),
        ),
        (
            "empty_binary",
            model(classes(&two("a", "b")), constant(1, vec![0.0])),
        ),
        (
            "stack_linear",
            Model {
                imputation: Some(vec![0.1, -2.0, 1e-3, 7.5]),
                ..behind(lists(), model(classes(&strings), network(9, 6, 3, None)))
            },
        ),
        (
            "stack_image",
            behind(images(), model(Task::Regression, network(8, 20, 2, None))),
        ),
        (
            "stack_residual",
            behind(
                residual(),
                model(classes(&integers), network(7, 6, 4, None)),
            ),
        ),
    ];
    for (name, model) in &cases {
        write_case(&directory.join(name), model)?;
    }
    println!("{} cases in {}", cases.len(), directory.display());
    Ok(())
}

/// Writes the model, its features, its decisions and its labels.
fn write_case(directory: &Path, model: &Model) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    let mut numbers = Numbers(99);
    let columns = model.features();
    let features: Vec<f32> = (0..ROWS * columns)
        .map(|at| match (at % 5, &model.imputation) {
            (0, Some(_)) => f32::NAN,
            _ => 3.0 * numbers.next() as f32,
        })
        .collect();
    let wide = features.iter().map(|&value| f64::from(value)).collect();
    let x = Matrix::from_rows(ROWS, columns, wide)?;
    let decision = model.decide(&x)?;
    fs::write(directory.join("model.onnx"), model.to_onnx()?)?;
    let bytes = features.iter().flat_map(|v| v.to_le_bytes()).collect();
    fs::write(directory.join("features.npy"), npy("<f4", columns, bytes))?;
    let bytes = decision
        .values()
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    fs::write(
        directory.join("decision.npy"),
        npy("<f8", decision.columns(), bytes),
    )?;
    if let Task::Classification { classes } = &model.task {
        let labels: Vec<&str> = (model.classify(&x)?.into_iter())
            .map(|class| classes[class].as_str())
            .collect();
        fs::write(directory.join("label.txt"), labels.join("\n") + "\n")?;
    }
    Ok(())
}

/// A numpy file of `ROWS` rows, row by row.
fn npy(kind: &str, columns: usize, bytes: Vec<u8>) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({ROWS}, {columns}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.into_bytes());
    file.extend(bytes);
    file
}

/// A network of arbitrary numbers.
fn network(units: usize, features: usize, outputs: usize, gates: Option<usize>) -> Network {
    let mut numbers = Numbers(units as u64);
    let gating = gates.map(|gates| Gating {
        directions: numbers.matrix(gates, features),
        bias: numbers.matrix(1, gates).values().to_vec(),
        gate_of: (0..units).map(|unit| (unit * 5 + 1) % gates).collect(),
    });
    Network {
        encoding: Encoding::default(),
        hidden: numbers.matrix(units, features),
        hidden_bias: numbers.matrix(1, units).values().to_vec(),
        output: numbers.matrix(units, outputs),
        output_bias: numbers.matrix(1, outputs).values().to_vec(),
        gating,
    }
}

/// A network on features and three ramps, behind or in place of them.
fn encoded(units: usize, features: usize, outputs: usize, summed: bool) -> Network {
    let ramp = |column, low, high| Ramp { column, low, high };
    let encoding = Encoding {
        ramps: vec![ramp(0, -1.0, 0.3), ramp(2, -0.7, 0.0), ramp(2, 0.0, 1.9)],
        summed,
    };
    let width = features + encoding.added();
    Network {
        encoding,
        ..network(units, width, outputs, None)
    }
}

/// A model behind layers.
fn behind(stack: Stack, model: Model) -> Model {
    Model {
        feature_names: (0..stack.inputs()).map(|at| at.to_string()).collect(),
        stack: Some(stack),
        ..model
    }
}

/// Layers from 4 numbers to 6.
fn lists() -> Stack {
    let mut numbers = Numbers(5);
    let layers = vec![
        Layer::Scale {
            mean: vec![0.1, -0.2, 0.3, 0.0],
            scale: vec![1.0, 2.0, 0.5, -3.0],
        },
        numbers.linear(4, 9, true),
        Layer::Relu,
        numbers.linear(9, 6, false),
    ];
    Stack {
        input: Shape::list(4),
        layers,
    }
}

/// Layers from images of three channels to 5 x 2 x 2 numbers; pooling drops a rest.
fn images() -> Stack {
    let mut numbers = Numbers(6);
    let input = Shape {
        channels: 3,
        height: 8,
        width: 9,
    };
    let scale = |count: usize| Layer::Scale {
        mean: (0..count).map(|at| at as f32 * 0.1).collect(),
        scale: (0..count).map(|at| at as f32 * 0.2 + 0.5).collect(),
    };
    let layers = vec![
        scale(input.numbers()),
        scale(3),
        numbers.convolution([3, 4, 3, 2, 1]),
        Layer::Relu,
        Layer::AveragePool { size: 2 },
        numbers.convolution([4, 5, 1, 1, 0]),
    ];
    Stack { input, layers }
}

/// Residual layers on an image and on a list, with a shortcut and without.
fn residual() -> Stack {
    let mut numbers = Numbers(7);
    let input = Shape {
        channels: 1,
        height: 6,
        width: 6,
    };
    let layers = vec![
        numbers.convolution([1, 3, 3, 1, 1]),
        Layer::Residual {
            inner: vec![
                Layer::Relu,
                numbers.convolution([3, 4, 3, 2, 1]),
                Layer::Relu,
                numbers.convolution([4, 4, 3, 1, 1]),
            ],
            shortcut: vec![numbers.convolution([3, 4, 1, 2, 0])],
        },
        Layer::Relu,
        Layer::Residual {
            inner: vec![numbers.linear(36, 4, true)],
            shortcut: vec![Layer::AveragePool { size: 3 }],
        },
        Layer::GlobalAverage,
        Layer::Residual {
            inner: vec![numbers.linear(4, 4, true), Layer::Relu],
            shortcut: vec![],
        },
        numbers.linear(4, 6, false),
    ];
    Stack { input, layers }
}

/// A network without units.
fn constant(features: usize, output_bias: Vec<f64>) -> Network {
    Network {
        encoding: Encoding::default(),
        hidden: Matrix::from_fn(0, features, |_, _| 0.0),
        hidden_bias: Vec::new(),
        output: Matrix::from_fn(0, output_bias.len(), |_, _| 0.0),
        output_bias,
        gating: None,
    }
}

fn model(task: Task, network: Network) -> Model {
    let (features, outputs) = (network.features(), network.outputs());
    let encoded = network.hidden.columns();
    Model {
        task,
        feature_names: (0..features).map(|at| format!("feature {at}")).collect(),
        target_name: Some("target".into()),
        imputation: None,
        stack: None,
        training: Training {
            seed: 1,
            data_fingerprint: "none".into(),
            left_out: Vec::new(),
            rows: 0,
            status: "made by hand".into(),
            iterations: 0,
            solver: "none".into(),
            loss: "squared".into(),
            log_odds: false,
            activation: "relu".into(),
            precision: "f64".into(),
            beta: 0.0,
            gates: 0,
            grouping: None,
            images: None,
            text: None,
            deep: None,
            bias: true,
            feature_mean: vec![0.0; encoded],
            feature_scale: vec![1.0; encoded],
            target_mean: vec![0.0; outputs],
            target_scale: vec![1.0; outputs],
            objective: 0.0,
            lower_bound: 0.0,
            gap: 0.0,
            violation: 0.0,
            network_objective: 0.0,
            train_score: None,
            test_score: None,
        },
        network,
    }
}

/// Arbitrary numbers in [-1, 1), the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = (self.0)
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Matrix<f64> {
        let values: Vec<f64> = (0..rows * columns).map(|_| self.next()).collect();
        Matrix::from_fn(rows, columns, |i, j| values[i * columns + j])
    }
    fn singles(&mut self, rows: usize, columns: usize) -> Matrix<f32> {
        self.matrix(rows, columns).cast()
    }

    fn linear(&mut self, inputs: usize, outputs: usize, bias: bool) -> Layer {
        Layer::Linear {
            weight: self.singles(outputs, inputs),
            bias: bias.then(|| self.singles(1, outputs).values().to_vec()),
        }
    }

    fn convolution(&mut self, sizes: [usize; 5]) -> Layer {
        let [channels, outputs, kernel, stride, padding] = sizes;
        Layer::Convolution(Convolution {
            weight: self.singles(outputs, channels * kernel * kernel),
            bias: (stride == 1).then(|| self.singles(1, outputs).values().to_vec()),
            kernel,
            stride,
            padding,
        })
    }
}
