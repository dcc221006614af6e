//! `cronos compare`

mod outcome;
mod table;

use super::checks::start_threads;
use super::deep::training::{self, Limits};
use super::job::Job;
use crate::arguments::{Compare, RateRange};
use crate::failure::{self, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Runs;
use crate::report::{Measure, compare_plot};
use crate::{model_file, output};
use cronos_deep::{ALTERNATION, Data, End, Epoch, Goal, Options, Recipe, Rule, Watch};
use outcome::{Contender, Outcome, Run};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;

pub fn run(compare: &Compare) -> Result<ExitCode, Failure> {
    with(compare, |_| {
        let source = &compare.network.source;
        let mut job = Job::read(source)?;
        let imputation = job.impute(source)?;
        Ok((job, imputation))
    })
}

/// A comparison on data that are read when all else is known to be right.
pub fn with(
    compare: &Compare,
    read: impl FnOnce(&Interrupt) -> Result<(Job, Option<Vec<f64>>), Failure>,
) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let network = &compare.network;
    for file in [&compare.csv, &compare.plot].into_iter().flatten() {
        model_file::check_writable(file, network.force)?;
    }
    let recipe = training::recipe(network)?;
    if compare.rates == 0 {
        return Err(Failure::Usage("rates is 0; it must be at least 1".into()));
    }
    start_threads(network.threads)?;
    let interrupt = Interrupt::listen()?;
    let (job, imputation) = read(&interrupt)?;
    let data = training::data(&job, &recipe)?;
    recipe.memory(&data)?;
    let limits = Limits {
        interrupt: &interrupt,
        start: Instant::now(),
        seconds: network.time_limit,
    };
    let rates = rates(compare.range, compare.rates, network.source.seed);
    let mut contenders = contenders(compare, &rates);
    let session = Session {
        recipe: &recipe,
        job: &job,
        data: &data,
        imputation,
        limits: &limits,
    };
    let status = match session.run_all(&mut contenders)? {
        true => "done",
        false => limits.met(),
    };
    contenders.retain(|contender| !contender.runs.is_empty());
    if contenders.is_empty() {
        return nothing(status);
    }
    let outcome = Outcome {
        compare,
        recipe: &recipe,
        job: &job,
        data: &data,
        rates,
        contenders,
        status,
        total_seconds: start.elapsed().as_secs_f64(),
    };
    write(&outcome)?;
    match network.json {
        true => output::print_json(&outcome.json())?,
        false => output::print(&outcome.text())?,
    }
    Ok(match interrupt.asked() {
        true => ExitCode::from(failure::INTERRUPTED),
        false => ExitCode::SUCCESS,
    })
}

/// Rates whose logarithms are drawn evenly from the range, smallest first.
fn rates(range: RateRange, count: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (low, high) = (range.low.ln(), range.high.ln());
    let mut rates: Vec<f64> = (0..count)
        .map(|_| rng.random_range(low..high).exp())
        .collect();
    rates.sort_by(f64::total_cmp);
    rates
}

/// Who is compared, each with the runs it wants: the alternation first, so that it is
/// there when time runs out.
fn contenders(compare: &Compare, rates: &[f64]) -> Vec<Contender> {
    let alternation = Contender {
        name: ALTERNATION,
        rules: vec![(Rule::Alternate, None)],
        runs: Vec::new(),
    };
    let optimizers = compare.optimizers.0.iter().map(|&method| Contender {
        name: method.name(),
        rules: match method.needs_rate() {
            true => (rates.iter())
                .map(|&rate| (Rule::Descend { method, rate }, Some(rate)))
                .collect(),
            false => vec![(Rule::Descend { method, rate: 1.0 }, None)],
        },
        runs: Vec::new(),
    });
    std::iter::once(alternation).chain(optimizers).collect()
}

/// What all runs share.
struct Session<'a> {
    recipe: &'a Recipe,
    job: &'a Job,
    data: &'a Data<'a>,
    imputation: Option<Vec<f64>>,
    limits: &'a Limits<'a>,
}

impl Session<'_> {
    /// Runs everything; `false` if it was broken off. A run that did not come to its end is
    /// left out.
    fn run_all(&self, contenders: &mut [Contender]) -> Result<bool, Failure> {
        let wanted = contenders.iter().map(|contender| contender.rules.len());
        let bar = Runs::new(wanted.sum(), self.recipe.epochs(self.data));
        let all = contenders.iter_mut().try_fold(true, |goes_on, contender| {
            Ok(goes_on && self.run_one(contender, &bar)?)
        });
        bar.finish();
        all
    }

    fn run_one(&self, contender: &mut Contender, bar: &Runs) -> Result<bool, Failure> {
        for &(rule, rate) in &contender.rules {
            let name = match rate {
                Some(rate) => format!("{} at rate {rate:.2e}", contender.name),
                None => contender.name.into(),
            };
            let Some(run) = self.run(rule, rate, &name, bar)? else {
                return Ok(false);
            };
            contender.runs.push(run);
            bar.next();
        }
        Ok(true)
    }

    fn run(
        &self,
        rule: Rule,
        rate: Option<f64>,
        name: &str,
        bar: &Runs,
    ) -> Result<Option<Run>, Failure> {
        // all runs are equally long
        let options = Options {
            patience: None,
            ..self.recipe.options(self.data, rule)
        };
        let observe = &mut |epoch: &Epoch| {
            bar.show(name, epoch);
            // the last epoch is done, whatever the time
            match epoch.number < options.epochs {
                true => self.limits.next(),
                false => ControlFlow::Continue(()),
            }
        };
        let watch = Watch {
            stop: &|| self.limits.next().is_break(),
            ..Watch::new(observe)
        };
        let trained = self.recipe.train(self.data, &options, watch)?;
        if trained.end == End::BrokenOff {
            return Ok(None);
        }
        let test = match &self.job.test {
            None => None,
            Some((x, truth)) => {
                let model = training::model(
                    self.job,
                    self.recipe,
                    self.data,
                    &options,
                    &trained,
                    self.limits.met(),
                    self.imputation.clone(),
                )?;
                Some(truth.score(&model, x)?)
            }
        };
        Ok(Some(Run {
            rate,
            best: trained.best,
            history: trained.history,
            test,
            diverged: trained.end == End::Diverged,
            beta: trained.beta,
        }))
    }
}

/// A comparison that ended before its first run did.
fn nothing(status: &str) -> Result<ExitCode, Failure> {
    if status == "interrupted" {
        output::remark("interrupted before the first run was done; nothing is written");
        return Ok(ExitCode::from(failure::INTERRUPTED));
    }
    Err(Failure::Work(
        "the time limit came before the first run was done; raise --time-limit or lower --epochs"
            .into(),
    ))
}

/// Writes every file that was asked for.
fn write(outcome: &Outcome<'_>) -> Result<(), Failure> {
    let (compare, force) = (outcome.compare, outcome.compare.network.force);
    if let Some(file) = &compare.csv {
        model_file::write(file, outcome.csv().as_bytes(), force)?;
    }
    if let Some(file) = &compare.plot {
        let measure = Measure::of_classes(outcome.data.goal == Goal::Classes);
        let title = format!("{}: {}", outcome.job.name, compare.network.arch);
        let plot = compare_plot(&title, &outcome.plotted(), &measure);
        model_file::write(file, plot.as_bytes(), force)?;
    }
    Ok(())
}
