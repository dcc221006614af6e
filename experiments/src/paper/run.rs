//! `run NAME`: makes the measurements that are missing.

use super::Experiment;
use super::bench::{Job, Setting};
use super::data::Places;
use super::options::{Chosen, RunOptions, folder};
use super::record::{Made, Record, file, latest};
use crate::tables::{build_cronos, version};
use crate::{records, say};
use std::fs;
use std::path::Path;
use std::time::Instant;
use xtask::stamp;
use xtask::step::built;

/// Runs the experiments that were chosen, one after another. One that cannot begin, as its data
/// are not there, does not keep the others from running.
pub fn run(chosen: &Chosen) -> Result<(), String> {
    let options = &chosen.options;
    let results = folder(options.results.as_ref(), options.quick)?;
    fs::create_dir_all(&results)
        .map_err(|error| format!("{} cannot be made: {error}", results.display()))?;
    let made = made(options.cronos.as_deref())?;
    let places = Places::new(options.data.as_deref())?;
    let mut failed = Vec::new();
    for experiment in &chosen.experiments {
        let name = experiment.name;
        if let Err(error) = one(experiment, options, &places, &results, &made) {
            say(&format!("{name}: {error}"));
            failed.push(name);
        }
    }
    match &failed[..] {
        [] => Ok(()),
        names => Err(format!(
            "not everything was measured of {}; the next run goes on there",
            names.join(", ")
        )),
    }
}

/// The program that is measured: the one that is named, or ours.
fn made(named: Option<&Path>) -> Result<Made, String> {
    let program = match named {
        Some(path) => std::path::absolute(path)
            .map_err(|error| format!("{} cannot be found: {error}", path.display()))?,
        None => {
            build_cronos()?;
            built("cronos")
        }
    };
    Ok(Made {
        version: version(&program)?,
        program,
        commit: stamp::commit(),
    })
}

fn one(
    experiment: &Experiment,
    options: &RunOptions,
    places: &Places,
    results: &Path,
    made: &Made,
) -> Result<(), String> {
    let encoder = options.encoder.as_deref().map(std::path::absolute);
    let encoder = encoder.transpose().map_err(|error| error.to_string())?;
    let setting = Setting {
        seeds: if options.quick { 1 } else { options.seeds },
        quick: options.quick,
        places,
        encoder: encoder.as_deref(),
    };
    let path = file(results, experiment.name);
    let records: Vec<Record> = records::read(&path)?;
    let done = latest(&records);
    let known = |job: &Job| {
        done.iter()
            .any(|one| one.key == job.key && one.seed == job.seed)
    };
    let jobs = (experiment.jobs)(&setting)?;
    let missing: Vec<&Job> = jobs.iter().filter(|job| !known(job)).collect();
    let (name, count) = (experiment.name, missing.len());
    say(&format!(
        "{name}: {count} of {} measurements to make",
        jobs.len()
    ));
    let mut failures = 0;
    for (place, job) in missing.into_iter().enumerate() {
        let start = Instant::now();
        let outcome = job.measure(&made.program);
        let seconds = start.elapsed().as_secs_f64();
        let said = match &outcome {
            Ok(_) => format!("{seconds:.1} s"),
            Err(error) => format!("failed: {error}"),
        };
        failures += usize::from(outcome.is_err());
        let Job { key, seed, .. } = job;
        say(&format!(
            "[{}/{count}] {name}, {key}, seed {seed}: {said}",
            place + 1
        ));
        let record = Record::new(key, *seed, &job.command(), made, outcome);
        records::append(&path, &record)?;
    }
    match failures {
        0 => Ok(()),
        _ => Err(format!("{failures} of {count} measurements failed")),
    }
}
