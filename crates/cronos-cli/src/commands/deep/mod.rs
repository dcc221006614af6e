//! `cronos deep`

mod checkpoint;
mod summary;
pub(super) mod training;

use super::checks::start_threads;
use super::job::Job;
use crate::arguments::Deep;
use crate::failure::{self, Failure};
use crate::interrupt::Interrupt;
use crate::model_file;
use crate::output;
use crate::progress::Epochs;
use crate::score::Score;
use cronos_deep::{Checkpoint, Keep, Rule, Watch};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;
use summary::Summary;
use training::Limits;

pub fn run(deep: &Deep) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let network = &deep.network;
    if let Some(out) = &deep.out {
        model_file::check_writable(out, network.force)?;
    }
    let recipe = training::recipe(network)?;
    let mut kept = checkpoint::open(deep)?;
    start_threads(network.threads)?;
    let interrupt = Interrupt::listen()?;
    let mut job = Job::read(&network.source)?;
    let imputation = job.impute(&network.source)?;
    let data = training::data(&job, &recipe)?;
    let options = recipe.options(&data, Rule::Alternate);
    let limits = Limits {
        interrupt: &interrupt,
        start,
        seconds: network.time_limit,
    };
    let planned_bytes = training::planned_bytes(&recipe, &data)?;
    let bar = Epochs::new(options.epochs);
    let from = kept.as_mut().and_then(|kept| kept.from.take());
    let mut keep = |state: &Checkpoint| match kept.as_mut().map(|kept| kept.write(state)) {
        Some(false) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let watch = Watch {
        observe: &mut |epoch| {
            bar.show(epoch);
            limits.next()
        },
        stop: &|| limits.next().is_break(),
        keep: deep.checkpoint.is_some().then_some(&mut keep as Keep<'_>),
        from: from.as_ref(),
    };
    let trained = recipe.train(&data, &options, watch);
    bar.finish();
    let trained = trained?;
    if let Some(failure) = kept.and_then(|kept| kept.failure) {
        return Err(failure);
    }
    let ended = limits.met();
    let mut model = training::model(&job, &recipe, &data, &options, &trained, ended, imputation)?;
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
        job: &job,
        recipe: &recipe,
        data: &data,
        model: &model,
        trained: &trained,
        options: &options,
        train: &train_score,
        test: test_score.as_ref(),
        out: deep.out.as_deref(),
        total_seconds: start.elapsed().as_secs_f64(),
        planned_bytes,
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
