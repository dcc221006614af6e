//! One training of a deep network, as `deep` and `compare` do it.

use super::data::Data;
use crate::arguments::{HeadGates, Network};
use crate::commands::checks::check_holdout;
use crate::commands::job::Job;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use cronos::{Error, HeadOptions, Loss, Model, Training};
use cronos_deep::{Device, Layers, Options, Rule, Trained, Watch};
use std::ops::ControlFlow;
use std::time::Instant;

/// The name of the alternation, beside those of the optimizers.
pub const ALTERNATION: &str = "cronos-am";

/// Refuses settings out of range before any work is done.
pub fn check(network: &Network) -> Result<(), Failure> {
    check_holdout(network.source.holdout)?;
    let at_least_one = [
        ("epochs", network.epochs.unwrap_or(1)),
        ("batch", network.batch),
        ("gates", network.gates),
        ("head-iterations", network.head_iterations),
    ];
    if let Some((name, _)) = at_least_one.iter().find(|(_, value)| *value == 0) {
        return Err(Failure::Usage(format!(
            "{name} is 0; it must be at least 1"
        )));
    }
    for (name, value) in [
        ("alpha", network.alpha),
        ("beta", network.beta.unwrap_or(0.0)),
    ] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Failure::Usage(format!(
                "{name} is {value}; it must be finite and not negative"
            )));
        }
    }
    match network.time_limit {
        Some(seconds) if seconds.is_nan() || seconds <= 0.0 => Err(Failure::Usage(format!(
            "time-limit is {seconds}; it must be above 0"
        ))),
        _ => Ok(()),
    }
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

/// Rows that are gone over in all epochs together, unless there are very many or very few.
const GONE_OVER: usize = 300_000;

/// How often all rows are gone over: more often where there are few.
pub fn epochs(network: &Network, data: &Data<'_>) -> usize {
    let rows = data.train().inputs.rows().max(1);
    network.epochs.unwrap_or((GONE_OVER / rows).clamp(20, 100))
}

/// The penalty on the last two layers, which stands beside a sum over rows.
pub fn beta(network: &Network, data: &Data<'_>) -> f64 {
    let rows = data.train().inputs.rows() as f64;
    network.beta.unwrap_or(0.005 * rows)
}

/// What the arguments mean to the library.
pub fn options(network: &Network, data: &Data<'_>, rule: Rule) -> Options {
    Options {
        rule,
        head: HeadOptions {
            loss: data.loss,
            beta: beta(network, data),
            lower: network.beta.is_none(),
            gates: network.gates,
            source: match network.head_gates {
                HeadGates::Seed => cronos::HeadGates::Seed,
                HeadGates::Redrawn => cronos::HeadGates::Redrawn,
                HeadGates::Learned => cronos::HeadGates::Learned,
            },
            iterations: network.head_iterations,
            seed: network.source.seed,
        },
        goal: data.goal,
        epochs: epochs(network, data),
        batch: network.batch,
        decay: network.alpha,
        augment: data.augment(network.augment),
        seed: network.source.seed,
        ..Options::default()
    }
}

/// Trains.
pub fn train(
    network: &Network,
    data: &Data<'_>,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Trained<Layers>, Error> {
    let device = Device::flex().autodiff();
    let shape = data.train().inputs.shape();
    let layers = network.arch.build(&shape, options.seed, &device)?;
    let validation = data.validation();
    cronos_deep::train_with(layers, data.train(), validation, options, &device, watch)
}

/// The model: layers and network as one.
pub fn model(
    job: &Job,
    network: &Network,
    data: &Data<'_>,
    options: &Options,
    trained: &Trained<Layers>,
    imputation: Option<Vec<f64>>,
) -> Result<Model, Error> {
    let last = data.scaling.undo(trained.network.clone());
    let features = last.features();
    let epoch = &trained.history[trained.best];
    let epochs = trained.history.len() - 1;
    // who trained all, who the layers, and how often the last two were solved for
    let (solver, optimizer, alternations) = match options.rule {
        Rule::Alternate => (ALTERNATION, "dadam", epochs),
        Rule::Descend { method, .. } => (method.name(), method.name(), 0),
    };
    Ok(Model {
        stack: Some(trained.features.stack(&trained.scale)?),
        network: last,
        task: job.task.clone(),
        feature_names: job.feature_names.clone(),
        target_name: job.target_name.clone(),
        imputation,
        training: Training {
            seed: options.seed,
            data_fingerprint: job.fingerprint.clone(),
            left_out: job.left_out.clone(),
            rows: job.train.rows(),
            status: "validated".into(),
            iterations: epochs,
            solver: solver.into(),
            loss: options.head.loss.name().into(),
            log_odds: matches!(options.head.loss, Loss::Logistic | Loss::Softmax),
            activation: "relu".into(),
            precision: "f32".into(),
            beta: trained.beta,
            gates: options.head.gates,
            grouping: job.grouping.clone(),
            images: job.images.clone(),
            deep: Some(cronos::Deep {
                architecture: network.arch.to_string(),
                epochs,
                optimizer: optimizer.into(),
                alternations,
            }),
            bias: true,
            feature_mean: vec![0.0; features],
            feature_scale: vec![1.0; features],
            target_mean: data.scaling.mean.clone(),
            target_scale: data.scaling.scale.clone(),
            objective: epoch.objective,
            lower_bound: 0.0,
            gap: 1.0,
            violation: 0.0,
            network_objective: epoch.objective,
            train_score: None,
            test_score: None,
        },
    })
}
