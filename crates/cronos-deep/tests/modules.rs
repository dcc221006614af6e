//! Training by kernels against training the same layers by Burn, as any other module.

use burn::module::Module;
use burn::tensor::Tensor;
use cronos::{HeadOptions, Loss, Matrix};
use cronos_deep::optim::Method;
use cronos_deep::{
    Architecture, Device, Epoch, Features, Goal, Inputs, Layers, Options, Rule, Samples, Trained,
    train,
};
use std::ops::ControlFlow;

/// Layers that do not tell that there are kernels for them.
#[derive(Module, Debug)]
struct Plain {
    layers: Layers,
}

impl Features for Plain {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.layers.forward(x)
    }
}

fn wave(at: usize) -> f64 {
    (at as f64 * 0.7 + (at * at % 97) as f64).sin()
}

fn run<F: Features>(
    wrap: impl Fn(Layers) -> F,
    y: &Matrix<f32>,
    weights: Option<&[f64]>,
    options: &Options,
) -> Trained<F> {
    let x = Matrix::from_fn(y.rows(), 50, |i, j| wave(50 * i + j));
    let inputs = Inputs {
        table: &x,
        image: Some([5, 5, 2]),
    };
    let device = Device::flex().autodiff();
    let architecture: Architecture = "cnn:4".parse().unwrap();
    let layers = architecture.build(&inputs.shape(), 1, &device).unwrap();
    let samples = Samples { inputs, y, weights };
    let go_on = &mut |_: &Epoch| ControlFlow::Continue(());
    train(wrap(layers), samples, None, options, &device, go_on).unwrap()
}

fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (a, b)) in found.iter().zip(expected).enumerate() {
        let size = b.abs().max(0.1);
        assert!((a - b).abs() <= 1e-4 * size, "{what}, {at}: {a} {b}");
    }
}

/// Several steps of gradient descent on all layers show every gradient, also of the loss.
#[test]
fn both_ways_train_the_same_network() {
    let losses = [
        Loss::Squared,
        Loss::Logistic,
        Loss::Softmax,
        Loss::SquaredHinge,
        Loss::Huber { delta: 0.3 },
        Loss::Quantile { level: 0.3 },
    ];
    let weights: Vec<f64> = (0..70).map(|i| 0.5 + (i % 3) as f64).collect();
    for loss in losses {
        let y = Matrix::from_fn(70, 3, |i, c| match loss {
            Loss::Softmax => f32::from(u8::from(i % 3 == c)),
            Loss::Logistic | Loss::SquaredHinge => wave(7 * i + c).signum() as f32,
            _ => wave(7 * i + c) as f32,
        });
        for weights in [None, Some(&weights[..])] {
            let options = Options {
                rule: Rule::Descend {
                    method: Method::Sgd,
                    rate: 0.01,
                },
                head: HeadOptions {
                    loss,
                    gates: 2,
                    ..HeadOptions::default()
                },
                goal: Goal::Numbers,
                epochs: 2,
                batch: 16,
                ..Options::default()
            };
            let by_hand = run(|layers| layers, &y, weights, &options);
            let by_burn = run(|layers| Plain { layers }, &y, weights, &options);
            let what = format!("{loss:?}, weights: {}", weights.is_some());
            let (a, b) = (&by_hand.network, &by_burn.network);
            assert_eq!(by_hand.best, by_burn.best, "{what}");
            assert_close(&what, a.hidden.values(), b.hidden.values());
            assert_close(&what, &a.hidden_bias, &b.hidden_bias);
            assert_close(&what, a.output.values(), b.output.values());
            assert_close(&what, &a.output_bias, &b.output_bias);
            for (a, b) in by_hand.history.iter().zip(&by_burn.history) {
                assert_close(&what, &[a.validation_loss], &[b.validation_loss]);
            }
        }
    }
}

#[test]
fn a_module_of_ones_own_alternates_too() {
    let y = Matrix::from_fn(70, 1, |i, _| wave(7 * i).signum() as f32);
    let options = Options {
        head: HeadOptions {
            loss: Loss::Logistic,
            beta: 0.1,
            gates: 4,
            ..HeadOptions::default()
        },
        epochs: 3,
        batch: 16,
        ..Options::default()
    };
    let by_hand = run(|layers| layers, &y, None, &options);
    let by_burn = run(|layers| Plain { layers }, &y, None, &options);
    for (a, b) in by_hand.history.iter().zip(&by_burn.history) {
        let (found, expected) = (a.objective / 70.0, b.objective / 70.0);
        assert!((found - expected).abs() <= 1e-5 * expected, "{a:?} {b:?}");
    }
}
