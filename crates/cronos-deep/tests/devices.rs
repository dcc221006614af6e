//! Deep networks and encoders on a device, next to the processor.
#![cfg(any(feature = "flex", feature = "gpu", feature = "cuda"))]

use cronos::{HeadGates, HeadOptions, Loss, Matrix, Place};
use cronos_deep::language::transformer::{Activation, Config, Family, Transformer};
use cronos_deep::language::{Encoder, Pool, Tokens, Tuning};
use cronos_deep::optim::Method;
use cronos_deep::{
    Architecture, Checkpoint, Device, End, Inputs, Layers, Options, Rule, Samples, Trained, Watch,
    train_with,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// The devices of this build and this machine; the first of each kind.
fn places() -> Vec<Place> {
    let mut places = Vec::new();
    if cfg!(feature = "flex") {
        places.push(Place::Flex);
    }
    let there = |place: &Place| place.check().is_ok();
    places.extend(Place::DEVICES.into_iter().filter(there));
    assert!(
        !places.is_empty(),
        "no device is compiled in, or none is there"
    );
    places
}

fn wave(at: usize) -> f64 {
    (at as f64 * 0.7 + (at * at % 97) as f64).sin()
}

/// Rows of several blocks, each an image.
const ROWS: usize = 600;

/// Images of 6 x 6 with a bright bar: lying (−1, or class 1) or standing (1, or class 0).
fn bars(rows: usize, loss: Loss) -> (Matrix<f64>, Matrix<f32>) {
    let stands = |i: usize| i.is_multiple_of(2);
    let x = Matrix::from_fn(rows, 36, |i, at| {
        let bar = if stands(i) { at % 6 } else { at / 6 };
        0.5 * wave(i * 36 + at) + if bar == i / 2 % 6 { 1.0 } else { 0.0 }
    });
    let y = match loss {
        Loss::Softmax => Matrix::from_fn(rows, 2, |i, c| f32::from(stands(i) == (c == 0))),
        _ => Matrix::from_fn(rows, 1, |i, _| if stands(i) { 1.0 } else { -1.0 }),
    };
    (x, y)
}

fn options(rule: Rule) -> Options {
    Options {
        rule,
        head: HeadOptions {
            loss: Loss::Logistic,
            beta: 0.1,
            gates: 6,
            ..HeadOptions::default()
        },
        epochs: 2,
        batch: 300,
        decay: 0.1,
        ..Options::default()
    }
}

fn run(architecture: &str, place: Place, options: &Options, watch: Watch<'_>) -> Trained<Layers> {
    let (x, y) = bars(ROWS, options.head.loss);
    let image = Some([6, 6, 1]);
    let inputs = Inputs { table: &x, image };
    let options = Options {
        place,
        ..options.clone()
    };
    let device = place.open().unwrap().unwrap_or_else(Device::flex);
    let device = device.autodiff();
    let architecture: Architecture = architecture.parse().unwrap();
    let layers = architecture
        .build(&inputs.shape(), options.seed, &device)
        .unwrap();
    let weights: Vec<f64> = (0..ROWS).map(|row| 0.5 + (row % 3) as f64).collect();
    let samples = Samples {
        inputs,
        y: &y,
        weights: Some(&weights),
    };
    let (x, y) = bars(ROWS / 4, options.head.loss);
    let few = Samples {
        inputs: Inputs { table: &x, image },
        y: &y,
        weights: None,
    };
    train_with(layers, samples, Some(few), &options, &device, watch).unwrap()
}

fn all(architecture: &str, place: Place, options: &Options) -> Trained<Layers> {
    let mut observe = |_: &_| ControlFlow::Continue(());
    run(architecture, place, options, Watch::new(&mut observe))
}

/// Objectives, losses and scores after every epoch.
fn same(architecture: &str, options: &Options) {
    let here = all(architecture, Place::Cpu, options);
    for place in places() {
        let there = all(architecture, place, options);
        assert_eq!(there.end, End::Finished);
        assert_eq!(there.history.len(), here.history.len());
        for (a, b) in here.history.iter().zip(&there.history) {
            let what = format!("{architecture} {:?} on {place}", options.rule);
            let near = |a: f64, b: f64| (a - b).abs() <= 2e-3 * a.abs();
            assert!(
                near(a.validation_loss, b.validation_loss),
                "{what}: {a:?} {b:?}"
            );
            if a.objective.is_finite() {
                assert!(near(a.objective, b.objective), "{what}: {a:?} {b:?}");
            }
            // a few rows may stand just on the other side
            assert!((a.train - b.train).abs() < 0.02, "{what}: {a:?} {b:?}");
        }
    }
}

#[test]
fn last_layers_that_are_solved_for() {
    // the first steps on convolutions are long, and rounding errors grow with every one
    for (architecture, epochs) in [
        ("none", 2),
        ("mlp:12,8", 2),
        ("cnn:4", 1),
        ("residual:4", 1),
    ] {
        let mut options = options(Rule::Alternate);
        options.epochs = epochs;
        same(architecture, &options);
    }
    let mut softmax = options(Rule::Alternate);
    softmax.head.loss = Loss::Softmax;
    same("mlp:12", &softmax);
    for source in [HeadGates::Seed, HeadGates::Redrawn] {
        let mut options = options(Rule::Alternate);
        (options.head.source, options.epochs) = (source, 1);
        same("mlp:12", &options);
    }
}

#[test]
fn every_optimizer() {
    for method in Method::ALL {
        let rate = if method.needs_rate() { 1e-3 } else { 1.0 };
        same("mlp:12", &options(Rule::Descend { method, rate }));
    }
}

#[test]
fn a_training_goes_on_where_it_was() {
    for place in places() {
        for rule in [
            Rule::Alternate,
            Rule::Descend {
                method: Method::Yogi,
                rate: 1e-3,
            },
        ] {
            let options = options(rule);
            let whole = all("mlp:12", place, &options);
            let mut kept = None;
            let mut keep = |checkpoint: &Checkpoint| {
                kept = Some(checkpoint.clone());
                ControlFlow::Break(())
            };
            let mut observe = |_: &_| ControlFlow::Continue(());
            let mut watch = Watch::new(&mut observe);
            watch.keep = Some(&mut keep);
            let half = run("mlp:12", place, &options, watch);
            assert_eq!(half.end, End::BrokenOff);
            let kept = kept.unwrap();
            let mut observe = |_: &_| ControlFlow::Continue(());
            let mut watch = Watch::new(&mut observe);
            watch.from = Some(&kept);
            let again = run("mlp:12", place, &options, watch);
            assert_eq!(again.network, whole.network, "{rule:?} on {place}");
        }
    }
}

fn small(family: Family) -> Encoder {
    let mut config = Config::gpt2(31, 12, 2, 3);
    (config.positions, config.inner) = (16, 20);
    (config.family, config.end) = (family, Some(30));
    match family {
        Family::Gpt2 => {}
        Family::Bert => {
            config.kinds = 2;
            config.activation = Activation::Gelu;
        }
        Family::Llama => {
            config.activation = Activation::SiluGated;
            config.rotation = 1000.0;
            config.key_heads = 1;
            config.tied = false;
        }
    }
    let transformer = Transformer::new(config);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let drawn = (0..transformer.parameters()).map(|_| rng.random_range(-0.4..0.4));
    let parameters = drawn.collect();
    let folder = tempfile::tempdir().unwrap();
    let words = r#"{"a": 0, "b": 1}"#;
    std::fs::write(folder.path().join("vocab.json"), words).unwrap();
    std::fs::write(folder.path().join("merges.txt"), "#version: 0.2\n").unwrap();
    let tokens = Tokens::open(folder.path()).unwrap();
    Encoder::new(transformer, parameters, tokens).unwrap()
}

fn texts() -> Vec<Vec<u32>> {
    let text = |row: usize| (0..1 + row * 5 % 9).map(move |at| (row * 7 + at * at * 3) as u32 % 30);
    (0..24).map(|row| text(row).collect()).collect()
}

fn near(a: &[f32], b: &[f32], most: f32) -> bool {
    let largest = a.iter().fold(0.0f32, |largest, a| largest.max(a.abs()));
    a.len() == b.len()
        && (a.iter().zip(b)).all(|(a, b)| (a - b).abs() <= most * largest.max(f32::MIN_POSITIVE))
}

#[test]
fn features_of_texts() {
    for family in [Family::Gpt2, Family::Bert, Family::Llama] {
        let mut encoder = small(family);
        for pool in ["first", "last", "mean", "attention", "flat"] {
            let pool: Pool = pool.parse().unwrap();
            let here = encoder.features(&texts(), pool, 12).unwrap();
            for place in places() {
                encoder.to(place).unwrap();
                let there = encoder.features(&texts(), pool, 12).unwrap();
                encoder.to(Place::Cpu).unwrap();
                // what fills up a text has states of its own, which nobody looks at
                let counted = |features: &[f32]| -> Vec<f32> {
                    let all = texts()
                        .into_iter()
                        .zip(features.chunks(features.len() / 24));
                    all.flat_map(|(text, row)| match pool {
                        Pool::Flat => row[..12 * text.len()].to_vec(),
                        _ => row.to_vec(),
                    })
                    .collect()
                };
                assert!(
                    near(&counted(&here), &counted(&there), 1e-5),
                    "{family:?} {pool} on {place}"
                );
            }
        }
    }
}

/// Losses of all steps, and where the parameters are then.
fn tuned(
    mut encoder: Encoder,
    place: Place,
    classes: bool,
    blocks: Option<usize>,
) -> [Vec<f32>; 2] {
    let tuning = Tuning {
        epochs: 2,
        batch: 8,
        rate: 1e-3,
        blocks,
        seed: 3,
    };
    encoder.to(place).unwrap();
    let mut losses = Vec::new();
    let mut watch = |_: usize, _: usize, loss: f64| {
        losses.push(loss as f32);
        true
    };
    let labels: Vec<usize> = (0..24).map(|row| row % 3).collect();
    if classes {
        let to = (Pool::Mean, 12);
        let ended = encoder.tune_on_classes(&texts(), (&labels, 3), to, &tuning, &mut watch);
        ended.unwrap();
    } else {
        encoder
            .tune_on_texts(&texts(), &tuning, &mut watch)
            .unwrap();
    }
    assert_eq!(encoder.place(), place);
    let parameters = encoder.parameters().to_vec();
    // features are those of the new parameters
    let there = encoder.features(&texts(), Pool::Mean, 12).unwrap();
    encoder.to(Place::Cpu).unwrap();
    let here = encoder.features(&texts(), Pool::Mean, 12).unwrap();
    assert!(near(&here, &there, 1e-5));
    [losses, parameters]
}

#[test]
fn encoders_that_are_trained_further() {
    for (family, classes) in [
        (Family::Gpt2, false),
        (Family::Gpt2, true),
        (Family::Bert, true),
        (Family::Llama, false),
    ] {
        for blocks in [None, Some(1)] {
            let encoder = small(family);
            let here = tuned(encoder.clone(), Place::Cpu, classes, blocks);
            for place in places() {
                let there = tuned(encoder.clone(), place, classes, blocks);
                let what = format!("{family:?} {classes} {blocks:?} on {place}");
                assert!(
                    near(&here[0], &there[0], 1e-4),
                    "{what}: {here:?} {there:?}"
                );
                // AdamW moves a parameter by its rate even where the gradient is rounding error, so
                // that all of them count together
                let far = |a: &[f32], b: &[f32]| -> f64 {
                    a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).sum()
                };
                let (apart, moved) = (
                    far(&here[1], &there[1]),
                    far(&here[1], encoder.parameters()),
                );
                assert!(apart <= 1e-3 * moved, "{what}: {apart} of {moved}");
                let words = 0..31 * 12;
                let changed = encoder.parameters()[words.clone()] != there[1][words];
                assert_eq!(changed, blocks.is_none(), "{what}");
            }
        }
    }
}
