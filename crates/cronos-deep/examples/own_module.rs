//! A module of one's own in front of the convex head: digits of 8 x 8 pixels, read line by line
//! by a convolution whose channels a second one opens and shuts.
//!
//! ```text
//! h = C x ∘ σ(D x)
//! ```
//!
//! Whatever Burn can differentiate may stand there; only `forward` has to be written.

use burn::module::Module;
use burn::nn::conv::{Conv1d, Conv1dConfig};
use burn::tensor::{Tensor, activation};
use cronos::{HeadOptions, Loss, Matrix};
use cronos_deep::{Device, Epoch, Features, Inputs, Options, Samples, train};
use std::error::Error;
use std::ops::ControlFlow;

const SIDE: usize = 8;

/// Every line of an image is a channel, and the kernels run along the lines.
#[derive(Module, Debug)]
struct Gated {
    values: Conv1d,
    gates: Conv1d,
}

impl Gated {
    fn new(channels: usize, device: &Device) -> Self {
        let layer = Conv1dConfig::new(SIDE, channels, 3);
        Self {
            values: layer.init(device),
            gates: layer.init(device),
        }
    }
}

impl Features for Gated {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let rows = x.dims()[0];
        let x = x.reshape([rows, SIDE, SIDE]);
        let open = activation::sigmoid(self.gates.forward(x.clone()));
        (self.values.forward(x) * open).flatten(1, 2)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let digits = cronos_data::read("digits", &cronos_data::ReadOptions::default())?.train;
    let labels = cronos_data::labels::encode(&digits.target.ok_or("the digits have no target")?)?;
    let x = Matrix::from_fn(digits.features.rows, SIDE * SIDE, |i, j| {
        digits.features.at(i, j)
    });
    // 1 for the class of a row, else 0
    let y = Matrix::from_fn(x.rows(), labels.classes.len(), |i, c| {
        f32::from(u8::from(labels.indices[i] == c))
    });
    // a fifth is only looked at in the end, and a tenth of the rest chooses the epoch
    let (rest, test) = cronos::holdout(x.rows(), 0.2, 0, Some(&labels.indices))?;
    let (inner, outer) = cronos::holdout(rest.len(), 0.1, 0, None)?;
    let part = |rows: &[usize]| (x.select(rows), y.select(rows));
    let of = |parts: &[usize]| parts.iter().map(|&part| rest[part]).collect::<Vec<usize>>();
    let (training, validation, test) = (part(&of(&inner)), part(&of(&outer)), part(&test));

    let options = Options {
        head: HeadOptions {
            loss: Loss::Softmax,
            beta: 0.1,
            gates: 16,
            ..HeadOptions::default()
        },
        epochs: 15,
        ..Options::default()
    };
    let device = Device::flex().autodiff();
    device.seed(0);
    let trained = train(
        Gated::new(16, &device),
        samples(&training),
        Some(samples(&validation)),
        &options,
        &device,
        &mut |epoch: &Epoch| {
            eprintln!("epoch {}: {:.4}", epoch.number, epoch.validation);
            ControlFlow::Continue(())
        },
    )?;
    let features = trained.features_of(samples(&test).inputs, &device)?;
    let outputs = trained.network.predict(&features)?;
    let chosen = cronos::chosen_classes(&outputs);
    let right = (0..chosen.len()).filter(|&i| test.1.at(i, chosen[i]) == 1.0);
    println!(
        "{:.2} % of {} digits held out are right (epoch {})",
        100.0 * right.count() as f64 / chosen.len() as f64,
        chosen.len(),
        trained.best
    );
    Ok(())
}

/// Plain rows; [`Gated`] knows that they are images.
fn samples((x, y): &(Matrix<f64>, Matrix<f32>)) -> Samples<'_> {
    Samples {
        inputs: Inputs {
            table: x,
            image: None,
        },
        y,
        weights: None,
    }
}
