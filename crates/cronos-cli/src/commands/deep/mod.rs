//! `cronos deep`

mod chosen;
pub(super) mod data;
mod memory;
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
use cronos_deep::Rule;
use data::Data;
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
    training::check(network)?;
    start_threads(network.threads)?;
    let interrupt = Interrupt::listen()?;
    let mut job = Job::read(&network.source)?;
    let imputation = job.impute(&network.source)?;
    let data = Data::of(&job, network)?;
    let options = training::options(network, &data, Rule::Alternate);
    let limits = Limits {
        interrupt: &interrupt,
        start,
        seconds: network.time_limit,
    };
    let bar = Epochs::new(options.epochs);
    let trained = training::train(network, &data, &options, &mut |epoch| {
        bar.show(epoch);
        limits.next()
    });
    bar.finish();
    let trained = trained?;
    let mut model = training::model(&job, network, &data, &options, &trained, imputation)?;
    if trained.interrupted {
        model.training.status = limits.met().into();
    }
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
        rows: data.rows(),
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
