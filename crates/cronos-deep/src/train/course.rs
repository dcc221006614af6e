//! The loop over epochs.

use super::checkpoint::{Checkpoint, Terms};
use super::run::Run;
use super::{Epoch, Options, Samples, Trained};
use crate::features::Features;
use crate::parameters;
use burn::tensor::Device;
use cronos::Error;
use std::ops::ControlFlow;

/// Gets the state after an epoch, and may break off.
pub type Keep<'a> = &'a mut dyn FnMut(&Checkpoint) -> ControlFlow<()>;

/// What goes on beside training.
pub struct Watch<'a> {
    /// Sees the record of every epoch, and may break off.
    pub observe: &'a mut dyn FnMut(&Epoch) -> ControlFlow<()>,
    /// Asked before every step; training ends within the epoch once it answers yes.
    pub stop: &'a dyn Fn() -> bool,
    /// Called after every epoch, if it is there.
    pub keep: Option<Keep<'a>>,
    /// Where to go on from, with the same bits as if nothing had happened.
    pub from: Option<&'a Checkpoint>,
}

impl<'a> Watch<'a> {
    /// Only looks on.
    pub fn new(observe: &'a mut dyn FnMut(&Epoch) -> ControlFlow<()>) -> Self {
        Self {
            observe,
            stop: &|| false,
            keep: None,
            from: None,
        }
    }
}

/// Trains `features` and the two layers behind them. After every epoch `observe` sees its
/// record and may break off.
pub fn train<F: Features>(
    features: F,
    train: Samples<'_>,
    validation: Option<Samples<'_>>,
    options: &Options,
    device: &Device,
    observe: &mut dyn FnMut(&Epoch) -> ControlFlow<()>,
) -> Result<Trained<F>, Error> {
    let watch = Watch::new(observe);
    train_with(features, train, validation, options, device, watch)
}

/// The same, with more said about what goes on beside it. Whoever breaks off gets the best
/// network so far.
pub fn train_with<F: Features>(
    features: F,
    train: Samples<'_>,
    validation: Option<Samples<'_>>,
    options: &Options,
    device: &Device,
    watch: Watch<'_>,
) -> Result<Trained<F>, Error> {
    let mut run = Run::new(&features, train, validation, options, device)?;
    let mut keep = watch.keep;
    let terms = match keep.is_some() || watch.from.is_some() {
        true => Some(Terms::of(train, validation, options, &run)?),
        false => None,
    };
    let (mut history, mut best, mut kept) = (Vec::new(), 0, run.values().to_vec());
    if let (Some(from), Some(terms)) = (watch.from, &terms) {
        run.resume(from, terms)?;
        history.clone_from(&from.history);
        (best, kept) = (from.best, from.best_values.clone());
    }
    let mut interrupted = false;
    for number in history.len()..=options.epochs {
        let patient = |patience| number <= best + patience;
        if number > 0 && !options.patience.is_none_or(patient) {
            break;
        }
        if number > 0 && run.epoch(number, watch.stop)?.is_break() {
            interrupted = true;
            break;
        }
        let epoch = run.judge(number)?;
        if history.get(best).is_none_or(|best| epoch.beats(best)) {
            (best, kept) = (number, run.values().to_vec());
        }
        history.push(epoch);
        let mut go_on = (watch.observe)(&epoch).is_continue();
        if let (Some(keep), Some(terms)) = (&mut keep, &terms) {
            let checkpoint = run.checkpoint(terms, &history, best, &kept);
            go_on &= keep(&checkpoint).is_continue();
        }
        if !go_on {
            interrupted = true;
            break;
        }
    }
    let network = run.network(&kept);
    let (scale, of_features) = (run.scale.clone(), run.of_features);
    drop(run);
    Ok(Trained {
        features: parameters::write(features, &kept[..of_features]),
        network,
        scale,
        history,
        best,
        interrupted,
    })
}
