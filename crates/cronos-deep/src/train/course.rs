//! The loop over epochs.

use super::checkpoint::{Checkpoint, Terms};
use super::run::Run;
use super::{End, Epoch, Options, Samples, Trained};
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
    let (mut history, mut best, mut kept) = (Vec::new(), 0, run.values()?);
    if let (Some(from), Some(terms)) = (watch.from, &terms) {
        run.resume(from, terms)?;
        history.clone_from(&from.history);
        (best, kept) = (from.best, from.best_values.clone());
    }
    let mut end = End::Finished;
    for number in history.len()..=options.epochs {
        let patient = |patience| number <= best + patience;
        if number > 0 && !options.patience.is_none_or(patient) {
            break;
        }
        if number > 0 && run.epoch(number, watch.stop)?.is_break() {
            end = End::BrokenOff;
            break;
        }
        let epoch = match run.judge(number) {
            Err(Error::NotFinite { .. } | Error::Numerical(_)) if number > 0 => None,
            epoch => Some(epoch?).filter(|epoch| number == 0 || epoch.validation_loss.is_finite()),
        };
        let Some(epoch) = epoch else {
            end = End::Diverged;
            break;
        };
        history.push(epoch);
        if is_best(&history, best, run.counted()) {
            (best, kept) = (number, run.values()?);
        }
        let mut go_on = (watch.observe)(&epoch).is_continue();
        if let (Some(keep), Some(terms)) = (&mut keep, &terms) {
            let checkpoint = run.checkpoint(terms, &history, best, &kept)?;
            go_on &= keep(&checkpoint).is_continue();
        }
        if !go_on {
            end = End::BrokenOff;
            break;
        }
    }
    let network = run.network(&kept);
    let (scale, of_features, beta) = (run.scale.clone(), run.of_features, run.beta());
    drop(run);
    Ok(Trained {
        features: parameters::write(features, &kept[..of_features]),
        network,
        beta,
        scale,
        history,
        best,
        end,
    })
}

/// Whether the last epoch is better than the best before it. Scores within the noise of the
/// highest say nothing about which of them is better; their losses do.
fn is_best(history: &[Epoch], best: usize, counted: Option<usize>) -> bool {
    let Some((last, before)) = history.split_last() else {
        return false;
    };
    let Some(best) = before.get(best) else {
        return true;
    };
    let scores = history.iter().map(|epoch| epoch.validation);
    let most = scores.fold(f64::NEG_INFINITY, f64::max);
    let enough = most - counted.map_or(0.0, |rows| noise(most, rows));
    let good = |epoch: &Epoch| epoch.validation >= enough;
    good(last) && (!good(best) || last.validation_loss < best.validation_loss)
}

/// The standard error of a share of rows, with one right and one wrong row more, so that it is
/// not 0 where all are right.
fn noise(share: f64, rows: usize) -> f64 {
    let rows = rows as f64;
    let share = (share * rows + 1.0) / (rows + 2.0);
    (share * (1.0 - share) / (rows + 2.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{Epoch, is_best};

    fn best_of(scores_and_losses: &[(f64, f64)], counted: Option<usize>) -> usize {
        let (mut history, mut best) = (Vec::new(), 0);
        for (number, &(validation, validation_loss)) in scores_and_losses.iter().enumerate() {
            history.push(Epoch {
                number,
                before_head: 0.0,
                objective: 0.0,
                train: 0.0,
                validation,
                validation_loss,
                seconds: 0.0,
                step_seconds: 0.0,
            });
            if is_best(&history, best, counted) {
                best = number;
            }
        }
        best
    }

    #[test]
    fn among_scores_that_are_as_good_the_loss_decides() {
        let epochs = [
            (0.90, 0.3),
            (0.92, 0.4),
            (0.91, 0.2),
            (0.89, 0.1),
            (0.92, 0.3),
        ];
        assert_eq!(best_of(&epochs, None), 4, "of equal scores the lower loss");
        // the standard error of 0.92 is 0.0086 on 1,000 rows, 0.012 on 500, 0.027 on 100
        assert_eq!(best_of(&epochs, Some(1000)), 4);
        assert_eq!(best_of(&epochs, Some(500)), 2);
        assert_eq!(best_of(&epochs, Some(80)), 3);
        assert_eq!(best_of(&epochs[..1], Some(80)), 0);
    }

    #[test]
    fn an_epoch_that_falls_behind_a_new_highest_score_is_given_up() {
        let epochs = [(0.5, 0.1), (0.9, 0.3)];
        assert_eq!(best_of(&epochs, Some(100)), 1);
    }
}
