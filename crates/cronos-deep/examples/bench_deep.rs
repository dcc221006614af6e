//! Seconds of an epoch on synthetic images of 32 x 32 pixels and three colours, as JSON: a
//! line for each run that is asked for.
//!
//! `bench_deep ROWS EPOCHS ARCHITECTURE RULE…`, where a rule is `cronos-am`, `adam` or `adamw`.

use cronos::{Bytes, HeadOptions, Loss, Matrix};
use cronos_deep::optim::Method;
use cronos_deep::{Architecture, Device, Epoch, Inputs, Options, Rule, Samples, train};
use rand::{RngExt, SeedableRng};
use std::error::Error;
use std::ops::ControlFlow;

const IMAGE: [usize; 3] = [32, 32, 3];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rows, epochs, architecture, rules @ ..] = &arguments[..] else {
        return Err("give ROWS EPOCHS ARCHITECTURE RULE…".into());
    };
    let (rows, epochs): (usize, usize) = (rows.parse()?, epochs.parse()?);
    let size = IMAGE.iter().product();
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(0);
    let bytes: Vec<u8> = (0..rows * size).map(|_| rng.random()).collect();
    let y = Matrix::from_fn(rows, 1, |i, _| match bytes[i * size] < 128 {
        true => 1.0,
        false => -1.0,
    });
    let table = Bytes::from_rows(rows, size, bytes)?;
    let inputs = Inputs {
        table: &table,
        image: Some(IMAGE),
    };
    let samples = Samples {
        inputs,
        y: &y,
        weights: None,
    };
    let device = Device::flex().autodiff();
    let architecture: Architecture = architecture.parse()?;
    for rule in rules {
        let descend = |method| Rule::Descend { method, rate: 1e-3 };
        let options = Options {
            rule: match rule.as_str() {
                "cronos-am" => Rule::Alternate,
                "adam" => descend(Method::Adam),
                "adamw" => descend(Method::AdamW),
                other => return Err(format!("{other} is no rule of this benchmark").into()),
            },
            head: HeadOptions {
                loss: Loss::Logistic,
                ..HeadOptions::default()
            },
            epochs,
            ..Options::default()
        };
        let layers = architecture.build(&inputs.shape(), 0, &device)?;
        let mut seen: Vec<Epoch> = Vec::new();
        let observe = &mut |epoch: &Epoch| {
            seen.push(*epoch);
            ControlFlow::Continue(())
        };
        train(layers, samples, None, &options, &device, observe)?;
        let whole: Vec<f64> = (seen.windows(2))
            .map(|pair| pair[1].seconds - pair[0].seconds)
            .collect();
        let steps: Vec<f64> = seen[1..].iter().map(|epoch| epoch.step_seconds).collect();
        println!(
            "{{\"architecture\": \"{architecture}\", \"rule\": \"{rule}\", \"rows\": {rows}, \
             \"epochs\": {whole:?}, \"steps\": {steps:?}}}"
        );
    }
    Ok(())
}
