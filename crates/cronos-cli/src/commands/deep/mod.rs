//! `cronos deep`

mod data;
mod summary;

use super::checks::{check_holdout, start_threads};
use super::job::Job;
use crate::arguments::{Deep, HeadGates, Network};
use crate::failure::{self, Failure};
use crate::interrupt::Interrupt;
use crate::model_file;
use crate::output;
use crate::progress::Epochs;
use crate::score::Score;
use cronos::{Error, HeadOptions, Loss, Model, Training};
use cronos_deep::{Device, Epoch, Layers, Options, Rule, Trained};
use data::Data;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;
use summary::Summary;

pub fn run(deep: &Deep) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let network = &deep.network;
    if let Some(out) = &deep.out {
        model_file::check_writable(out, network.force)?;
    }
    check(network)?;
    start_threads(network.threads)?;
    let interrupt = Interrupt::listen()?;
    let mut job = Job::read(&network.source)?;
    let imputation = job.impute(&network.source)?;
    let data = Data::of(&job, network)?;
    let options = options(network, &data, Rule::Alternate);
    let trained = train(network, &data, &options, &interrupt, start)?;
    let mut model = model(&job, network, &data, &options, &trained, imputation)?;
    let train_score = job.train_truth.score(&model, &job.train)?;
    let test_score = match &job.test {
        Some((x, truth)) => Some(truth.score(&model, x)?),
        None => None,
    };
    model.training.train_score = Some(train_score.value());
    model.training.test_score = test_score.as_ref().map(Score::value);
    if let Some(out) = &deep.out {
        model_file::write(out, &model.to_bytes()?, network.force)?;
    }
    let summary = Summary {
        data: &job.name,
        model: &model,
        trained: &trained,
        options: &options,
        train: &train_score,
        test: test_score.as_ref(),
        out: deep.out.as_deref(),
        total_seconds: start.elapsed().as_secs_f64(),
    };
    match network.json {
        true => output::print_json(&summary.json())?,
        false => output::print(&summary.text())?,
    }
    Ok(match interrupt.asked() {
        true => ExitCode::from(failure::INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}

/// Refuses settings out of range before any work is done.
fn check(network: &Network) -> Result<(), Failure> {
    check_holdout(network.source.holdout)?;
    let at_least_one = [
        ("epochs", network.epochs),
        ("batch", network.batch),
        ("gates", network.gates),
        ("head-iterations", network.head_iterations),
    ];
    if let Some((name, _)) = at_least_one.iter().find(|(_, value)| *value == 0) {
        return Err(Failure::Usage(format!(
            "{name} is 0; it must be at least 1"
        )));
    }
    for (name, value) in [("alpha", network.alpha), ("beta", network.beta)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Failure::Usage(format!(
                "{name} is {value}; it must be finite and not negative"
            )));
        }
    }
    Ok(())
}

/// What the arguments mean to the library.
fn options(network: &Network, data: &Data, rule: Rule) -> Options {
    Options {
        rule,
        head: HeadOptions {
            loss: data.loss,
            beta: network.beta,
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
        epochs: network.epochs,
        batch: network.batch,
        decay: network.alpha,
        augment: data.augment(network.augment),
        seed: network.source.seed,
        ..Options::default()
    }
}

fn train(
    network: &Network,
    data: &Data,
    options: &Options,
    interrupt: &Interrupt,
    start: Instant,
) -> Result<Trained<Layers>, Failure> {
    let device = Device::flex().autodiff();
    let shape = data.train().inputs.shape();
    let layers = network.arch.build(&shape, options.seed, &device)?;
    let bar = Epochs::new(options.epochs);
    let observe = &mut |epoch: &Epoch| {
        bar.show(epoch);
        let late = (network.time_limit).is_some_and(|most| start.elapsed().as_secs_f64() >= most);
        match interrupt.asked() || late {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let validation = data.validation();
    let trained = cronos_deep::train(layers, data.train(), validation, options, &device, observe);
    bar.finish();
    Ok(trained?)
}

/// The model: layers and network as one.
fn model(
    job: &Job,
    network: &Network,
    data: &Data,
    options: &Options,
    trained: &Trained<Layers>,
    imputation: Option<Vec<f64>>,
) -> Result<Model, Error> {
    let last = data.scaling.undo(trained.network.clone());
    let features = last.features();
    let epoch = &trained.history[trained.best];
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
            iterations: trained.history.len() - 1,
            solver: "cronos-am".into(),
            loss: options.head.loss.name().into(),
            log_odds: matches!(options.head.loss, Loss::Logistic | Loss::Softmax),
            activation: "relu".into(),
            precision: "f32".into(),
            beta: options.head.beta,
            gates: options.head.gates,
            grouping: job.grouping.clone(),
            images: job.images.clone(),
            deep: Some(cronos::Deep {
                architecture: network.arch.to_string(),
                epochs: trained.history.len() - 1,
                optimizer: "dadam".into(),
                alternations: trained.history.len() - 1,
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
