//! One training of a deep network, as `deep` and `compare` do it.

use crate::arguments::{self, Network};
use crate::commands::checks::check_holdout;
use crate::commands::job::Job;
use crate::commands::labelled::Truth;
use crate::commands::model::described;
use crate::commands::place;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::memory::{peak_bytes, resident_bytes};
use cronos::{Error, HeadGates, Loss, Model};
use cronos_deep::{About, Data, Layers, Moves, Options, Recipe, Trained};
use std::ops::ControlFlow;
use std::time::Instant;

/// What the arguments mean to the library; refuses what is out of range before any work is done.
pub fn recipe(network: &Network) -> Result<Recipe, Failure> {
    check_holdout(network.source.holdout)?;
    if let Some(seconds) = network.time_limit
        && (seconds.is_nan() || seconds <= 0.0)
    {
        return Err(Failure::Usage(format!(
            "time-limit is {seconds}; it must be above 0"
        )));
    }
    let recipe = Recipe {
        architecture: network.arch.clone(),
        epochs: network.epochs,
        batch: network.batch,
        loss: network.loss.map(|loss| match loss {
            arguments::DeepLoss::Squared => Loss::Squared,
            arguments::DeepLoss::Logistic => Loss::Logistic,
            arguments::DeepLoss::Softmax => Loss::Softmax,
            arguments::DeepLoss::SquaredHinge => Loss::SquaredHinge,
        }),
        alpha: network.alpha,
        beta: network.beta,
        gates: network.gates,
        head_gates: match network.head_gates {
            arguments::HeadGates::Seed => HeadGates::Seed,
            arguments::HeadGates::Redrawn => HeadGates::Redrawn,
            arguments::HeadGates::Learned => HeadGates::Learned,
        },
        head_iterations: network.head_iterations,
        moves: network.augment.map(|moves| match moves {
            arguments::Augment::None => Moves::None,
            arguments::Augment::Shift => Moves::Shift,
            arguments::Augment::Mirror => Moves::Mirror,
        }),
        place: place::find_and_tell(&network.device)?,
        seed: network.source.seed,
    };
    recipe.check()?;
    Ok(recipe)
}

/// The training rows of a job, as a deep network takes them.
pub fn data<'a>(job: &'a Job, recipe: &Recipe) -> Result<Data<'a>, Error> {
    let truth = match &job.train_truth {
        Truth::Classes(indices) => cronos_deep::Truth::Classes {
            indices,
            count: job.classes().len(),
        },
        Truth::Numbers(y) => cronos_deep::Truth::Numbers(y),
    };
    let image = job
        .image_shape
        .map(|(height, width, channels)| [height, width, channels]);
    Data::new(&*job.train, image, truth, job.weights.as_deref(), recipe)
}

/// The bytes that this process will have taken by the end of a training; refuses one that does not
/// fit.
pub fn planned_bytes(recipe: &Recipe, data: &Data<'_>) -> Result<u64, Error> {
    let needed = recipe.memory(data)?;
    let so_far = resident_bytes().unwrap_or(0).saturating_add(needed);
    Ok(so_far.max(peak_bytes().unwrap_or(0)))
}

/// The model: layers and network as one.
pub fn model(
    job: &Job,
    recipe: &Recipe,
    data: &Data<'_>,
    options: &Options,
    trained: &Trained<Layers>,
    broken_off: &'static str,
    imputation: Option<Vec<f64>>,
) -> Result<Model, Error> {
    let about = About {
        task: job.task.clone(),
        feature_names: job.feature_names.clone(),
        broken_off,
    };
    let model = recipe.model(data, options, trained, about)?;
    Ok(described(model, job, imputation))
}

/// Why a training may have to end early.
pub struct Limits<'a> {
    pub interrupt: &'a Interrupt,
    pub start: Instant,
    pub seconds: Option<f64>,
}

impl Limits<'_> {
    /// Whether the time is up.
    fn late(&self) -> bool {
        let gone = self.start.elapsed().as_secs_f64();
        self.seconds.is_some_and(|most| gone >= most)
    }

    /// Whether to go on with the next epoch.
    pub fn next(&self) -> ControlFlow<()> {
        match self.interrupt.asked() || self.late() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// How a training ended that was broken off.
    pub fn met(&self) -> &'static str {
        match self.interrupt.asked() {
            true => "interrupted",
            false => "time-limit",
        }
    }
}
